"""Put a model behind a transformation of its images: the same weights, another card."""

import logging
import shutil
from pathlib import Path
from typing import Any

from robusteval.files import replacing, write_json
from robusteval.models._card import load_model
from robusteval.models._trial import trial
from robusteval.transformations._defended import Defended
from robusteval.transformations._words import words

log = logging.getLogger(__name__)

OF_THE_MODEL_ALONE = ("clean", "published_accuracy")


def wrap_model(base: Path, defence: dict[str, Any], folder: Path) -> None:
    """Write weights and card of the model in ``base`` behind ``defence`` into ``folder``.

    Raises:
        ValueError: the transformation cannot be had with these settings, or the model does not
            return a finite logit for each class of what becomes of its images.
    """
    model, card = load_model(base)
    try:
        defended = Defended(model, **defence).eval()
        trial(defended, tuple(card["input_size"]), len(card["classes"]))
    except ValueError as error:
        raise ValueError(f"{folder.name}: {base.name} behind {defence}: {error}") from error
    files = ["weights.safetensors"] + ([card["program"]["file"]] if "program" in card else [])
    for name in files:
        with replacing(folder / name) as temporary:
            shutil.copyfile(base / name, temporary)
    kept = {key: value for key, value in card.items() if key not in OF_THE_MODEL_ALONE}
    write_json(folder / "card.json", kept | {"wraps": base.name, "defence": defence})
    log.info("%s: %s; attacks take gradients %s", folder, base.name, words(defence))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        wrap_model(
            Path(snakemake.input.base).parent,
            snakemake.params.defence,
            Path(snakemake.output.card).parent,
        )
