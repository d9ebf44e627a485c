"""Entries of the catalogue for searches in a generator's latent space, held to each other."""

from pathlib import Path

from workflow_scripts._parameters import files, fits
from workflow_scripts._schema import Mapping, StudyError, definition, enough, known, validate


def check_generator(
    name: str, entry: Mapping, catalogue: Mapping, library: Path, where: str
) -> None:
    """Check a generator: its builder, its arguments, and the images that it is trained on."""
    builder, folder = entry["builder"], library / "generators"
    known(where, f"{name}.builder", [builder], files(folder))
    if "training" not in entry:
        return  # its weights say the rest
    fits(where, f"{name}.arguments", entry["arguments"], folder, builder)
    training = entry["training"]
    shown = [i for i, e in catalogue["images"].items() if "classes" in e]
    known(where, f"{name}.images", [training["images"]], shown)
    exist = catalogue["images"][training["images"]].get("count")
    if exist is not None:
        enough(f"{where}: {name}.count", training["count"], exist)
    if training["batch_size"] > training["count"]:
        raise StudyError(
            f"{where}: {name}.batch_size: {training['batch_size']}: at most the number of "
            f"training images, {training['count']}, expected"
        )


def check_taught(name: str, training: Mapping, catalogue: Mapping, where: str) -> None:
    """Check the searched images that a recipe names: made of training images, by other models.

    Raises:
        StudyError: a search starts from other images, has no such condition or no oracle, or needs
            a model that cannot be trained before.
    """
    recipe, place = training["searched"], f"{name}.searched"
    tests = {t: e for t, e in catalogue["tests"].items() if e["kind"] == "searched"}
    known(where, f"{place}.test", [recipe["test"]], tests)
    entry = tests[recipe["test"]]
    if entry.get("images") != training["images"]:
        raise StudyError(
            f"{where}: {place}.test: {recipe['test']} starts from "
            f"{entry.get('images', 'the images that a study tests models on')}; a search with "
            f"images: {training['images']}, which {name} is trained on, expected"
        )
    known(where, f"{place}.condition", [recipe["condition"]], entry["conditions"])
    if entry["conditions"][recipe["condition"]].get("oracle") is False:
        raise StudyError(
            f"{where}: {place}.condition: {recipe['condition']} asks no oracle whether an image "
            f"still shows its label; one that does expected"
        )
    enough(f"{where}: {place}.count", recipe["count"], training["count"])
    known(where, f"{place}.against", [recipe["against"]], catalogue["models"])
    known(where, f"{recipe['test']}.oracle", [entry["oracle"]], catalogue["oracles"])
    members = catalogue["oracles"][entry["oracle"]]["members"]
    judges = [member["model"] for member in members if "model" in member]
    if recipe["against"] in judges:
        raise StudyError(
            f"{where}: {place}.against: {recipe['against']} is a member of the oracle "
            f"{entry['oracle']} of {recipe['test']}: it would judge itself"
        )
    for model in (recipe["against"], *judges):
        other = catalogue["models"].get(model, {}).get("training", {})
        if {"sources", "searched"} & other.keys():
            raise StudyError(
                f"{where}: {place}: {model}: a model without sources or searched images of its "
                f"own expected"
            )


def check_searched(
    name: str, entry: Mapping, catalogue: Mapping, library: Path, where: str
) -> None:
    """Check a search: what it goes through, and the settings of each of its conditions."""
    known(where, f"{name}.generator", [entry["generator"]], catalogue["generators"])
    oracles = [entry[key] for key in ("oracle", "judges") if key in entry]
    known(where, f"{name}.oracle", oracles, catalogue["oracles"])
    known(
        where, f"{name}.images", [entry["images"]] if "images" in entry else [], catalogue["images"]
    )
    before: list[str] = []
    for condition, values in entry["conditions"].items():
        place = f"{name}.{condition}"
        validate(values, definition(library.parent / "config", "condition"), f"{where}: {place}")
        if "sparse" in values:
            known(where, f"{place}.sparse.of", [values["sparse"]["of"]], before)
        own = {k: v for k, v in values.items() if k not in ("sparse", "oracle")}
        fits(where, place, own, library / "search", "latent_search")
        steps, step = library / "search" / "steps", values.get("step", "sign")
        known(where, f"{place}.step", [step], files(steps))
        fits(where, f"{place}.settings", values.get("settings", {}), steps, step)
        before.append(condition)
