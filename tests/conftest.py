"""What all tests share. One thread each, so that a study running beside keeps its cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import pytest
import torch

from robusteval.models._programs import trusting

torch.set_num_threads(1)


@pytest.fixture
def trusted():
    """Models that are programs may run in the test."""
    with trusting(True):
        yield
