"""Which corruptions a published mean is over: fifteen, and apart from them four extra ones.

The four were released to tune on; no published mCE includes them (Hendrycks & Dietterich 2019,
arXiv:1903.12261). MNIST-C has fifteen of its own and no extra ones (Mu & Gilmer 2019,
arXiv:1906.02337); spatter, an extra one elsewhere, is among them.
"""

FIFTEEN = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "defocus_blur",
    "glass_blur",
    "motion_blur",
    "zoom_blur",
    "snow",
    "frost",
    "fog",
    "brightness",
    "contrast",
    "elastic_transform",
    "pixelate",
    "jpeg_compression",
)
EXTRA = ("speckle_noise", "gaussian_blur", "spatter", "saturate")
MNIST_FIFTEEN = (
    "shot_noise",
    "impulse_noise",
    "glass_blur",
    "motion_blur",
    "shear",
    "scale",
    "rotate",
    "brightness",
    "translate",
    "stripe",
    "fog",
    "spatter",
    "dotted_line",
    "zigzag",
    "canny_edges",
)
PARTS = ("fifteen", "extra", "other")


def members(part: str, family: str | None = None) -> tuple[str, ...]:
    """Return the published corruptions of a part, "fifteen" or "extra", of a family; () if none."""
    if part == "fifteen":
        return MNIST_FIFTEEN if family == "mnist_c" else FIFTEEN
    return EXTRA if part == "extra" and family != "mnist_c" else ()


def part_of(corruption: str, family: str | None = None) -> str:
    """Return the part that a corruption belongs to in ``family``: "fifteen", "extra" or "other".

    A corruption that was never published is among the others, and in no published mean. Without a
    family the names are those of ImageNet-C, which the sets made after it share.
    """
    return next((p for p in PARTS[:2] if corruption in members(p, family)), "other")
