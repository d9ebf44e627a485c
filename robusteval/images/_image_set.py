"""Image sets on disk: ``images.npy``, ``index.parquet`` and ``card.json`` in one folder."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.files import read_json, replacing, sha256, write_json
from robusteval.seeds import generator


@dataclass(frozen=True)
class ImageSet:
    """Images with labels and ids in one geometry.

    ``images`` (N, H, W, C) uint8, memory-mapped; ``index`` has a row per image with ``image_id``
    (of the original image), ``label`` (-1 for an unknown class), ``condition`` and ``severity``
    (0 where there is none); ``card`` says where they come from.
    """

    images: NDArray[np.uint8]
    index: pd.DataFrame
    card: dict[str, Any]


def index_of(
    image_id: NDArray[np.int64], label: NDArray[np.int64], condition: str, severity: int = 0
) -> pd.DataFrame:
    """Return the index of images (N,) that share a condition."""
    return pd.DataFrame(
        {"image_id": image_id, "label": label, "condition": condition, "severity": severity}
    ).astype({"image_id": "int64", "label": "int64", "severity": "int64"})


def write_image_set(
    folder: str | Path,
    images: NDArray[np.uint8] | Iterable[NDArray[np.uint8]],
    index: pd.DataFrame,
    *,
    shape: tuple[int, ...] | None = None,
    **card: Any,
) -> None:
    """Write an image set; the card comes last and holds the hashes of the other two files.

    ``images`` (N, H, W, C) may also be an iterator over blocks of them, of which one is in memory
    at a time; then ``shape`` says what they amount to.
    """
    if isinstance(images, np.ndarray):
        shape, images = images.shape, [images]
    assert shape is not None and len(shape) == 4, shape
    assert shape[0] == len(index), (shape, len(index))
    folder = Path(folder)
    with replacing(folder / "images.npy") as temporary:
        _write_blocks(temporary, images, shape)
    with replacing(folder / "index.parquet") as temporary:
        index.to_parquet(temporary, index=False)
    hashes = {name: sha256(folder / name) for name in ("images.npy", "index.parquet")}
    write_json(folder / "card.json", {**card, "shape": list(shape), "sha256": hashes})


def _write_blocks(path: Path, blocks: Iterable[NDArray[np.uint8]], shape: tuple[int, ...]) -> None:
    """Write ``blocks`` one after the other as one array of ``shape``, without mapping it."""
    written = 0
    with path.open("wb") as file:
        header = {"descr": "|u1", "fortran_order": False, "shape": tuple(shape)}
        np.lib.format.write_array_header_1_0(file, header)  # what numpy.save writes
        for block in blocks:
            assert block.dtype == np.uint8 and block.shape[1:] == shape[1:], (block.dtype, shape)
            file.write(np.ascontiguousarray(block).data)
            written += len(block)
    assert written == shape[0], (written, shape)


def read_image_set(folder: str | Path) -> ImageSet:
    """Return the image set in ``folder``.

    Raises:
        ValueError: a file is not the one that the card was written for.
    """
    folder = Path(folder)
    card = read_json(folder / "card.json")
    for name, expected in card["sha256"].items():
        if sha256(folder / name) != expected:
            raise ValueError(
                f"{folder / name}: content differs from card.json; delete the folder and run again"
            )
    images = np.load(folder / "images.npy", mmap_mode="r", allow_pickle=False)
    return ImageSet(images, pd.read_parquet(folder / "index.parquet"), card)


def subset(image_id: NDArray[np.int64], count: int, seed: int) -> NDArray[np.int64]:
    """Return the positions, in order, of ``count`` images drawn by seed and id.

    A smaller subset is part of every larger one of the same seed, whatever the order of the
    images, so tests of different sizes share images and can be compared pair by pair.
    """
    if not 0 < count <= len(image_id):
        raise ValueError(f"{count} images asked, 1 to {len(image_id)} exist")
    draw = np.array([generator(seed, "subset", int(i)).random() for i in image_id])
    return np.sort(np.argsort(draw, kind="stable")[:count])
