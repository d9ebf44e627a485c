"""Laws: what holds across models, such as how robustness falls while accuracy rises.

Each takes a number a model, as tables have them, and knows nothing of images.
"""
