"""How robust are image classifiers? Images, corruptions, models, attacks and metrics."""

__version__ = "0.1.0"
