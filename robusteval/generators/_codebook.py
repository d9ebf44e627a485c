"""A codebook that learns as a running mean of what is assigned to its codes."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

EPSILON = 1e-5  # of the smoothed counts, so that no code is divided by 0


class Codebook(nn.Module):
    """``codes`` vectors of ``width`` numbers; nothing in it has a gradient.

    Codes that hardly anything is assigned to, at the start all of them, are put on latents of the
    batch at hand.

    Source: van den Oord et al., "Neural discrete representation learning", 2017, arXiv 1711.00937,
        appendix A.1; new places for unused codes as in Dhariwal et al., "Jukebox", 2020.
    """

    vectors: Tensor
    counts: Tensor
    sums: Tensor

    def __init__(self, codes: int, width: int) -> None:
        super().__init__()
        self.register_buffer("vectors", torch.zeros(codes, width))
        self.register_buffer("counts", torch.zeros(codes))
        self.register_buffer("sums", torch.zeros(codes, width))

    def nearest(self, latents: Tensor) -> Tensor:
        """Return the index (N, h, w) of the code nearest to each of ``latents`` (N, D, h, w)."""
        return nearest(self.vectors, latents)

    def look_up(self, index: Tensor) -> Tensor:
        """Return the codes (N, D, h, w) at ``index`` (N, h, w)."""
        return look_up(self.vectors, index)

    @torch.no_grad()
    def learn(
        self, latents: Tensor, *, rng: torch.Generator, decay: float, least: float = 1.0
    ) -> None:
        """Move each code towards the mean of the latents (N, D, h, w) that it is nearest to.

        A code whose running count is below ``least`` is put on a latent drawn by ``rng``.
        """
        flat = latents.permute(0, 2, 3, 1).reshape(-1, latents.shape[1])
        unused = self.counts < least
        if unused.any():
            drawn = torch.randint(len(flat), (int(unused.sum()),), generator=rng)
            self.vectors[unused] = flat[drawn.to(flat.device)]
            self.counts[unused] = least
            self.sums[unused] = least * self.vectors[unused]
        # A product, as adding at an index is in no fixed order on a GPU.
        assigned = flat.new_zeros(len(flat), len(self.counts))
        assigned.scatter_(1, self.nearest(latents).view(-1, 1), 1)
        counts, sums = assigned.sum(0), assigned.T @ flat
        self.counts.mul_(decay).add_(counts, alpha=1 - decay)
        self.sums.mul_(decay).add_(sums, alpha=1 - decay)
        self.vectors.copy_(self.sums / (self.counts + EPSILON)[:, None])


def nearest(vectors: Tensor, latents: Tensor) -> Tensor:
    """Return the index (N, h, w) of the one of ``vectors`` (K, D) nearest to each of ``latents``.

    By a convolution over the latents (N, D, h, w), whose results for an image did not depend on its
    place in the batch. With the channels last it took a fifth of the time of the plain formula.
    """
    last = latents.contiguous(memory_format=torch.channels_last)
    # |z - v|^2 without the |z|^2 that all codes share.
    distances = F.conv2d(last, -2 * vectors[:, :, None, None], vectors.square().sum(1))
    return distances.min(1).indices


def look_up(vectors: Tensor, index: Tensor) -> Tensor:
    """Return the ``vectors`` (K, D) at ``index`` (N, h, w), as (N, D, h, w)."""
    return vectors[index].permute(0, 3, 1, 2).contiguous()
