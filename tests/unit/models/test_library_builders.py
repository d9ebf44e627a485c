"""Networks of timm and torchvision, and what these say about their weights."""

import importlib

import pytest
import torch

from robusteval import plugins
from robusteval.models._published import check_published, differences

COLOUR = (64, 64, 3)
LIBRARIES = {"timm": "test_resnet", "torchvision": "shufflenet_v2_x0_5"}
TIMM = {"id": "v", "size": 224, "crop_fraction": 0.875, "interpolation": "bicubic"}


def module(builder):
    return importlib.import_module(f"robusteval.models.{builder}")


def card(**changes):
    view = TIMM | {"resize": "shorter_side"}
    half = [0.5, 0.5, 0.5]
    classes = [str(i) for i in range(1000)]
    content = {"classes": classes, "input_size": [224, 224, 3], "mean": half, "std": half}
    return content | {"view": view} | changes


@pytest.mark.parametrize(("builder", "name"), LIBRARIES.items())
def test_unknown_names_and_arguments_are_named(builder, name):
    build = plugins.load("models", builder)
    with pytest.raises(ValueError, match=f"no network of {builder}; close to it are .*resnet50"):
        build(classes=2, shape=COLOUR, name="resnet_50")
    with pytest.raises(ValueError, match=f"no network of {builder}$"):
        build(classes=2, shape=COLOUR, name="0")
    with pytest.raises(ValueError, match=rf"{name}: arguments .*'colour'"):
        build(classes=2, shape=COLOUR, name=name, colour=True)


def test_a_network_of_one_size_says_so():
    build = plugins.load("models", "timm")
    with pytest.raises(ValueError, match=r"takes images of 160 x 160, not 64 x 64; add img_size:"):
        build(classes=2, shape=COLOUR, name="test_vit")
    network = build(classes=2, shape=COLOUR, name="test_vit", img_size=[64, 64]).eval()
    assert network(torch.rand(1, 3, 64, 64)).shape == (1, 2)


def test_torchvision_needs_colour_and_leaves_out_what_only_training_uses():
    build = plugins.load("models", "torchvision")
    with pytest.raises(ValueError, match="3 channels, not 1"):
        build(classes=2, shape=(64, 64, 1), name="resnet18")
    network = build(classes=2, shape=COLOUR, name="googlenet.IMAGENET1K_V1")
    assert not [name for name in network.state_dict() if name.startswith("aux")]


@pytest.mark.parametrize(("builder", "name"), LIBRARIES.items())
def test_own_weights_have_the_classes_they_have(builder, name):
    with pytest.raises(ValueError, match=rf"weights of {name} are for 1000 classes"):
        module(builder).pretrained(classes=2, shape=(160, 160, 3), name=name)


def test_weights_that_are_not_there_or_need_more_are_named():
    full = {"classes": 1000, "shape": (160, 160, 3)}
    with pytest.raises(ValueError, match="timm has no weights for test_vit_relpos"):
        module("timm").pretrained(name="test_vit_relpos", **full)
    with pytest.raises(ValueError, match=r"dinov2\.lvd142m are for 0 classes and 3 channels; 1000"):
        module("timm").pretrained(name="vit_small_patch14_dinov2.lvd142m", **full)
    with pytest.raises(ValueError, match=r"the tags of resnet50 are a1_in1k, .*tv2_in1k"):
        module("timm").pretrained(name="resnet50.v3", **full)
    with pytest.raises(ValueError, match=r"the tags of resnet50 are IMAGENET1K_V1, IMAGENET1K_V2"):
        module("torchvision").pretrained(name="resnet50.V3", **full)
    with pytest.raises(ValueError, match="transform_input: true in its arguments"):
        module("torchvision").pretrained(name="googlenet", **full)


