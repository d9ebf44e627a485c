"""How robust are image classifiers? Images, corruptions, models, attacks and metrics."""
