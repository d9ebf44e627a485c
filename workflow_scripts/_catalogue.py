"""The catalogue: everything that can be run, by id."""

from collections.abc import Iterator
from pathlib import Path

from robusteval.corruptions._severities import FAMILIES
from robusteval.images._class_lists import NAMES
from robusteval.images._view import AS_STORED
from workflow_scripts._counts import KINDS
from workflow_scripts._noises import check_noises
from workflow_scripts._parameters import files, fits, parameters
from workflow_scripts._schema import (
    Mapping,
    StudyError,
    definition,
    enough,
    known,
    load_yaml,
    short,
    validate,
)
from workflow_scripts._searched_entries import check_generator, check_searched, check_taught

SHARED = ("images", "models", "generators")  # those with a folder of their own in results/
PARTS = ("images", "views", "models", "tests", "generators", "oracles")
PACKAGES = {  # of the sets that a test of a kind names
    "perturbed": "perturbations",
    "unrecognisable": "images/unrecognisable",
}
CONDITIONED = {"adversarial": "attack", "probe": "probe"}  # what has conditions, by kind
OF_ONE_MODEL = ("published_accuracy", "stands_for", "relation", "twin")  # not of one that wraps it
OF_THE_WRAPPED = ("builder", "arguments", "training", "weights", "classes", "view", "mean", "std")


def load_catalogue(config: Path, own: Mapping | None = None, study: str = "") -> Mapping:
    """Return {"images": ..., "views": ..., "models": ..., "tests": ..., and so on}, see `PARTS`.

    The entries are those of ``config``/catalogue/*.yaml and the ``own`` ones of a ``study``.

    Raises:
        StudyError: an entry is not as config/schema.yaml says, has the id of another, or names a
            file or an entry that is not there.
    """
    catalogue: Mapping = {}
    library = config.parent / "robusteval"
    origin = {part: f"{short(config / 'catalogue' / part)}.yaml" for part in PARTS}
    for part in PARTS:
        catalogue[part] = load_yaml(config / "catalogue" / f"{part}.yaml")
        _check_shape(part, catalogue[part], config, origin[part])
    catalogue["models"] = _whole(catalogue["models"], catalogue["models"], origin["models"])
    _check_items(catalogue, catalogue, library, origin)
    if own:
        origin = {part: f"{study}: catalogue.{part}" for part in PARTS}
        for part, entries in own.items():
            _check_shape(part, entries, config, origin[part])
            for key, entry in entries.items():
                if key in catalogue[part]:
                    raise StudyError(
                        f"{origin[part]}: {key}: an entry of this id exists in "
                        f"config/catalogue/{part}.yaml; choose another id"
                    )
                if part in ("images", "tests") and key in KINDS and entry.get("kind") != key:
                    raise StudyError(
                        f"{origin[part]}: {key}: a kind of tests, for which `counts` has a number "
                        f"by this name; choose another id"
                    )
        added = {part: own.get(part, {}) for part in PARTS}
        models = catalogue["models"] | added["models"]
        added["models"] = _whole(added["models"], models, origin["models"])
        catalogue = {part: catalogue[part] | added[part] for part in PARTS}
        _check_items(added, catalogue, library, origin)
    return catalogue


def view_of(entry: Mapping) -> str:
    """Return the id of the view in which a model sees images."""
    return str(entry.get("view", AS_STORED))


def classes_of(entry: Mapping, catalogue: Mapping) -> str | list[str]:
    """Return a model's classes: names in the order of its logits, or the id of a known list."""
    if "training" in entry:
        entry = catalogue["images"][entry["training"]["images"]]
    classes: str | list[str] = entry["classes"]
    return classes


def _whole(entries: Mapping, models: Mapping, where: str) -> Mapping:
    """Return the entries of models, those that wrap one of ``models`` with what they share."""
    result = {}
    for name, entry in entries.items():
        if "wraps" in entry:
            known(where, f"{name}.wraps", [entry["wraps"]], models)
            if own := [key for key in OF_THE_WRAPPED if key in entry]:
                raise StudyError(
                    f"{where}: {name}.{own[0]}: that of {entry['wraps']}; leave it out"
                )
            base = models[entry["wraps"]]
            if "wraps" in base:
                raise StudyError(
                    f"{where}: {name}.wraps: {entry['wraps']} wraps {base['wraps']} itself; name "
                    f"that model"
                )
            entry = {key: v for key, v in base.items() if key not in OF_ONE_MODEL} | entry
        result[name] = entry
    return result


def _check_shape(part: str, entries: Mapping, config: Path, where: str) -> None:
    """Check each entry by itself against the schema."""
    for key, entry in entries.items():
        place = f"{where}: {key}"
        validate(key, definition(config, "shared_id" if part in SHARED else "id"), place)
        if part == "tests":
            validate(entry, definition(config, "test"), place)
            validate(entry, definition(config, entry["kind"]), place)
        else:
            validate(entry, definition(config, part), place)