@pytest.mark.parametrize("builder", LIBRARIES)
def test_without_a_network_one_line_says_what_to_do(builder, monkeypatch):
    def refuse(*_, **__):
        raise OSError("Name or service not known")

    monkeypatch.setattr("timm.models._builder.load_state_dict_from_hf", refuse)
    monkeypatch.setattr("timm.models._builder.load_state_dict_from_url", refuse)
    monkeypatch.setattr("torchvision.models._api.load_state_dict_from_url", refuse)
    with pytest.raises(
        ValueError, match=r"cannot be had from .*not known\): connect to the network"
    ):
        module(builder).pretrained(classes=1000, shape=(160, 160, 3), name=LIBRARIES[builder])


@pytest.mark.parametrize("builder", LIBRARIES)
def test_weights_from_the_library_come_with_their_address(builder, monkeypatch):
    name = LIBRARIES[builder]
    torch.manual_seed(0)
    build = plugins.load("models", builder)
    state = build(classes=1000, shape=(160, 160, 3), name=name).state_dict()
    give = lambda *_, **__: dict(state)  # noqa: E731
    monkeypatch.setattr("timm.models._builder.load_state_dict_from_hf", give)
    monkeypatch.setattr("torchvision.models._api.load_state_dict_from_url", give)
    network, origin = module(builder).pretrained(classes=1000, shape=(160, 160, 3), name=name)
    assert name.split("_")[0] in origin
    assert all(torch.equal(network.state_dict()[k], state[k]) for k in state)


def test_timm_describes_the_images_of_its_weights():
    published = module("timm").published(name="resnet50.a1_in1k")
    assert published == {
        "classes": 1000,
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
        "interpolation": "bicubic",
        "resize": "shorter_side",
        "geometries": [((224, 224), 0.95), ((288, 288), 1.0)],
        "licence": "apache-2.0",
    }
    assert module("timm").published(name="test_vit_relpos") is None


def test_torchvision_describes_the_images_of_its_weights():
    first, second = (
        module("torchvision").published(name=f"resnet50.IMAGENET1K_V{i}") for i in (1, 2)
    )
    assert first["geometries"] == [((224, 224), 0.875)]
    assert second["geometries"] == [((224, 224), 224 / 232)]
    assert first["interpolation"] == "bilinear" and first["std"] == [0.229, 0.224, 0.225]
    assert module("torchvision").published(name="resnet50") == second  # torchvision's own choice


def test_each_difference_is_named_with_both_values():
    published = module("timm").published(name="tf_efficientnet_lite0")
    assert differences(card(), published) == {}
    wrong = card(mean=[0.485, 0.456, 0.406], input_size=[240, 240, 3])
    wrong["view"] = wrong["view"] | {"interpolation": "bilinear"}
    with pytest.raises(ValueError) as caught:
        check_published(wrong, published, "timm")
    assert str(caught.value) == (
        "mean is [0.485, 0.456, 0.406], but [0.5, 0.5, 0.5]; size is 240 x 240, but 224 x 224; "
        "interpolation is bilinear, but bicubic according to timm; mend the entry, or, if that is "
        "meant, add to it differs: [mean, size, interpolation]"
    )
    with pytest.raises(ValueError, match=r"^size is .* differs: \[size\]$"):
        check_published(wrong, published, "timm", ["mean", "interpolation"])
    check_published(wrong, published, "timm", ["mean", "interpolation", "size"])


def test_a_crop_belongs_to_its_size_and_may_be_rounded():
    published = module("timm").published(name="resnet50.a1_in1k")
    mean = {k: published[k] for k in ("mean", "std")}

    def crop(size, fraction):
        changed = card(input_size=[size, size, 3], **mean)
        changed["view"] = changed["view"] | {"crop_fraction": fraction}
        return list(differences(changed, published))

    assert crop(224, 0.95) == crop(288, 1.0) == crop(224, 0.9502) == []
    assert crop(288, 0.95) == crop(224, 1.0) == ["crop_fraction"]


def test_stored_images_and_other_classes_are_not_the_librarys_business():
    published = module("timm").published(name="tf_efficientnet_lite0")
    stored = card(view={"id": "as_stored", "size": [224, 224]})
    assert differences(stored, published) == {}
    other = card(classes=["a", "b"], mean=[0.1, 0.2, 0.3])
    check_published(other, published, "timm")
    check_published(other, None, "timm")
