"""Neurons: what the layers of a model give for images, streamed, a pass at a time.

A neuron is a unit of a dense layer or a channel of a convolution. Its value for an image is the
mean over all positions ("mean"), or each position counts by itself ("any").
"""