def _check_items(added: Mapping, catalogue: Mapping, library: Path, origin: Mapping) -> None:
    """Check that each file and each entry that the ``added`` ones name is there."""
    for name, entry in added["images"].items():
        key, package = _package_of(entry)
        known(origin["images"], name, [entry[key]], files(library / package))
        if key == "layout":
            given = entry.get("options", {})
            fits(origin["images"], f"{name}.options", given, library / package, entry[key])
        if isinstance(entry.get("classes"), str):
            known(origin["images"], f"{name}.classes", [entry["classes"]], NAMES)
        if isinstance(entry.get("present"), str):
            known(origin["images"], f"{name}.present", [entry["present"]], ["all", *NAMES])
    for name, entry in added["models"].items():
        _check_model(name, entry, catalogue, library, origin["models"])
    for name, entry in added["tests"].items():
        where, kind = origin["tests"], entry["kind"]
        if kind in CONDITIONED:
            item, folder = CONDITIONED[kind], library / f"{CONDITIONED[kind]}s"
            known(where, f"{name}.{item}", [entry[item]], files(folder))
            for condition, values in entry["conditions"].items():
                fits(where, f"{name}.{condition}", values, folder, entry[item])
                check_noises(where, f"{name}.{condition}", entry[item], values, library, fits)
        elif kind == "corrupt":
            if entry["source"] == "published" and "storage" in entry:
                raise StudyError(f"{where}: {name}.storage: published images are stored already")
            known(where, f"{name}.sets", entry["sets"], list(FAMILIES[entry["family"]]))
        elif kind == "novel":
            known(where, f"{name}.sets", entry["sets"], list(_unknown(catalogue)))
        elif kind == "shifted":
            known(where, f"{name}.sets", entry["sets"], list(_known(catalogue)))
        elif kind in PACKAGES:
            known(where, f"{name}.sets", entry["sets"], files(library / PACKAGES[kind]))
        elif kind == "searched":
            check_searched(name, entry, catalogue, library, where)
    for name, entry in added["generators"].items():
        check_generator(name, entry, catalogue, library, origin["generators"])
    for name, entry in added["oracles"].items():
        members = [member["model"] for member in entry["members"] if "model" in member]
        known(origin["oracles"], f"{name}.members", members, catalogue["models"])


def _check_model(name: str, entry: Mapping, catalogue: Mapping, library: Path, where: str) -> None:
    """Check a model: its builder and its arguments, where it was trained or what it expects."""
    known(where, f"{name}.builder", [entry["builder"]], files(library / "models"))
    fits(where, f"{name}.arguments", entry["arguments"], library / "models", entry["builder"])
    if "defence" in entry:
        defence, folder = entry["defence"], library / "transformations"
        known(where, f"{name}.transformation", [defence["transformation"]], files(folder))
        given, named = defence.get("arguments", {}), defence["transformation"]
        fits(where, f"{name}.defence.arguments", given, folder, named)
    if "training" not in entry:
        known(where, f"{name}.view", [entry["view"]], catalogue["views"])
        if len(entry["mean"]) != len(entry["std"]):
            raise StudyError(f"{where}: {name}.std: as many values as in mean expected")
        if ("size" in entry) != (entry["view"] == AS_STORED):
            raise StudyError(
                f"{where}: {name}.size: the side of images that are {AS_STORED}, in pixels, "
                f"expected with that view and with no other"
            )
        if isinstance(entry["classes"], str):
            known(where, f"{name}.classes", [entry["classes"]], NAMES)
        return
    training = entry["training"]
    known(where, f"{name}.method", [training["method"]], files(library / "training"))
    given = training["method_arguments"]
    fits(where, f"{name}.method_arguments", given, library / "training", training["method"])
    _check_sources(name, training, catalogue["models"], library / "training", where)
    if "searched" in training:
        check_taught(name, training, catalogue, where)
    if training["batch_size"] > training["count"]:
        raise StudyError(
            f"{where}: {name}.batch_size: {training['batch_size']}: at most the number of "
            f"training images, {training['count']}, expected"
        )
    named = [training["images"], training["tested_on"]]
    known(where, f"{name}.images", named, list(_known(catalogue)))
    exist = catalogue["images"][training["images"]].get("count")
    if exist is not None:
        enough(f"{where}: {name}.count", training["count"], exist)


def _check_sources(
    name: str, training: Mapping, models: Mapping, library: Path, where: str
) -> None:
    """Check the models that a method attacks: that it does, and that they can be trained before."""
    needed = "others" in parameters(library, training["method"])
    sources = training.get("sources", [])
    if needed != bool(sources):
        method = training["method"]
        one = f"missing, as {method} attacks other models" if needed else f"{method} attacks none"
        raise StudyError(f"{where}: {name}.sources: {one}")
    known(where, f"{name}.sources", sources, models)
    for source in sources:
        other = models[source].get("training", {})
        if other.get("images") != training["images"] or "sources" in other:
            raise StudyError(
                f"{where}: {name}.sources: {source}: a model that is trained on "
                f"{training['images']}, without sources of its own, expected"
            )


def _package_of(entry: Mapping) -> tuple[str, str]:
    """Return the key that says how an image set comes about, and the package of its files."""
    packages = {"source": "sources", "novel": "novel", "layout": "layouts"}
    key = next(key for key in packages if key in entry)
    return key, f"images/{packages[key]}"


def _known(catalogue: Mapping) -> Iterator[str]:
    """Yield the ids of the image sets that show known classes."""
    return (i for i, e in catalogue["images"].items() if "classes" in e)


def _unknown(catalogue: Mapping) -> Iterator[str]:
    """Yield the ids of the image sets that show no known class."""
    return (i for i, e in catalogue["images"].items() if "classes" not in e)
