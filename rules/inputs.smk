"""What rules ask for: input and parameter functions, marks for the report.

INPUTS: what common.smk knows of the study
OUTPUTS: functions of wildcards
"""


def growing(amount):
    """Return a resource that a retried job gets more of: ``amount``, then twice, then thrice that."""

    def of_attempt(wildcards, attempt):
        return amount * attempt

    return of_attempt


def code(package, item):
    """Return an input function: the source files of an item of ``robusteval/<package>``.

    ``item`` is its name, with wildcards, or a ``lookup`` that finds it.
    """

    def files(wildcards):
        name = item(wildcards) if callable(item) else item.format(**wildcards)
        return code_of(f"robusteval/{package}/{name}.py")

    return files


def model_code(wildcards):
    """Return the source files of a model: its builder's, and the user's own."""
    entry = CATALOGUE["models"][wildcards.model]
    own = own_code(str(entry["arguments"].get("function", "")))
    return [*code_of(f"robusteval/models/{entry['builder']}.py"), *own]


def table(path, name, detail):
    """Mark a table for the report; its caption has its name."""
    caption = f"../report/{Path(path).stem}.rst"
    return report(
        path,
        caption=caption,
        category="Tables",
        labels={"table": name, "detail": detail},
    )


def figure(path, name):
    """Mark a figure for the report; its caption has the name of the rule that draws it."""
    drawing = DRAWS.get(Path(path).parent.name, f"draw_{Path(path).stem}")
    caption = f"../report/{drawing}.rst"
    return report(path, caption=caption, category="Figures", labels={"figure": name})


def clean_of(wildcards):
    """Return the card of the study's images in the view of a model."""
    return f"<clean>/{VIEW[wildcards.model]}/card.json"


def manifests(names):
    """Return the manifests of those image sets that are folders of a person."""
    return [f"results/images/raw/{name}/manifest.parquet" for name in names if name in LISTED]


def known_manifests(wildcards):
    """Return the manifests of what the study's models know: the images tested, those trained on."""
    recipes = [CATALOGUE["models"][model].get("training", {}) for model in MODELS]
    trained = [recipe["images"] for recipe in recipes if recipe]
    return manifests(dict.fromkeys([config["images"], *trained]))


def novel_manifests(wildcards):
    """Return the manifests of a test's novel sets."""
    return manifests(TESTS[wildcards.test]["sets"])


def novel_check(wildcards):
    """Return the report that a test's novel sets are not known, where they can be compared."""
    if TESTS[wildcards.test]["kind"] != "novel":
        return []
    both = known_manifests(wildcards) and novel_manifests(wildcards)
    return ["<study>/checks/novel/{test}.json"] if both else []


def image_sets(wildcards):
    """Return the cards of a test's image sets in the view of a model."""
    return sets_in(VIEW[wildcards.model], wildcards.test)


def sets_in(view, test):
    """Return the cards of a test's image sets in a view."""
    sets = TESTS[test].get("sets")
    if sets is None or test in STREAMED:
        return [f"<clean>/{view}/card.json"]
    return [
        (
            f"results/images/{name}/{view}/card.json"
            if name in CATALOGUE["images"] and name not in RECIPES
            else f"<study>/images/{view}/{test}/{name}/card.json"
        )
        for name in sets
    ]


def shown(kind):
    """Return the cards of the image sets of a kind that the figures of examples show."""
    tests = [test for test in tests_of(kind) if test not in STREAMED]
    return [card for test in tests for card in sets_in(VIEW[SHOWN], test)]


def streamed_code(wildcards):
    """Return the source files of the corruptions that a cell makes itself."""
    names = TESTS[wildcards.test]["sets"]
    return [file for name in names for file in code_of(f"robusteval/corruptions/{name}.py")]


def perturbations(wildcards):
    """Return the source files of the kinds of perturbation of a test."""
    names = TESTS[wildcards.test]["sets"]
    return [file for name in names for file in code_of(f"robusteval/perturbations/{name}.py")]


def count(wildcards):
    """Return the number of images of a test."""
    keys = [key for key in ("test", "attack", "probe") if key in wildcards.keys()]
    return count_of(wildcards[keys[0]], config, CATALOGUE)


def records_of(*kinds):
    """Return the records of all cells of these kinds, in the order of the study."""
    return expand("<study>/records/{model}/{test}.parquet", model=MODELS, test=tests_of(*kinds))


def transfers():
    """Return the transfer records of all attacks and target models."""
    return expand("<study>/transfer/{attack}/{model}.parquet", attack=ATTACKS, model=MODELS)


def adversarials():
    """Return the cards of all adversarial sets."""
    return expand("<study>/adversarial/{model}/{attack}/card.json", model=MODELS, attack=ATTACKS)
