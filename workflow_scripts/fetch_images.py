"""Fetch the raw files of a source and verify their bytes against the pin."""

import importlib
import logging
from pathlib import Path

import yaml

from robusteval.files import write_json
from robusteval.images.sources._package_files import PackageFiles, fetch_package_files
from robusteval.licences import KEY, licence_of

log = logging.getLogger(__name__)


def fetch_images(
    source: str, pin: Path, folder: str | None, receipt: Path, *, allow_unlicensed: bool = False
) -> None:
    """Fill ``data/<source>`` and write what is in it, file by file, into ``receipt``.

    The pin names the package whose files they are; other sources have a way of their own.

    Raises:
        ValueError: the pin has no licence, unless ``allow_unlicensed``, or bytes are not its own.
    """
    meta = yaml.safe_load(pin.read_text())["meta"]
    licence = licence_of(meta, f"{pin}: meta", allow=allow_unlicensed)
    log.info("%s: licence %s", pin, licence)
    hashes, raw = meta["sha256"], pin.with_suffix("")
    if "package" in meta:
        origin = fetch_package_files(raw, hashes, PackageFiles(**meta["package"]), folder)
    else:
        module = importlib.import_module(f"robusteval.images.sources.{source}")
        origin = module.fetch(raw, hashes, folder)
    log.info("%s: %d files from %s", raw, len(hashes), origin)
    write_json(receipt, {"raw": str(raw), "sha256": hashes})


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        fetch_images(
            snakemake.wildcards.source,
            Path(snakemake.input.pin),
            # Not a parameter of the rule: where the bytes came from cannot change what they are.
            snakemake.config.get("folders", {}).get(snakemake.wildcards.source),
            Path(snakemake.output.receipt),
            allow_unlicensed=snakemake.config.get(KEY, False),
        )
