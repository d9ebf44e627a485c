"""Check a model on a few clean images before anything expensive is run on it."""

import logging
from pathlib import Path

from robusteval.checks._run import run_all
from robusteval.checks._subject import subject_of
from robusteval.files import write_json
from robusteval.images._image_set import drawn, read_image_set
from robusteval.models._card import check_size, load_model
from robusteval.progress import Progress
from workflow_scripts._made_with import made_with

log = logging.getLogger(__name__)


def check_model(
    model_folder: Path,
    image_folder: Path,
    count: int,
    seed: int,
    batch_size: int,
    device: str,
    path: Path,
) -> None:
    """Write what all checks find about a model on ``count`` images drawn by ``seed``.

    A bad model is written down, not raised: the graph goes on and the table says what is wrong.
    """
    model, card = load_model(model_folder, device)
    clean = read_image_set(image_folder)
    check_size(clean.card["shape"][1:], card)
    chosen = drawn(clean, count, seed)
    count = len(chosen)
    subject = subject_of(
        model,
        clean.images[chosen],
        clean.index["label"].to_numpy()[chosen],
        card=card,
        device=device,
        batch_size=batch_size,
        progress=Progress(count, "images"),
    )
    findings = []
    for finding in run_all(subject):
        findings.append(vars(finding))
        level = logging.INFO if finding.verdict == "ok" else logging.WARNING
        log.log(level, "%s: %s: %s", finding.check, finding.verdict, finding.found)
    content = {
        "model": model_folder.name,
        "images": image_folder.parent.name,
        "view": image_folder.name,
        "n": count,
        "seed": seed,
        "weights": card["weights_sha256"],
        **made_with(device),
        "findings": findings,
    }
    write_json(path, content)


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        check_model(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.images).parent,
            snakemake.params.n,
            snakemake.params.seed,
            snakemake.params.batch_size,
            where,
            Path(snakemake.output.findings),
        )
