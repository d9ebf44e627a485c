import numpy as np
import torch

from robusteval.attacks._stored import as_float16, as_uint8
from robusteval.batches import as_tensor


def test_uint8_is_what_an_image_file_gives_back():
    images = torch.rand(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    levels = (images.numpy() * 255).round().astype(np.uint8).transpose(0, 2, 3, 1)
    assert torch.equal(as_uint8(images), as_tensor(levels))
    assert torch.equal(as_uint8(as_uint8(images)), as_uint8(images))


def test_every_grey_level_survives_uint8_to_the_bit():
    levels = torch.arange(256, dtype=torch.float32).view(1, 1, 16, 16) / 255
    assert torch.equal(as_uint8(levels), levels)


def test_float16_rounds_to_eleven_bits():
    images = torch.tensor([[[[0.75, 0.75 + 2**-12, 0.75 + 3 * 2**-13, 1.0]]]])
    # Steps of 2^-11 from 0.5 on: a half goes to the even one, three quarters up.
    assert as_float16(images).flatten().tolist() == [0.75, 0.75, 0.75 + 2**-11, 1.0]
    assert as_float16(images).dtype == torch.float32
