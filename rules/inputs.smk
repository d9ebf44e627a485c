"""What rules ask for: input and parameter functions, marks for the report.

INPUTS: what common.smk knows of the study
OUTPUTS: functions of wildcards
"""


def value_of(path, within, default=KeyError):
    """Return what stands at a ``path`` of keys, or the ``default`` if there is one.

    With wildcards in the path it is an input function. Snakemake's own `lookup` goes through all of a
    mapping for each job, which took a third of a large dry run.
    """

    def found(wildcards):
        place = within
        for key in path.format(**wildcards).split("/"):
            if key not in place and default is not KeyError:
                return default
            place = place[key]
        return place

    return found if "{" in path else found({})


def growing(amount):
    """Return a resource that a retried job gets more of: ``amount``, then twice, then thrice that."""

    def of_attempt(wildcards, attempt):
        return amount * attempt

    return of_attempt


def code(package, item):
    """Return an input function: the source files of an item of ``robusteval/<package>``.

    ``item`` is its name, with wildcards, or a `value_of` that finds it.
    """

    def files(wildcards):
        name = item(wildcards) if callable(item) else item.format(**wildcards)
        return code_of(f"robusteval/{package}/{name}.py")

    return files


def model_code(wildcards):
    """Return the source files of a model: its builder's, its defence's, and the user's own."""
    entry = CATALOGUE["models"][wildcards.model]
    own = own_code(str(entry["arguments"].get("function", "")))
    files = [f"robusteval/models/{entry['builder']}.py"]
    if "defence" in entry:
        files.append(f"robusteval/transformations/{entry['defence']['transformation']}.py")
    return [*code_of(*files), *own]


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
    keys = [key for key in ("test", "attack", "searched") if key in wildcards.keys()]
    return count_of(wildcards[keys[0]], config, CATALOGUE)


def own_counts(wildcards):
    """Return the numbers of images of those sets of a test that do not have the test's own."""
    sets = TESTS[wildcards.test]["sets"] if TESTS[wildcards.test]["kind"] in OF_SETS else []
    numbers = {name: count_of_set(name, wildcards.test, config, CATALOGUE) for name in sets}
    return {name: n for name, n in numbers.items() if n != count(wildcards)}


def novel_count(wildcards):
    """Return the number of images of a novel set."""
    return count_of_set(wildcards.novel, wildcards.test, config, CATALOGUE)


def fitted_on(wildcards):
    """Return the card of the training images that a model's scores of features are fitted on."""
    if "training" in CATALOGUE["models"][wildcards.model]:
        return training_images(wildcards)
    return f"results/images/{config['features']['images']}/{VIEW[wildcards.model]}/card.json"


def profiled_images(wildcards):
    """Return the card of the images that a model's neurons are profiled on, in its view."""
    name, _, _ = profile_of(wildcards.model, config, CATALOGUE)
    return f"results/images/{name}/{VIEW[wildcards.model]}/card.json"


def profile_count(wildcards):
    """Return how many images a model's neurons are profiled on; None for all of the set."""
    return profile_of(wildcards.model, config, CATALOGUE)[1]


def profile_seed(wildcards):
    """Return the seed that draws them: that of the model's training images, if it has them."""
    return profile_of(wildcards.model, config, CATALOGUE)[2]


def covered_sets(wildcards):
    """Return the cards of all stored image sets of the study but the clean one, test by test."""
    return [card for test in COVERED for card in sets_in(VIEW[wildcards.model], test)]


def records_of(*kinds):
    """Return the records of all cells of these kinds, in the order of the study."""
    return expand("<study>/records/{model}/{test}.parquet", model=MODELS, test=tests_of(*kinds))


def transfers():
    """Return the lists of the transfer records of all target models; none without attacks."""
    return expand("<study>/transfer/{model}.list", model=MODELS if ATTACKS else [])


def adversarials():
    """Return the lists of the cards of all adversarial sets; none without attacks."""
    return expand("<study>/adversarial/{model}.list", model=MODELS if ATTACKS else [])


def shared():
    """Return what the study needs of what studies share: models, images, generators, raw files."""
    views = dict.fromkeys(VIEW[model] for model in MODELS)
    models = dict.fromkeys([*MODELS, *oracle_models(config, CATALOGUE)])
    generators = generators_of(config, CATALOGUE)
    # Training images in a view are no part of a model that is there already.
    looks = [profiled_images] if FRAMEWORK else []
    looks += [fitted_on] if OF_FEATURES else []
    named = dict.fromkeys([config["images"], *NOVEL, *sets_of("shifted")])
    sets = [name for name in named if name not in RECIPES]
    return [
        *expand("results/models/{model}/card.json", model=models),
        *expand("results/images/{images}/{view}/card.json", images=sets, view=views),
        *dict.fromkeys(look(SimpleNamespace(model=model)) for look in looks for model in MODELS),
        *searched_from(),
        *expand("results/generators/{generator}/card.json", generator=generators),
        *(f"results/images/raw/{n}.json" for n in dict.fromkeys([*CORRUPT, *NOVEL]) if n in PINS),
    ]
