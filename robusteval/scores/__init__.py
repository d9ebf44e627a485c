"""Rejection scores: how certain a model is of its prediction, one number an image.

A score takes logits (N, K) and returns (N,), float64, larger where the model is more certain. It
is computed in float64 whatever the type of the logits.
"""
