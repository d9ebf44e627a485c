"""Checks of a model on its clean images, before anything expensive is run on it.

A check takes a `Subject` and returns a `Finding`. It costs a few passes of 16 images at most and
leaves the model as it was.
"""
