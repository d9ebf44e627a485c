"""Real ImageNet models of three input sizes on real photographs, from packages to report."""

import pandas as pd
import pytest

from robusteval.files import read_json

SIZES = {"efficientnet_lite0": 224, "efficientnet_lite1": 240, "efficientnet_lite2": 260}


@pytest.fixture(scope="module")
def lite(fresh):
    fresh.run(study="imagenet_lite")
    return fresh.folder / "results"


def table(lite, name):
    return pd.read_csv(lite / f"imagenet_lite/tables/{name}.csv")


def test_each_model_knows_eighteen_of_the_twenty_photographs(lite):
    clean = table(lite, "accuracy").query("test == 'clean'").set_index("model")
    assert (clean["n"] == 20).all() and (clean["classes"] == 1000).all()
    # What the packages' weights give with timm's own transform for each model.
    assert clean["accuracy_pct_higher_better"].to_dict() == dict.fromkeys(SIZES, 90.0)


def test_images_are_in_the_view_of_each_model(lite):
    for model, size in SIZES.items():
        card = read_json(lite / f"models/{model}/card.json")
        assert card["input_size"] == [size, size, 3]
        images = read_json(lite / f"images/foolbox_photographs/bicubic_{size}/card.json")
        assert images["shape"] == [20, size, size, 3]
        fog = lite / f"imagenet_lite/images/bicubic_{size}/imagenet_c/fog/card.json"
        assert read_json(fog)["shape"][1:] == [size, size, 3]


def test_no_check_finds_a_model_wrong(lite):
    checks = table(lite, "checks")
    assert (checks["verdict"] == "ok").all(), checks[checks["verdict"] != "ok"].to_string()
    assert len(checks) == 9 * len(SIZES)


def test_adversarial_images_are_resized_between_sizes(lite):
    transfer = table(lite, "transfer")
    assert (transfer["status"] == "ok").all()
    resized = transfer.groupby(["source", "target"])["resized"].first()
    assert resized["efficientnet_lite0", "efficientnet_lite0"] == "no"
    assert resized["efficientnet_lite0", "efficientnet_lite2"].startswith("224 x 224 to 260 x 260")


def test_the_white_box_attack_is_the_strongest_of_its_row(lite):
    transfer = table(lite, "transfer").query(
        "condition == 'linf 4/255' and attack == 'ifgsm_short'"
    )
    transfer = transfer[transfer["population"] == "source right before"]
    rate = transfer.set_index(["source", "target"])["rate_pct_higher_transfers_more"]
    for model in SIZES:
        assert rate[model, model] == rate[model].max() == 100
    attacks = table(lite, "attacks")
    assert (attacks["lost_on_reload"] == 0).all() and (attacks["n"] == 20).all()
    random = attacks[attacks["goal"] == "random"]
    assert set(random["model"]) == set(SIZES) and (random["attack"] == "ifgsm_short").all()


def test_corruption_errors_stand_beside_the_published_alexnet(lite):
    mean = table(lite, "mean_corruption_error").set_index(["model", "part"])
    assert len(mean) == 2 * len(SIZES)
    fifteen = mean.xs("fifteen", level="part")
    assert (fifteen["corruptions"] == 15).all() and (fifteen["corruptions_in_mce"] == 15).all()
    assert (mean.xs("extra", level="part")["corruptions"] == 4).all()
    assert (fifteen["baseline"] == "alexnet_imagenet_c").all()
    assert fifteen["mce_pct_lower_better"].between(1, 150).all()


def test_textures_and_recipes_are_unknown(lite):
    detection = table(lite, "detection")
    assert set(detection["unknown"]) == {
        "textures", "uniform_noise", "blobs", "permuted_pixels", "phase_scrambled",
    }  # fmt: skip
    assert (detection["status"] == "ok").all()


def test_again_there_is_nothing_to_be_done(lite, fresh):
    assert "Nothing to be done" in fresh.run(study="imagenet_lite")
