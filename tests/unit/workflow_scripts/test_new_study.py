"""A study out of a model's name and a folder."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from robusteval.plugins import names
from workflow_scripts._cell_path import cell_path
from workflow_scripts._commands import main
from workflow_scripts._new_study import new_study
from workflow_scripts._schema import StudyError, load_yaml

ROOT = Path(__file__).parents[3]
LITE = "tf_efficientnet_lite0"


@pytest.fixture
def config(tmp_path):
    """A copy of the folder of studies, beside the library that its catalogue names."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "robusteval").symlink_to(ROOT / "robusteval")
    return tmp_path / "config"


@pytest.fixture
def pictures(tmp_path):
    """Write small pictures into folders, two each."""

    def write(*names):
        for name in names:
            for i in range(2):
                path = tmp_path / "pictures" / name / f"{i}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(np.full((8, 8, 3), 100 + i, np.uint8)).save(path)
        return tmp_path / "pictures"

    return write


def test_a_study_of_a_timm_model_and_folders_of_wnids(config, pictures):
    folder = pictures("n01440764", "n02119022")
    said = new_study("mine", LITE, folder, tests=["clean", "fgsm_small"], config=config)
    assert "snakemake --cores all --configfile" in said
    study = load_yaml(config / "mine.yaml")
    assert study["counts"] == {"clean": 4, "adversarial": 4}
    assert study["dar"]["averaging"] == "kinds"
    assert study["scores"][0] == "max_softmax" and set(study["scores"]) == set(names("scores"))
    images, model = (study["catalogue"][part][f"{what}_of_mine"] for part, what in (
        ("images", "images"), ("models", "model")
    ))  # fmt: skip
    assert images["layout"] == "wnid_folders" and images["classes"] == "imagenet_1k"
    assert model["arguments"] == {"name": LITE} and model["weights"] == {"hub": True}
    assert model["mean"] == [0.5, 0.5, 0.5]
    view = study["catalogue"]["views"]["view_of_mine"]
    assert view["size"] == 224 and view["crop_fraction"] == 0.875
    path = cell_path(config / "mine.yaml", "model_of_mine", "fgsm_small", config)
    assert path == "results/mine/adversarial/model_of_mine/fgsm_small/records.parquet"


def test_a_set_with_fewer_images_does_not_cap_the_others(config, pictures):
    folder = pictures(*(f"n{i:08}" for i in range(8)))
    checkpoint = config / "m.pth"
    checkpoint.write_bytes(b"")
    tests = ["clean", "textures", "unrecognisable"]  # there are 12 textures
    new_study("mine", LITE, folder, checkpoint=checkpoint, tests=tests, config=config)
    counts = load_yaml(config / "mine.yaml")["counts"]
    assert counts == {"clean": 16, "novel": 16, "unrecognisable": 16, "textures": 12}


def test_classes_of_ones_own_want_a_checkpoint(config, pictures):
    folder = pictures("dog2", "dog10")
    with pytest.raises(ValueError, match="2 classes, but timm's weights of this model tell 1000"):
        new_study("mine", LITE, folder, tests=["clean"], config=config)
    with pytest.raises(ValueError, match=r"--checkpoint .*m\.pth: no such file"):
        new_study("mine", LITE, folder, checkpoint=config / "m.pth", tests=["clean"], config=config)
    (config / "m.pth").write_bytes(b"")
    said = new_study(
        "mine", LITE, folder, checkpoint=config / "m.pth", tests=["clean"], config=config
    )
    assert "natural order" in said
    model = load_yaml(config / "mine.yaml")["catalogue"]["models"]["model_of_mine"]
    assert model["classes"] == ["dog2", "dog10"]  # in natural order
    assert model["weights"] == {"file": str(config / "m.pth")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"timm_name": "resnet5o"}, "timm has no model 'resnet5o'; close are"),
        ({"folder": "nowhere"}, "not a folder"),
        ({"name": "demo"}, "demo.yaml exists; choose another name"),
        ({"name": "My Study"}, "an id of lower-case letters"),
        ({"tests": ["clean", "foggy"]}, "unknown id 'foggy'"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_no_file(config, pictures, changes, message):
    options = {"name": "mine", "timm_name": LITE, "folder": pictures("n01440764")} | changes
    options = {**options, "folder": Path(options["folder"])}
    before = sorted(config.iterdir())
    with pytest.raises((ValueError, StudyError)) as error:
        new_study(**{"tests": ["clean"], **options}, config=config)
    assert message in str(error.value) and "\n" not in str(error.value)
    assert sorted(config.iterdir()) == before


def test_the_command_says_what_is_wrong_in_one_line(capsys):
    assert main(["path", str(ROOT / "config/tiny.yaml"), "cnn_tiny", "fog"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and "unknown id 'fog'" in error and error.count("\n") == 1


def test_the_command_prints_the_path_of_a_cell(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main(["path", "config/tiny.yaml", "cnn_tiny", "mnist_c"]) == 0
    assert capsys.readouterr().out == "results/tiny/records/cnn_tiny/mnist_c.parquet\n"


def test_every_kind_of_cell_lies_where_its_rule_writes_it():
    folder = ROOT / "config"
    demo = folder / "demo.yaml"
    for test, place in {
        "pgd_linf": "adversarial/vit/pgd_linf/records",
        "ebd_short": "probes/vit/ebd_short",
        "mnist_c": "records/vit/mnist_c",
        "searched_short": "searched/vit/searched_short/records",
    }.items():
        assert cell_path(demo, "vit", test, folder) == f"results/demo/{place}.parquet"
    with pytest.raises(StudyError, match="searched_models: unknown id 'cnn'"):
        cell_path(demo, "cnn", "searched_short", folder)
