"""A mistake in a study is one line that names file, key and what is allowed."""

import copy
from pathlib import Path

import pytest
import yaml

from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._counts import count_of_set
from workflow_scripts._schema import StudyError, load_yaml
from workflow_scripts._study import check_study, image_sets_of

CONFIG = Path(__file__).parents[3] / "config"
STUDIES = sorted(p for p in CONFIG.glob("*.yaml") if p.stem != "schema")
STUDIES += sorted(CONFIG.glob("paper/*.yaml"))


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CONFIG)


@pytest.mark.parametrize("path", STUDIES, ids=lambda p: p.stem)
def test_every_study_is_valid_on_its_own(path):
    check_study(load_yaml(path), CONFIG, [str(path)])


MISTAKES = {
    "unknown key": ({"epsilon": 1}, "unknown key 'epsilon'; allowed are study, seed, images"),
    "wrong type": ({"seed": "one"}, "seed: 'one': integer expected"),
    "empty list": ({"models": []}, "models: empty; at least one expected"),
    "unknown model": ({"models": ["cnn", "resnet"]}, "models: unknown id 'resnet'; allowed are cnn,"),
    "unknown test": ({"tests": ["clean", "fog"]}, "tests: unknown id 'fog'; allowed are clean,"),
    "unknown images": ({"images": "mnist"}, "images: unknown id 'mnist'; allowed are fashion_mnist"),
    "duplicate model": ({"models": ["cnn", "cnn"]}, "models: 'cnn' is given twice"),
    "duplicate test": ({"tests": ["clean", "clean"]}, "tests: 'clean' is given twice"),
    "bad id": ({"study": "My Study"}, "study: 'My Study': an id of lower-case letters"),
    "too many": ({"counts.clean": 20000}, "counts: clean: 20000 images asked, 10000 exist"),
    "too many novel": ({"counts.novel": 1798}, "counts: novel: 1798 images asked, 1797 exist"),
    "none": ({"counts.clean": 0}, "counts.clean: 0: at least 1 expected"),
    "more than clean": ({"counts.clean": 400}, "counts: corrupt: 1000 images asked; at most the 400"),
    "unknown kind": ({"counts.foggy": 1}, "counts: unknown id 'foggy'; allowed are clean, corrupt"),
    "own count of no attack": ({"counts.novel_digits": 1}, "unknown id 'novel_digits'"),
    "own count above clean": (
        {"counts.fgsm": 10001}, "counts: fgsm: 10001 images asked, 10000 exist",
    ),
    "missing": ({"counts.novel": None}, "counts: novel is missing; the test novel needs it"),
    "baseline": ({"baseline": "cnn_tiny"}, "baseline: unknown id 'cnn_tiny'; allowed are cnn, cnn_mix"),
    "no clean": ({"tests": ["fgsm"]}, "tests: clean is missing"),
    "choice": ({"dar.mask": "some"}, "dar.mask: 'some': one of correct, all expected"),
    "averaging": ({"dar.averaging": "all"}, "dar.averaging: 'all': one of kinds, sets, images expe"),
    "own count of a set": ({"counts.digits": 1798}, "counts: digits: 1798 images asked, 1797 exist"),
    "no training images": ({"features": None}, "features is missing; knn is fitted on training"),
    "too many training": (
        {"features.count": 12001}, "features.count: cnn: 12001 images asked, 12000 exist",
    ),
    "setting": (
        {"features.settings": {"knn": {"n": 1}}},
        "features.settings.knn: unknown parameter 'n'; allowed are k",
    ),
    "setting of no score": ({"features.settings": {"odin": {}}}, "unknown id 'odin'; allowed are ash"),
    "no score": ({"scores": []}, "scores: empty; at least one expected"),
    "rate": ({"dar.target_rate": 1.5}, "dar.target_rate: 1.5: at most 1 expected"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(mistake):
    changes, message = MISTAKES[mistake]
    study = load_yaml(CONFIG / "demo.yaml")
    for key, value in changes.items():
        *path, last = key.split(".")
        where = study
        for part in path:
            where = where[part]
        if value is None:
            del where[last]
        else:
            where[last] = value
    with pytest.raises(StudyError) as error:
        check_study(study, CONFIG, [])
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_novel_or_shifted_set_may_have_a_number_of_its_own():
    study = load_yaml(CONFIG / "imagenet.yaml")
    study["counts"] |= {"shifted": 5000, "imagenet_r": 30000, "imagenet_o": 100}
    del study["counts"]["imagenet_v2"]
    catalogue = check_study(study, CONFIG, [])
    counts = [
        count_of_set(images, test, study, catalogue)
        for test in ("imagenet_shifted", "imagenet_novel")
        for images in catalogue["tests"][test]["sets"]
    ]
    assert counts == [5000, 5000, 30000, 100]
    study["counts"]["imagenet_shifted"] = 7000  # of the test, between its kind and its sets
    assert count_of_set("imagenet_a", "imagenet_shifted", study, catalogue) == 7000


PHOTOGRAPHS = {"layout": "csv", "options": {"table": "t.csv"}, "classes": ["cat", "dog"]}
RESNET = {
    "builder": "timm",
    "arguments": {"name": "resnet18"},
    "weights": {"file": __file__},
    "classes": ["cat", "dog"],
    "view": "bicubic_224",
    "mean": [0.5, 0.5, 0.5],
    "std": [0.5, 0.5, 0.5],
}


def own_study(**changes):
    """Return a study of one's own images and model, with ``changes`` by dotted key."""
    study = {
        "study": "own",
        "seed": 1,
        "images": "photographs",
        "folders": {"photographs": "pictures"},
        "models": ["resnet"],
        "baseline": "resnet",
        "tests": ["clean"],
        "counts": {"clean": 10},
        "dar": load_yaml(CONFIG / "demo.yaml")["dar"],
        "catalogue": {"images": {"photographs": PHOTOGRAPHS}, "models": {"resnet": RESNET}},
    }
    return copy.deepcopy(study) | changes


def test_a_study_has_entries_of_its_own():
    catalogue = check_study(own_study(), CONFIG, [])
    assert catalogue["models"]["resnet"] == RESNET
    assert catalogue["images"]["photographs"] == PHOTOGRAPHS
    assert "cnn" in catalogue["models"]


FEATURES = {
    "no images": ({}, {"count": 5}, "features: images is missing; vim is fitted on training images of resnet"),
    "unknown": ({}, {"count": 5, "images": "imagenet"}, "features.images: unknown id 'imagenet'"),
    "classes": ({}, {"count": 5, "images": "cifar10_train"}, "classes of resnet are not those of cifar10_tr"),
    "program": (
        {"builder": "torchscript", "arguments": {}}, {"count": 5},
        "vim needs features, which resnet does not give, as a model of the builder torchscript",
    ),
    "folder": ({}, {"count": 5, "images": "others"}, "folders: others is missing"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", FEATURES)
def test_a_mistake_about_features_is_one_line(mistake):
    changes, features, message = FEATURES[mistake]
    study = own_study(scores=["vim"], features=features, trust=True)
    study["catalogue"]["models"]["resnet"] |= changes
    study["catalogue"]["images"]["others"] = PHOTOGRAPHS
    with pytest.raises(StudyError) as error:
        check_study(study, CONFIG, [])
    assert message in str(error.value) and "\n" not in str(error.value)


def test_models_from_elsewhere_have_features_of_images_that_the_study_names():
    study = own_study(scores=["vim"], features={"count": 5, "images": "photographs"})
    assert image_sets_of(study, check_study(study, CONFIG, [])) == ["photographs"]


OWN = {
    "kind": (
        {"tests": {"adversarial": {"kind": "novel", "sets": ["digits"]}}},
        "catalogue.tests: adversarial: a kind of tests, for which `counts` has a number by this",
    ),
    "taken": ({"models": {"cnn": RESNET}}, "catalogue.models: cnn: an entry of this id exists in"),
    "view": ({"models": {"resnet": RESNET | {"view": "square"}}}, "resnet.view: unknown id 'square'; allowed"),
    "half": ({"views": {"square": {"size": 9}}}, "catalogue.views: square: key 'crop_fraction' is missing"),
    "classes": ({"models": {"resnet": RESNET | {"classes": ["cat"]}}}, "classes of resnet are not those of"),
    "layout": ({"images": {"photographs": PHOTOGRAPHS | {"layout": "zip"}}}, "unknown id 'zip'; allowed are"),
    "list": ({"images": {"photographs": PHOTOGRAPHS | {"classes": "imagenet"}}}, "unknown id 'imagenet'; allowed"),
    "levels": ({"models": {"resnet": RESNET | {"mean": [124.0, 116.0, 104.0]}}}, "resnet: mean."),
    "one std": ({"models": {"resnet": RESNET | {"std": [0.5]}}}, "resnet.std: as many values as in mean"),
    "neither": ({"models": {"resnet": {"builder": "timm", "arguments": {"name": "x"}}}}, "resnet: exactly one of these"),
    "two weights": ({"models": {"resnet": RESNET | {"weights": {"hub": True, "file": "x"}}}}, "exactly one of these"),
    "no relation": ({"models": {"resnet": RESNET | {"stands_for": "vgg_16"}}}, "resnet: key 'relation' is missing"),
    "relation": ({"models": {"resnet": RESNET | {"stands_for": "x", "relation": "like"}}}, "exact, near, substitute"),
    "no hash": ({"models": {"resnet": RESNET | {"weights": {"url": "https://x"}}}}, "exactly one of these expected: hub"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", OWN)
def test_a_mistake_in_an_entry_of_ones_own_is_one_line(mistake):
    changes, message = OWN[mistake]
    study = own_study()
    for part, entries in changes.items():
        study["catalogue"][part] = study["catalogue"].get(part, {}) | entries
    with pytest.raises(StudyError) as error:
        check_study(study, CONFIG, [])
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_weights_that_are_not_there():
    study = own_study()
    study["catalogue"]["models"]["resnet"]["weights"] = {"file": "mine.pth"}
    with pytest.raises(StudyError, match=r"resnet\.weights\.file: mine\.pth: no such file here"):
        check_study(study, CONFIG, [])


def test_a_list_of_images_that_is_not_there():
    study = own_study()
    entry = study["catalogue"]["images"]["photographs"]
    entry["only"] = "mine.txt"
    with pytest.raises(StudyError, match=r"photographs\.only: mine\.txt: no such file here"):
        check_study(study, CONFIG, [])
    del entry["layout"]
    entry["novel"], entry["count"] = "digits", 10
    with pytest.raises(StudyError, match=r"photographs: .*layout"):
        check_study(study, CONFIG, [])


def test_a_folder_that_is_not_named():
    study = own_study()
    del study["folders"]
    with pytest.raises(StudyError, match="folders: photographs is missing; say where"):
        check_study(study, CONFIG, [])


def test_a_view_that_stored_arrays_cannot_give():
    fashion = load_yaml(CONFIG / "catalogue/images.yaml")["fashion_mnist_test"]["classes"]
    model = RESNET | {"classes": fashion}
    study = own_study(images="fashion_mnist_test", catalogue={"models": {"resnet": model}})
    with pytest.raises(StudyError, match="those of fashion_mnist_test exist as_stored only"):
        check_study(study, CONFIG, [])


def test_no_study_at_all():
    with pytest.raises(StudyError, match="no study: name one with --configfile"):
        check_study({}, CONFIG, [])


def test_a_key_given_twice(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seed: 1\nseed: 2\n")
    with pytest.raises(StudyError, match=r"mine\.yaml: seed: given twice"):
        load_yaml(path)


def test_a_file_that_is_not_yaml(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("models: [cnn\n")
    with pytest.raises(StudyError, match=r"mine\.yaml: not YAML") as error:
        load_yaml(path)
    assert "\n" not in str(error.value)


ENTRIES = {
    "models": ("cnn.builder", "rnn", "models.yaml: cnn.builder: unknown id 'rnn'; allowed are cnn, function, timm"),
    "method": ("cnn.training.method", "magic", "models.yaml: cnn.method: unknown id 'magic'; allowed are"),
    "count": ("cnn.training.count", 10**6, "models.yaml: cnn.count: 1000000 images asked, 60000 exist"),
    "attack": ("fgsm.attack", "fsgm", "tests.yaml: fgsm.attack: unknown id 'fsgm'; allowed are autoattack, boundary, confident"),
    "sets": ("imagenet_c.sets", ["shear"], "tests.yaml: imagenet_c.sets: unknown id 'shear'; allowed are gaussian_noise"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", ENTRIES)
def test_a_mistake_in_the_catalogue_is_one_line(mistake, tmp_path, catalogue):
    key, value, message = ENTRIES[mistake]
    changed = {part: load_yaml(CONFIG / "catalogue" / f"{part}.yaml") for part in catalogue}
    name = message.split(".yaml")[0]
    where = changed[name]
    *path, last = key.split(".")
    for part in path:
        where = where[part]
    where[last] = value
    config = tmp_path / "config"
    (config / "catalogue").mkdir(parents=True)
    (config / "schema.yaml").write_text((CONFIG / "schema.yaml").read_text())
    (tmp_path / "robusteval").symlink_to(CONFIG.parent / "robusteval")
    for name, content in changed.items():
        (config / "catalogue" / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(StudyError) as error:
        load_catalogue(config)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


JPEG = {"transformation": "jpeg", "gradient": "around"}
WRAPPERS = {
    "of_nothing": ({"wraps": "rnn", "defence": JPEG}, "mine.wraps: unknown id 'rnn'; allowed are cnn"),
    "of_a_wrapper": ({"wraps": "cnn_jpeg", "defence": JPEG}, "mine.wraps: cnn_jpeg wraps cnn itself; name that model"),
    "own_builder": ({"wraps": "cnn", "defence": JPEG, "builder": "vit"}, "mine.builder: that of cnn; leave it out"),
    "no_defence": ({"wraps": "cnn"}, "mine: key 'defence' is missing"),
    "no_model": ({"builder": "cnn", "arguments": {}, "defence": JPEG}, "mine: "),
    "transformation": ({"wraps": "cnn", "defence": {**JPEG, "transformation": "gif"}}, "mine.transformation: unknown id 'gif'; allowed are jpeg, resize_pad"),
    "argument": ({"wraps": "cnn", "defence": {**JPEG, "arguments": {"size": 3}}}, "mine.defence.arguments: unknown parameter 'size'; allowed are quality"),
    "gradient": ({"wraps": "cnn", "defence": {**JPEG, "gradient": "none"}}, "mine: defence.gradient: 'none': one of through, around expected"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRAPPERS)
def test_a_mistake_in_a_wrapped_model_is_one_line(mistake):
    entry, message = WRAPPERS[mistake]
    with pytest.raises(StudyError) as error:
        load_catalogue(CONFIG, {"models": {"mine": entry}}, "mine.yaml")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_wrapped_model_is_that_of_another_but_for_its_own_keys():
    entry = {"wraps": "resnet50", "defence": JPEG, "cite": "me"}
    models = load_catalogue(CONFIG, {"models": {"mine": entry}}, "mine.yaml")["models"]
    base = models["resnet50"]
    assert models["mine"] == {k: v for k, v in base.items() if k != "published_accuracy"} | entry
    assert "published_accuracy" in base


TAUGHT = {
    "test": ({"test": "fgsm"}, "mine.searched.test: unknown id 'fgsm'; allowed are searched_short"),
    "test images": (
        {"test": "searched_fashion"},
        "mine.searched.test: searched_fashion starts from the images that a study tests models on; "
        "a search with images: fashion_mnist_train, which mine is trained on, expected",
    ),
    "other images": ({"test": "fmr_mnist_choice"}, "fmr_mnist_choice starts from mnist_train; a"),
    "condition": ({"condition": "step 7"}, "mine.searched.condition: unknown id 'step 7'; allowed"),
    "no oracle": (
        {"test": "own", "condition": "free"}, "mine.searched.condition: free asks no oracle whether",
    ),
    "count": ({"count": 12001}, "mine.searched.count: 12001 images asked, 12000 exist"),
    "against": ({"against": "rnn"}, "mine.searched.against: unknown id 'rnn'"),
    "judge": (
        {"against": "oracle_cnn"},
        "mine.searched.against: oracle_cnn is a member of the oracle fashion_zoo of",
    ),
    "itself": ({"against": "mine"}, "mine.searched: mine: a model without sources or searched"),
    "taught": ({"against": "oriented_searched_2"}, "mine.searched: oriented_searched_2: a model with"),
    "attacked": ({"against": "cnn_eat"}, "mine.searched: cnn_eat: a model without sources or sear"),
    "key": ({"conditions": []}, "unknown key 'conditions'; allowed are test, condition, against"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", TAUGHT)
def test_a_mistake_in_searched_training_images_is_one_line(catalogue, mistake):
    change, message = TAUGHT[mistake]
    training = copy.deepcopy(catalogue["models"]["oriented_searched_1"]["training"])
    training["searched"] |= change
    search = copy.deepcopy(catalogue["tests"]["searched_fashion_choice"])
    search["conditions"] = {"free": {"step_size": 0.1, "oracle": False}}
    mine = {"builder": "cnn", "arguments": {}, "training": training}
    with pytest.raises(StudyError) as error:
        load_catalogue(CONFIG, {"models": {"mine": mine}, "tests": {"own": search}}, "mine.yaml")
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": ["rnn"]}, "mine.sources: unknown id 'rnn'"),
        (
            {"sources": ["cnn_eat"]},
            "mine.sources: cnn_eat: a model that is trained on fashion_mnist_train",
        ),
        ({"sources": ["resnet50"]}, "mine.sources: resnet50: a model that is trained on"),
        (
            {"method": "standard", "method_arguments": {}, "sources": ["cnn"]},
            "mine.sources: standard attacks none",
        ),
        ({"sources": None}, "mine.sources: missing, as ensemble attacks other models"),
    ],
)
def test_a_mistake_in_the_models_that_a_method_attacks(catalogue, change, message):
    training = catalogue["models"]["cnn_eat"]["training"] | change
    training = {key: value for key, value in training.items() if value is not None}
    entry = {"builder": "cnn", "arguments": {}, "training": training}
    with pytest.raises(StudyError) as error:
        load_catalogue(CONFIG, {"models": {"mine": entry}}, "mine.yaml")
    assert message in str(error.value)
