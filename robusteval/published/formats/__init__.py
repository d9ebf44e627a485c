"""Readers of published result files: one file a format, one function of its name."""
