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


class Chosen:
    """The images at some positions of a memory-mapped array, read when a slice is asked for."""

    def __init__(self, images: NDArray[np.uint8], positions: NDArray[np.int64]) -> None:
        self.images, self.positions = images, positions

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, part: slice) -> NDArray[np.uint8]:
        """Return the images (n, H, W, C) of a slice."""
        return self.images[self.positions[part]]


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
    **card: Any,
) -> None:
    """Write an image set; the card comes last and holds the hashes of the other two files.

    ``images`` is an array (N, H, W, C), or blocks of it in order, which are written one by one.

    Raises:
        ValueError: a block has images of another shape than those before.
    """
    folder = Path(folder)
    for left in folder.glob(".*.tmp*"):  # of a run that was killed, up to the size of the set
        left.unlink()
    blocks = [images] if isinstance(images, np.ndarray) else images
    with replacing(folder / "images.npy") as temporary:
        shape = _write_blocks(temporary, blocks, len(index))
    with replacing(folder / "index.parquet") as temporary:
        index.to_parquet(temporary, index=False)
    hashes = {name: sha256(folder / name) for name in ("images.npy", "index.parquet")}
    write_json(folder / "card.json", {**card, "shape": list(shape), "sha256": hashes})


def _write_blocks(
    path: Path, blocks: Iterable[NDArray[np.uint8]], count: int
) -> tuple[int, int, int, int]:
    """Write blocks (n, H, W, C) as one .npy file of ``count`` images; return its shape.

    Plain writing rather than a memory map, whose pages would count as memory of this process.
    """
    image: tuple[int, ...] | None = None
    written = 0
    with path.open("wb") as file:
        for block in blocks:
            assert block.dtype == np.uint8 and block.ndim == 4, (block.dtype, block.shape)
            if image is None:
                image = block.shape[1:]
                shape = (count, *image)
                header = {"descr": "|u1", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(file, header)
            if block.shape[1:] != image:
                raise ValueError(
                    f"{path.parent}: an image of shape {block.shape[1:]} after others of {image}; "
                    f"one shape for all expected: give the set a view with a size"
                )
            file.write(np.ascontiguousarray(block).data)
            written += len(block)
    assert image is not None and written == count, (image, written, count)
    height, width, channels = image
    return count, height, width, channels


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


def drawn(images: ImageSet, count: int, seed: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` images that every test of this seed takes of a set.

    Where images that could not be read were left out, and fewer are left than asked for, it is all
    of them; tables count them.
    """
    ids = images.index["image_id"].to_numpy()
    return subset(ids, min(count, len(ids)) if images.card.get("left_out") else count, seed)


def subset(image_id: NDArray[np.int64], count: int, seed: int) -> NDArray[np.int64]:
    """Return the positions, in order, of ``count`` images drawn by seed and id.

    A smaller subset is part of every larger one of the same seed, whatever the order of the
    images, so tests of different sizes share images and can be compared pair by pair.
    """
    if not 0 < count <= len(image_id):
        raise ValueError(f"{count} images asked, 1 to {len(image_id)} exist")
    draw = np.array([generator(seed, "subset", int(i)).random() for i in image_id])
    return np.sort(np.argsort(draw, kind="stable")[:count])
