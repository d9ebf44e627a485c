"""What rules ask for of raw files: those of a person, fetched ones, and models' own.

INPUTS: what common.smk knows of the study
OUTPUTS: functions of wildcards
"""


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


def sources(wildcards):
    """Return the cards of the models that a model's method attacks beside it."""
    named = CATALOGUE["models"][wildcards.model]["training"].get("sources", [])
    return [f"results/models/{name}/card.json" for name in named]


def searched_beside(wildcards):
    """Return the card of the searched images that a model is trained on beside its own."""
    recipe = CATALOGUE["models"][wildcards.model]["training"]
    return ["results/models/{model}/searched/card.json"] if "searched" in recipe else []


def wrapped(wildcards):
    """Return the card of the model that a wrapped one is made of."""
    base = CATALOGUE["models"][wildcards.model]["wraps"]
    return f"results/models/{base}/card.json"


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
