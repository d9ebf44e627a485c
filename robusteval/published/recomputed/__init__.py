"""Recomputations that need no images: one file each, one function of its name."""
