"""What a study's searched tests need of each other, checked before any job starts."""

from workflow_scripts._schema import Mapping, StudyError, known

ASKED = ("oracle", "judges")


def searches_of(study: Mapping, catalogue: Mapping) -> dict[str, Mapping]:
    """Return the study's searched tests by id."""
    tests = {test: catalogue["tests"][test] for test in study["tests"]}
    return {test: entry for test, entry in tests.items() if entry["kind"] == "searched"}


def oracle_models(study: Mapping, catalogue: Mapping) -> list[str]:
    """Return the ids of the models that are members of the oracles and judges of a study."""
    oracles = [e[k] for e in searches_of(study, catalogue).values() for k in ASKED if k in e]
    members = [member for oracle in oracles for member in catalogue["oracles"][oracle]["members"]]
    return list(dict.fromkeys(member["model"] for member in members if "model" in member))


def taught_by(recipe: Mapping, catalogue: Mapping) -> list[str]:
    """Return the models that a training's searched images come from, if it has any.

    That is the one they are searched against, and the members of the oracle.
    """
    if "searched" not in recipe:
        return []
    test = catalogue["tests"][recipe["searched"]["test"]]
    members = catalogue["oracles"][test["oracle"]]["members"]
    return [recipe["searched"]["against"], *(m["model"] for m in members if "model" in m)]


def generators_of(study: Mapping, catalogue: Mapping) -> list[str]:
    """Return the ids of the generators that a study searches in."""
    return list(dict.fromkeys(e["generator"] for e in searches_of(study, catalogue).values()))


def searched_sets(study: Mapping, catalogue: Mapping) -> list[str]:
    """Return the ids of the image sets that a study's searches alone need.

    They start from them, or their generators are trained on them.
    """
    started = [e["images"] for e in searches_of(study, catalogue).values() if "images" in e]
    recipes = [catalogue["generators"][g].get("training") for g in generators_of(study, catalogue)]
    return list(dict.fromkeys([*started, *(recipe["images"] for recipe in recipes if recipe)]))


def check_searches(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the evaluated models are apart from the oracles, and these from their judges.

    Raises:
        StudyError: an evaluated model is a member of an oracle or of judges, or one of an oracle is
            one of its judges.
    """
    evaluated = study.get("searched_models", study["models"])
    known(name, "searched_models", evaluated, study["models"])
    for test, entry in searches_of(study, catalogue).items():
        members = {key: _models(catalogue, entry[key]) for key in ASKED if key in entry}
        for key, asked in members.items():
            if itself := [model for model in evaluated if model in asked]:
                raise StudyError(
                    f"{name}: searched_models: {itself[0]} is a member of the {key} {entry[key]} "
                    f"of {test}: it would judge itself; take it out of one of them"
                )
        if both := members["oracle"] & members.get("judges", set()):
            raise StudyError(
                f"{name}: tests: {test}: {sorted(both)[0]} is a member of the oracle and of the "
                f"judges {entry['judges']}, who judge it; take it out of one of them"
            )


def _models(catalogue: Mapping, oracle: str) -> set[str]:
    return {m["model"] for m in catalogue["oracles"][oracle]["members"] if "model" in m}
