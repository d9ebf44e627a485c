"""What rules ask for: input and parameter functions, marks for the report.

INPUTS: what common.smk knows of the study
OUTPUTS: functions of wildcards
"""


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


def weights_file(wildcards):
    """Return the user's own file of weights, if a model has one."""
    weights = CATALOGUE["models"][wildcards.model].get("weights", {})
    named = "file" in weights and "package" not in weights
    return [str(Path(weights["file"]).expanduser())] if named else []


def model_view(wildcards):
    """Return the view of a model; of images as they are stored, the entry says the size."""
    entry = CATALOGUE["models"][wildcards.model]
    return CATALOGUE["views"][entry["view"]] or {"size": entry["size"]}


def training_images(wildcards):
    """Return the card of the image set that a model is trained on."""
    images = CATALOGUE["models"][wildcards.model]["training"]["images"]
    return f"results/images/{images}/{AS_STORED}/card.json"


def tested_on(wildcards):
    """Return the card of the image set that a model's clean accuracy is measured on."""
    images = CATALOGUE["models"][wildcards.model]["training"]["tested_on"]
    return f"results/images/{images}/{AS_STORED}/card.json"


def listed(wildcards):
    """Return what is to be listed: the entry of an image set, and where its files lie."""
    entry = CATALOGUE["images"][wildcards.images]
    folder = folder_of(config, CATALOGUE, wildcards.images)
    skip = config.get("on_unreadable", "error")
    return entry | {"folder": folder, "on_unreadable": skip, "looks": fingerprint(folder)}


def only(wildcards):
    """Return the file that lists which images of a folder are taken, if there is one."""
    entry = CATALOGUE["images"][wildcards.images]
    return [str(Path(entry["only"]).expanduser())] if "only" in entry else []


def published_folder(wildcards):
    """Return where the study has the published images of a test's family."""
    return config["folders"][TESTS[wildcards.test]["family"]]


def published_looks(wildcards):
    """Return what the files of a published corruption look like from outside."""
    folder = Path(published_folder(wildcards))
    places = [folder, *(path for path in folder.glob("*") if path.is_dir())]
    found = [fingerprint(str(place / wildcards.corruption), depth=1) for place in places]
    return [looks for looks in found if looks]


def receipt(wildcards):
    """Return the receipt of an image set's raw files."""
    return f"results/images/raw/{CATALOGUE['images'][wildcards.images]['source']}.json"


def fetched(item):
    """Return an input function: the receipt of the files that an item needs, if it has a pin."""

    def receipts(wildcards):
        name = item(wildcards) if callable(item) else item.format(**wildcards)
        return [f"results/images/raw/{name}.json"] if name in PINS else []

    return receipts


def streamed_raw(wildcards):
    """Return the receipts of the files that the corruptions of a streamed cell need."""
    return [f"results/images/raw/{n}.json" for n in TESTS[wildcards.test]["sets"] if n in PINS]


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
