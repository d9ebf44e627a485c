import numpy as np
import pytest

from robusteval.checks.label_order import _assignment, label_order, named_orders

STRINGS = [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]  # the numbers 0 to 11, sorted as strings


@pytest.fixture
def found(saying):
    """Check a model that is right about ``share`` of n images whose labels ``change`` turned."""

    def check(change, *, classes=12, n=96, share=0.8, seed=0):
        draw = np.random.default_rng(seed)
        label = draw.integers(classes, size=n)
        said = np.where(draw.random(n) < share, label, draw.integers(classes, size=n))
        return label_order(saying(np.eye(classes)[said], change(label)))

    return check


def test_labels_in_the_models_order(found):
    finding = found(lambda y: y)
    assert finding.verdict == "ok"
    assert "and no other order is clearly better" in finding.found


def test_folders_sorted_as_strings_both_ways():
    orders = named_orders(np.arange(12), 12)
    # Folder 10 is at position 2, folder 2 at 4.
    positions = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3]
    assert orders["labels of folders sorted as strings"].tolist() == positions
    assert orders["a model whose classes are sorted as strings"].tolist() == STRINGS


def test_up_to_ten_classes_strings_sort_as_numbers():
    assert len(named_orders(np.arange(10), 10)) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda y: np.minimum(y + 1, 11), "labels one above the model's"),
        (lambda y: np.maximum(y - 1, 0), "labels one below the model's"),
        (lambda y: 11 - y, "the classes in reverse order"),
        (lambda y: np.argsort(STRINGS)[y], "labels of folders sorted as strings"),
        (lambda y: np.array(STRINGS)[y], "a model whose classes are sorted as strings"),
    ],
)
def test_an_order_with_a_name(found, change, said):
    finding = found(change)
    assert finding.verdict == "wrong"
    assert f"would be with {said}." in finding.found


def test_an_order_without_a_name_is_found_by_assignment(found):
    order = np.array([3, 7, 0, 9, 11, 2, 5, 1, 10, 4, 6, 8])
    finding = found(lambda y: order[y], n=240)
    assert finding.verdict == "wrong"
    _, moves = finding.found.split("such as ")
    pairs = [tuple(map(int, move.split(" to "))) for move in moves.rstrip(".").split(", ")]
    assert len(pairs) == 3
    assert all(order[said] == label for said, label in pairs)


def test_two_swapped_classes_are_found(found):
    order = np.array([0, 1, 2, 4, 3])
    finding = found(lambda y: order[y], classes=5, n=200)
    assert finding.verdict == "wrong"
    assert finding.found.endswith("such as 3 to 4, 4 to 3.") or "4 to 3, 3 to 4" in finding.found


def test_a_small_gain_beyond_chance_is_to_be_looked_at(found):
    order = np.arange(40)
    order[[3, 4]] = 4, 3  # a twentieth of the images
    finding = found(lambda y: order[y], classes=40, n=1000, share=1.0)
    assert finding.verdict == "look"


def test_few_images_of_many_classes_fit_any_order_and_prove_nothing(saying):
    label = np.random.default_rng(1).integers(1000, size=60)
    said = np.random.default_rng(2).integers(1000, size=60)
    # A one-to-one assignment fitted to these very images would make nearly all of them right.
    assert label_order(saying(np.eye(1000)[said], label)).verdict == "ok"


@pytest.mark.parametrize("order", [[1, 0, 2, 3], [1, 2, 3, 0], [3, 2, 1, 0]])
def test_a_class_keeps_its_own_label_in_doubt(order):
    said = np.repeat(np.arange(4), 2)
    label = np.stack([np.arange(4), order], 1).reshape(-1)  # as often its own as the other
    assert _assignment(said, label, 4).tolist() == [0, 1, 2, 3]
    assert _assignment(said, np.repeat(order, 2), 4).tolist() == order


def test_random_labels_raise_no_alarm(saying):
    alarms = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        classes, n = int(draw.integers(2, 30)), int(draw.integers(2, 200))
        label, said = draw.integers(classes, size=(2, n))
        alarms += label_order(saying(np.eye(classes)[said], label)).verdict != "ok"
    assert alarms == 0  # 1 of 20,000 was met


@pytest.mark.parametrize(
    ("right", "verdict"), [(8, "ok"), (9, "look"), (15, "look"), (16, "wrong")]
)
def test_as_many_right_as_three_and_four_standard_deviations(saying, right, verdict):
    label = np.arange(20)
    said = np.where(label < right, 39 - label, 39)  # the others fit no order
    assert label_order(saying(np.eye(40)[said], label)).verdict == verdict


def test_always_the_same_answer_is_no_other_order(saying):
    label = np.array([0] * 60 + [1] * 40)
    assert label_order(saying(np.eye(2)[np.ones(100, int)], label)).verdict == "ok"


@pytest.mark.parametrize("labels", [[1, 12], [-1, 3]])
def test_labels_that_the_model_has_no_class_for(saying, labels):
    finding = label_order(saying(np.eye(12)[[1, 3]], labels))
    assert finding.verdict == "wrong"
    assert finding.found == f"Labels run from {labels[0]} to {labels[1]}, 0 to 11 expected."


def test_a_real_model_with_shifted_labels(subject):
    good = subject()
    shifted = subject(labels=(good.labels + 1) % 12)
    assert label_order(shifted).verdict == "wrong"
    assert label_order(good).verdict == "ok"
