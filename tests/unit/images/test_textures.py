"""Textures: fetched by their pin, cut, resized, and missed by name."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from robusteval.files import sha256
from robusteval.images.novel import textures as module
from robusteval.images.novel.textures import FILES, textures

ROOT = Path(__file__).parents[3]


@pytest.fixture
def photographs(tmp_path, monkeypatch):
    """Made-up photographs in the place of the real ones."""
    hashes = {}
    for i, name in enumerate(FILES):
        level = np.full((512, 512), 40 * i, np.uint8)
        level[256:, 256:] = 200
        Image.fromarray(level).save(tmp_path / name)
        hashes[name] = sha256(tmp_path / name)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "FILES", hashes)
    return tmp_path


@pytest.mark.parametrize("shape", [(28, 28, 1), (224, 224, 3), (260, 260, 3)])
def test_quarters_in_the_shape_asked_for(photographs, shape):
    images, ids = textures(shape)
    assert images.shape == (12, *shape) and images.dtype == np.uint8
    assert ids.tolist() == list(range(12))
    assert images[:, 5, 5, 0].tolist() == [0, 0, 0, 200, 40, 40, 40, 200, 80, 80, 80, 200]


def test_a_missing_photograph_is_named_with_what_to_do(photographs):
    (photographs / "grass.png").write_bytes(b"<html>")
    with pytest.raises(ValueError, match=r"grass\.png: missing or damaged.*run again to fetch"):
        textures((28, 28, 1))


def test_the_pin_has_the_hashes_that_are_read():
    pin = yaml.safe_load((ROOT / "data/textures.dvc").read_text())
    assert pin["meta"]["sha256"] == FILES
