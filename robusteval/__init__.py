"""How robust are image classifiers? Images, corruptions, models, attacks and metrics."""

import os

__version__ = "0.1.0"

# MKL rounds the products of rows of odd lengths by where they lie in memory: on one processor, a
# linear layer of 45 inputs gave the same image four answers in one pass. In this mode it does not.
# It is read when the first product is computed.
os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")
