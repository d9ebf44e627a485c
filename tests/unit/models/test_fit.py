"""Tensors of a checkpoint put into a network."""

import pytest
import torch
from torch import nn

from robusteval.models._fit import put_weights


def network(classes=5, width=3):
    return nn.Sequential(nn.Conv2d(1, width, 3), nn.BatchNorm2d(width), nn.Linear(width, classes))


def checkpoint(before="", **options):
    torch.manual_seed(1)
    source = network(**options)
    source[1].running_mean.uniform_()
    return {before + name: tensor for name, tensor in source.state_dict().items()}


def put(tensors, target=None, **options):
    target = target or network()
    put_weights(target, tensors, "w.pt", classes=5, **options)
    return target.state_dict()


def same(state, before=""):
    expected = checkpoint()
    return all(torch.equal(state[k], expected[k]) for k in expected if "num_batches" not in k)


@pytest.mark.parametrize(
    "before",
    ["", "module.", "model.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module.model."],
)
def test_what_wrappers_put_before_all_names_is_dropped(before):
    assert same(put(checkpoint(before)))


def test_a_prefix_that_the_network_has_itself_is_kept():
    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = network()

    for before in ("model.", "module.model."):
        state = put(checkpoint(before), Holder())
        assert same({name.removeprefix("model."): tensor for name, tensor in state.items()})


def test_a_prefix_chooses_among_the_tensors():
    tensors = {**checkpoint("student."), "teacher.0.weight": torch.ones(1), "n_averaged": 0}
    assert same(put(tensors, prefix="student."))
    with pytest.raises(ValueError, match=r"w\.pt: prefix 'net\.': no name"):
        put(tensors, prefix="net.")


def test_half_precision_is_loaded_into_float32():
    half = {name: tensor.half() for name, tensor in checkpoint().items()}
    state = put(half)
    assert state["0.weight"].dtype == torch.float32
    assert torch.equal(state["0.weight"], half["0.weight"].float())


def test_counters_of_batches_may_be_missing():
    tensors = checkpoint()
    del tensors["1.num_batches_tracked"]
    assert same(put(tensors)) and same(put(tensors, match="order"))


def test_missing_and_left_over_tensors_are_listed_unless_ignored():
    tensors = checkpoint() | {f"aux.{i}": torch.ones(1) for i in range(5)}
    del tensors["2.bias"]
    with pytest.raises(ValueError) as caught:
        put(tensors)
    assert str(caught.value) == (
        "w.pt: missing are 2.bias; left over are aux.0, aux.1, aux.2 and 2 more; if that is right, "
        "say so, as in weights: {ignore: [2.bias]}"
    )
    with pytest.raises(ValueError, match=r"missing are 2\.bias; left over are none"):
        put(tensors, ignore=["aux.*"])
    assert torch.equal(put(tensors, ignore=["aux.*", "2.bias"])["2.weight"], tensors["2.weight"])
    with pytest.raises(ValueError, match=r"missing are none; left over are aux\.0"):
        put(checkpoint() | {"aux.0": torch.ones(1)})


def test_a_shared_tensor_may_be_saved_under_one_name():
    target = network()
    target.append(nn.Linear(3, 5))
    target[3].weight = target[2].weight
    state = put(checkpoint() | {"3.bias": torch.ones(5)}, target)
    assert torch.equal(state["3.weight"], checkpoint()["2.weight"])


def test_another_number_of_classes_is_named():
    with pytest.raises(ValueError, match=r"w\.pt: has 7 classes \(2\.weight\), 5 expected"):
        put(checkpoint(classes=7))


def test_another_width_and_another_architecture_are_named():
    with pytest.raises(
        ValueError, match=r"0\.weight is 4 x 1 x 3 x 3, 3 x 1 x 3 x 3 expected, and"
    ):
        put(checkpoint(width=4))
    other = {f"stem.{name}": tensor for name, tensor in checkpoint().items()}
    with pytest.raises(ValueError, match=r"0 of the network's 8 tensors are there: another arch"):
        put(other)


def test_in_order_names_do_not_matter_but_shapes_and_kinds_do():
    tensors = {
        f"stem{n}.{k.rpartition('.')[2]}": v for n, (k, v) in enumerate(checkpoint().items())
    }
    assert same(put(tensors, match="order"))
    with pytest.raises(ValueError, match="7 tensors, 8 expected"):
        put(dict(list(tensors.items())[1:]), match="order")
    swapped = {k: tensors[k] for k in ["stem0.weight", "stem1.bias", "stem3.bias", "stem2.weight"]}
    swapped |= {k: tensors[k] for k in tensors if k not in swapped}
    with pytest.raises(ValueError, match=r"in order, stem3\.bias 3 would go to 1\.weight 3"):
        put(swapped, match="order")
    with pytest.raises(
        ValueError, match=r"stem0\.weight 4 x 1 x 3 x 3 would go to 0\.weight 3 x 1"
    ):
        put(
            {"stem0.weight": torch.ones(4, 1, 3, 3)} | dict(list(tensors.items())[1:]),
            match="order",
        )
    with pytest.raises(ValueError, match="match 'shape': name or order expected"):
        put(tensors, match="shape")
