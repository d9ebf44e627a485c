"""What the rules of searches ask for: input and parameter functions.

INPUTS: what common.smk knows of the study
OUTPUTS: functions of wildcards
"""


def generator_images(wildcards):
    """Return the card of the image set that a generator is trained on."""
    images = CATALOGUE["generators"][wildcards.generator]["training"]["images"]
    return f"results/images/{images}/{AS_STORED}/card.json"


def searched_test(wildcards):
    """Return the entry of a search, be it a test of the study or of a model's recipe."""
    return CATALOGUE["tests"][wildcards.searched]


def of_recipe(asked):
    """Return an input function of a model to be trained: what is ``asked`` of its recipe's search.

    ``asked`` is an input function of a search against a model.
    """

    def found(wildcards):
        recipe = CATALOGUE["models"][wildcards.model]["training"]["searched"]
        return asked(SimpleNamespace(searched=recipe["test"], model=recipe["against"]))

    return found


def card_of(wildcards):
    """Return the card of a model."""
    return f"results/models/{wildcards.model}/card.json"


def searched_images(wildcards):
    """Return the card of the images that a search starts from, in the view of a model."""
    view = wildcards.view if "view" in wildcards.keys() else VIEW[wildcards.model]
    images = TESTS[wildcards.searched].get("images", config["images"])
    return f"results/images/{images}/{view}/card.json"


def searched_from():
    """Return the cards of the image sets that all searches of the study start from."""
    named = dict.fromkeys(TESTS[test].get("images", config["images"]) for test in SEARCHED)
    views = dict.fromkeys(VIEW[model] for model in EVALUATED)
    return expand("results/images/{images}/{view}/card.json", images=named, view=views)


def generator_of(wildcards):
    """Return the card of the generator of a search."""
    return f"results/generators/{searched_test(wildcards)['generator']}/card.json"


def oracle_members(wildcards, asked=("oracle", "judges")):
    """Return the cards of the models that judge in a search: in its oracle, and those who judge it."""
    entry = searched_test(wildcards)
    oracles = [CATALOGUE["oracles"][entry[key]] for key in asked if key in entry]
    ids = dict.fromkeys(m["model"] for o in oracles for m in o["members"] if "model" in m)
    return [f"results/models/{model}/card.json" for model in ids]


def oracle_alone(wildcards):
    """Return the cards of the members of a search's oracle, which is all that a training asks."""
    return oracle_members(wildcards, asked=["oracle"])


def judged_clean(wildcards):
    """Return what the searched models say about clean images, where a search starts from them."""
    own = "images" in TESTS[wildcards.searched]
    return [] if own else expand("<study>/records/{model}/clean.parquet", model=EVALUATED)


def oracle_check(wildcards):
    """Return the check of a search's oracle, in the view of a model."""
    return f"<study>/oracles/{VIEW[wildcards.model]}/{wildcards.searched}.parquet"


def search_steps(wildcards):
    """Return the source files of a search's steps and of its generator."""
    entry = searched_test(wildcards)
    steps = {values.get("step", "sign") for values in entry["conditions"].values()}
    builder = CATALOGUE["generators"][entry["generator"]]["builder"]
    files = [f"robusteval/search/steps/{step}.py" for step in sorted(steps)]
    return code_of(*files, f"robusteval/generators/{builder}.py")


def measured_condition(wildcards):
    """Return the condition of a search that is measured: the first."""
    return next(iter(TESTS[wildcards.searched]["conditions"]))


def judges_of(wildcards):
    """Return the entry of the judges of a search; None if there are none."""
    return CATALOGUE["oracles"].get(TESTS[wildcards.searched].get("judges"))


def oracle_of(wildcards):
    """Return the entry of the oracle of a search."""
    return CATALOGUE["oracles"][searched_test(wildcards)["oracle"]]


def names_of_search(wildcards):
    """Return the ids of the generator and of the oracle of a search."""
    return {key: TESTS[wildcards.searched][key] for key in ("generator", "oracle")}


def oracle_count(wildcards):
    """Return the number of images on which an oracle is held against the models."""
    own = "images" in TESTS[wildcards.searched]
    return count(wildcards) if own else config["counts"]["clean"]


def searches(name, tests=SEARCHED):
    """Return a file of all searches of the study, or of some of its ``tests``."""
    return expand(f"<study>/searched/{{model}}/{{test}}/{name}", model=EVALUATED, test=tests)


def oracle_checks():
    """Return the checks of all oracles, in each view that an evaluated model has."""
    views = dict.fromkeys(VIEW[model] for model in EVALUATED)
    return expand("<study>/oracles/{view}/{test}.parquet", view=views, test=SEARCHED)
