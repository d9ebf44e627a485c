"""Prepare a generator that was trained elsewhere: its weights, converted and tried once."""

import importlib
import logging
from pathlib import Path
from typing import Any

import torch

from robusteval.files import sha256
from robusteval.licences import KEY, licence_of
from robusteval.models._card import save_model

log = logging.getLogger(__name__)

OF_HUBS = ("diffusers",)  # builders whose weights a library may download
TRIED = 2  # grey images of noise


def prepare_generator(
    entry: dict[str, Any], folder: Path, *, allow_unlicensed: bool = False
) -> None:
    """Write weights and card of the catalogue's ``entry`` into ``folder``.

    Raises:
        ValueError: the weights cannot be had, are not those of the entry's hash or do not fit, are
            those of a hub and have no licence (unless ``allow_unlicensed``), or a round trip is not
            an image.
    """
    builder = importlib.import_module(f"robusteval.generators.{entry['builder']}")
    weights, shape = entry["weights"], tuple(entry["shape"])
    file = Path(weights["from"]).expanduser()
    if "sha256" in weights:
        if not file.is_file():
            raise ValueError(
                f"weights.from: {file}: no such file here; download the weights of "
                f"{entry['builder']}, whose SHA-256 is {weights['sha256']}, and put them there"
            )
        if (found := sha256(file)) != weights["sha256"]:
            raise ValueError(
                f"weights.from: {file}: its SHA-256 is {found}, {weights['sha256']} expected: "
                "fetch it again"
            )
    if entry["builder"] in OF_HUBS and not file.exists():  # not a folder of the person's own
        licence_of(weights, f"weights of {weights['from']}", allow=allow_unlicensed)
    where = {"subfolder": weights["subfolder"]} if "subfolder" in weights else {}
    place = str(file) if file.exists() else weights["from"]
    generator, arguments = builder.pretrained(
        shape=shape, weights=place, **entry["arguments"], **where
    )
    generator.eval().requires_grad_(False)
    height, width, channels = shape
    noise = torch.rand(TRIED, channels, height, width, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        again = generator.round_trip(noise)
    if again.shape != noise.shape or not again.isfinite().all():
        raise ValueError(
            f"{entry['builder']}: a round trip of images {tuple(noise.shape)} has the shape "
            f"{tuple(again.shape)}, or is not finite: the weights are not those of this generator"
        )
    card = {
        "builder": entry["builder"],
        "arguments": arguments,
        "input_size": list(shape),
        "weights": weights,
        "torch": torch.__version__,
    }
    save_model(folder, generator, card)
    log.info("%s: %s", folder, weights)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        prepare_generator(
            snakemake.params.entry,
            Path(snakemake.output.card).parent,
            allow_unlicensed=snakemake.config.get(KEY, False),
        )
