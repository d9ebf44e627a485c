"""Folders of tiny image files whose pixels say which they are."""

import io

import numpy as np
import pytest
from PIL import Image


def encoded(shade, size=(6, 4), mode="RGB", form="PNG", **options):
    """Return a picture of one shade as the bytes of a file."""
    out = io.BytesIO()
    colour = shade if mode in ("L", "RGB") and isinstance(shade, tuple) else (shade,) * 3
    image = Image.new("RGB", size, colour).convert(mode)
    image.save(out, form, **options)
    return out.getvalue()


@pytest.fixture
def picture():
    """Return the function above, which tests cannot import from here."""
    return encoded


@pytest.fixture
def tree(tmp_path):
    """Write files with the paths given, the first of shade 0, the next of 1, and so on."""

    def write(*paths):
        for shade, path in enumerate(paths):
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(encoded(shade))
        return tmp_path

    return write


@pytest.fixture
def shades():
    """Return the shade of every image of a listing, read one by one."""

    def of(listing):
        found = []
        for i in range(len(listing.names)):
            content = listing.read(i)
            if isinstance(content, bytes):
                content = np.asarray(Image.open(io.BytesIO(content)))
            found.append(int(content.ravel()[0]))
        return found

    return of
