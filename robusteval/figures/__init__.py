"""Figures, one a file: each takes finished tables or arrays and returns a matplotlib figure.

Nothing is computed here beyond what a drawing needs, and a cell whose status is not ``ok`` is
drawn as a gap marked n/a, never as a zero. Only this package imports matplotlib.
"""
