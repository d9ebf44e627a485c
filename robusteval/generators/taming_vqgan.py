"""The VQGAN of Esser et al. in its published layout, whose checkpoints are local files."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.generators._codebook import look_up, nearest
from robusteval.generators._generator import Generator, straight_through
from robusteval.models._checkpoint import read_checkpoint

HERE = (
    "encoder.",
    "decoder.",
    "quantize.",
    "quant_conv.",
    "post_quant_conv.",
)  # the rest trains it


def taming_vqgan(
    *,
    shape: tuple[int, int, int],
    codes: int = 1024,
    latent: int = 256,
    width: int = 128,
    multiples: tuple[int, ...] = (1, 1, 2, 2, 4),
    blocks: int = 2,
    attention: int = 4,
) -> Generator:
    """Return an untrained VQGAN for images of ``shape`` (H, W, 3).

    Latents have ``latent`` channels and a side 2 ** (len(multiples) - 1) times smaller. Levels from
    ``attention`` on have it. The defaults are those of the published f16 network.

    Raises:
        ValueError: the images do not fit.

    Source: Esser, Rombach & Ommer, "Taming transformers for high-resolution image synthesis", 2021,
        arXiv 2012.09841, table 7; names of parameters as in its checkpoints.
    """
    factor = 2 ** (len(multiples) - 1)
    height, wide, channels = shape
    if height % factor or wide % factor or channels != 3:
        raise ValueError(
            f"images of {height} x {wide} x {channels} for a VQGAN of 3 channels and latents "
            f"{factor} times smaller: give it an adapter and a size that {factor} divides"
        )
    return _Vqgan(codes, latent, width, tuple(multiples), blocks, attention).eval()


def pretrained(
    *, shape: tuple[int, int, int], weights: str, **arguments: Any
) -> tuple[Generator, dict[str, Any]]:
    """Return the VQGAN with the weights of a checkpoint file, and its arguments.

    Nothing but tensors and plain values is unpickled; what belongs to its training is left out.

    Raises:
        ValueError: the file is not there, is no checkpoint, or is of another network.
    """
    file = Path(weights).expanduser()
    if not file.is_file():
        raise ValueError(
            f"weights.from: {file}: no such file here; download the checkpoint of the VQGAN "
            "(taming-transformers, last.ckpt), put it there, and give its SHA-256: weights: sha256"
        )
    generator = taming_vqgan(shape=shape, **arguments)
    try:
        found = read_checkpoint(file)
    except ValueError as error:
        if "several sets" not in str(error):
            raise
        found = read_checkpoint(file, key="state_dict")
    own = {name: tensor for name, tensor in found.items() if name.startswith(HERE)}
    expected = {name: tuple(tensor.shape) for name, tensor in generator.state_dict().items()}
    other = {name: tuple(tensor.shape) for name, tensor in own.items()}
    if wrong := sorted(set(expected.items()) ^ set(other.items())):
        raise ValueError(
            f"{file}: the weights of another network, {wrong[0][0]} is {other.get(wrong[0][0])}, "
            f"{expected.get(wrong[0][0])} expected: give the arguments of its configuration"
        )
    generator.load_state_dict(own)
    return generator, arguments


class _Vqgan(Generator):
    def __init__(
        self,
        codes: int,
        latent: int,
        width: int,
        multiples: tuple[int, ...],
        blocks: int,
        attention: int,
    ) -> None:
        super().__init__()
        self.encoder = _Coder(width, multiples, blocks, attention, latent, up=False)
        self.decoder = _Coder(width, multiples, blocks, attention, latent, up=True)
        self.quantize = nn.Module()
        self.quantize.embedding = nn.Embedding(codes, latent)
        self.quant_conv = nn.Conv2d(latent, latent, 1)
        self.post_quant_conv = nn.Conv2d(latent, latent, 1)

    def encode(self, images: Tensor) -> Tensor:
        latents: Tensor = self.quant_conv(self.encoder(2 * images - 1))
        return latents

    def quantised(self, latents: Tensor) -> Tensor:
        table: Any = self.quantize.embedding
        with torch.no_grad():
            codes = look_up(table.weight, nearest(table.weight, latents))
        return straight_through(latents, codes)

    def decode(self, latents: Tensor) -> Tensor:
        images: Tensor = self.decoder(self.post_quant_conv(self.quantised(latents)))
        return ((images + 1) / 2).clamp(0, 1)


class _Coder(nn.Module):
    """Encoder or, with ``up``, decoder: levels of residual blocks and a middle with attention."""

    def __init__(
        self,
        width: int,
        multiples: tuple[int, ...],
        blocks: int,
        attention: int,
        latent: int,
        *,
        up: bool,
    ) -> None:
        super().__init__()
        self.ascending = up
        widths = [width * m for m in multiples]
        last = len(widths) - 1
        now = widths[-1] if up else width
        self.conv_in = nn.Conv2d(latent if up else 3, now, 3, padding=1)
        middle = _level(widths[-1], widths[-1], 2, False)
        levels: list[nn.Module] = [nn.Identity()] * len(widths)
        for at in reversed(range(len(widths))) if up else range(len(widths)):
            levels[at] = _level(now, widths[at], blocks + up, at >= attention)
            now = widths[at]
            if up and at > 0:
                levels[at].upsample = _Resample(now, up=True)
            elif not up and at < last:
                levels[at].downsample = _Resample(now, up=False)
        self.mid = nn.Module()
        self.mid.block_1, self.mid.block_2 = middle.block
        self.mid.attn_1 = _Attention(widths[-1])
        self.add_module("up" if up else "down", nn.ModuleList(levels))
        self.norm_out = _norm(now)
        self.conv_out = nn.Conv2d(now, 3 if up else latent, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        middle: Any = self.mid
        x = self.conv_in(x)
        if self.ascending:
            x = middle.block_2(middle.attn_1(middle.block_1(x)))
        levels: Any = self.up if self.ascending else self.down
        for level in reversed(levels) if self.ascending else levels:
            for at, block in enumerate(level.block):
                x = block(x)
                x = level.attn[at](x) if len(level.attn) else x
            for name in ("upsample", "downsample"):
                x = getattr(level, name)(x) if hasattr(level, name) else x
        if not self.ascending:
            x = middle.block_2(middle.attn_1(middle.block_1(x)))
        found: Tensor = self.conv_out(F.silu(self.norm_out(x)))
        return found


def _norm(width: int) -> nn.GroupNorm:
    return nn.GroupNorm(32, width, eps=1e-6)


def _level(before: int, after: int, count: int, attended: bool) -> Any:
    level: Any = nn.Module()
    level.block = nn.ModuleList(_Block(before if i == 0 else after, after) for i in range(count))
    level.attn = nn.ModuleList(_Attention(after) for _ in range(count if attended else 0))
    return level


class _Block(nn.Module):
    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = _norm(before), _norm(after)
        self.conv1 = nn.Conv2d(before, after, 3, padding=1)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1)
        self.nin_shortcut = nn.Conv2d(before, after, 1) if before != after else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        inside = self.conv2(F.silu(self.norm2(self.conv1(F.silu(self.norm1(x))))))
        return torch.add(self.nin_shortcut(x), inside)


class _Attention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = _norm(width)
        self.q, self.k, self.v = (nn.Conv2d(width, width, 1) for _ in range(3))
        self.proj_out = nn.Conv2d(width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.norm(x)
        q, k, v = (layer(seen).flatten(2).transpose(1, 2) for layer in (self.q, self.k, self.v))
        mixed = F.scaled_dot_product_attention(q, k, v)
        return torch.add(x, self.proj_out(mixed.transpose(1, 2).reshape(x.shape)))


class _Resample(nn.Module):
    """Twice the side by nearest neighbours, or half of it with a border right and below."""

    def __init__(self, width: int, *, up: bool) -> None:
        super().__init__()
        self.ascending = up
        self.conv = nn.Conv2d(width, width, 3, stride=1 if up else 2, padding=1 if up else 0)

    def forward(self, x: Tensor) -> Tensor:
        x = F.interpolate(x, scale_factor=2.0) if self.ascending else F.pad(x, (0, 1, 0, 1))
        found: Tensor = self.conv(x)
        return found
