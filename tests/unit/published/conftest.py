"""Published rows and tables that a test writes by hand."""

from pathlib import Path

import pytest

from robusteval.published._row import Row

CONFIG = Path(__file__).parents[3] / "config/published"


@pytest.fixture
def published():
    """Return the folder of the project's published numbers."""
    return CONFIG


@pytest.fixture
def row():
    """Make a row of one accuracy on ImageNet; keywords say what differs."""

    def make(printed="71.13", **said):
        known = {
            "model": "net",
            "what": "accuracy",
            "test": "imagenet_validation",
            "condition": "",
            "unit": "percent",
            "n": 50_000,
            "preprocessing": "",
            "source": "a paper",
            "licence": "MIT",
            "grade": "file",
        }
        return Row(**{**known, **said}, printed=printed)

    return make
