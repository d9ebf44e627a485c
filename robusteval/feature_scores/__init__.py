"""Rejection scores that look at features: how near an image is to what a model was trained on.

A file holds the score, a function of the file's name, and what it needs to know of the training
images, ``fit``:

* ``fit(training, *, settings) -> statistics``, named arrays that can be saved as they are; they
  hold the settings too, so that a score can be computed from files alone.
* ``NAME(features, logits, statistics) -> (N,)``, float64, larger where the model is more certain.

Features (N, D) are what the last layer of a model gets, pooled, one row an image.
"""
