"""A small vision transformer, as timm builds it (Dosovitskiy et al. 2021, arXiv 2010.11929)."""

from torch import nn


def vit(
    *,
    classes: int,
    shape: tuple[int, int, int],
    patch: int = 7,
    dim: int = 64,
    depth: int = 3,
    heads: int = 4,
) -> nn.Module:
    """Return an untrained transformer for square images of ``shape`` (H, W, C)."""
    from timm.models.vision_transformer import VisionTransformer  # slow to import: only when used

    height, width, channels = shape
    if height != width or height % patch:
        raise ValueError(f"image shape {shape}: a square with sides a multiple of {patch} expected")
    return VisionTransformer(
        img_size=height,
        patch_size=patch,
        in_chans=channels,
        num_classes=classes,
        embed_dim=dim,
        depth=depth,
        num_heads=heads,
    )
