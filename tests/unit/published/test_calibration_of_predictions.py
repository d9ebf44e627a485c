"""ECE, AURRA and the numbers that are recomputed from predictions on single images."""

import numpy as np
import pytest

from robusteval.published._comparison import FAIL, PASS
from robusteval.published._row import About
from robusteval.published.calibration import aurra, expected_calibration_error
from robusteval.published.recomputed.single_predictions import single_predictions
from robusteval.published.rows import import_file, read_folder

IMAGENET = "imagenet_validation"


def test_calibration_error_by_hand():
    """Two bins: (.2, .4; one right of two) and (.8, 1; both right)."""
    confidence, right = np.array([0.2, 0.4, 0.8, 1.0]), np.array([True, False, True, True])
    expected = 0.5 * abs(0.5 - 0.3) + 0.5 * abs(1 - 0.9)
    # Sums of four numbers in float64.
    assert expected_calibration_error(confidence, right, bins=2) == pytest.approx(
        expected, abs=1e-15
    )
    assert expected_calibration_error(np.array([1.0, 0.0]), np.array([True, False])) == 0


def test_a_confidence_on_an_edge_is_in_the_lower_bin():
    """In one bin the two errors cancel, in two they add up."""
    confidence = np.array([0.5, 0.75])
    assert expected_calibration_error(confidence, np.array([True, False]), bins=2) == 0.625
    assert expected_calibration_error(confidence, np.array([True, False]), bins=1) == 0.125


def test_aurra_by_hand():
    """Most confident first: right, wrong, right; accuracies 1, 1/2, 2/3."""
    confidence, right = np.array([0.1, 0.9, 0.5]), np.array([True, True, False])
    assert aurra(confidence, right) == pytest.approx((1 + 1 / 2 + 2 / 3) / 3, abs=1e-15)  # a sum
    assert aurra(np.full(4, 0.5), np.array([True, True, False, False])) > 0.5  # in the order given
    for function in (aurra, expected_calibration_error):
        with pytest.raises(ValueError, match="0 to 1 expected, as a softmax"):
            function(np.array([1.5]), np.array([True]))
        with pytest.raises(ValueError, match="one value of each an image"):
            function(np.array([0.5]), np.array([], bool))


@pytest.fixture
def folder(tmp_path):
    """List the predictions of two networks on four images; A is right on 3, B on 2 of them."""
    tables = tmp_path / "tables"
    tables.mkdir()
    names = [f"val_{i}.JPEG" for i in range(4)]
    labels = "".join(f"{n},{i}\n" for i, n in enumerate(names))
    (tables / "filename_label.csv").write_text("file_name,label\n" + labels)
    listing = "file,format,test,what,unit,n,preprocessing,source,licence,grade,note\n"
    for net, classes, confidence in (
        ("A", (0, 1, 2, 9), (1.0, 1.0, 1.0, 0.5)),
        ("B", (0, 1, 9, 9), (0.9, 0.8, 0.7, 0.6)),
    ):
        lines = zip(names, classes, confidence, strict=True)
        text = "".join(f"val/{n},{c},{p}\n" for n, c, p in lines)
        (tables / f"{net}.csv").write_text(
            "file_name,predicted_class,predicted_probability\n" + text
        )
        listing += f"{net}.csv,imagenet_x,{IMAGENET},,,,,us,MIT,file,\n"
    (tables / "sources.csv").write_text(listing)
    return tmp_path


def test_numbers_are_recomputed_from_predictions(row, folder):
    """A: accuracy 3/4, ECE (.5 / 4), AURRA (1 + 1 + 1 + 3/4) / 4; kappa of accuracies 3/4, 1/2."""
    right = [
        row("75.00", model="A"),
        row("0.1250", model="A", what="ece", unit="fraction"),
        row("0.93750", model="A", what="aurra", unit="fraction"),
        row("0.50", model="A and B", what="error_consistency", unit="number"),
    ]
    others = [row("75.00", model="C"), row("75.00", model="A", test="imagenet_v2")]
    compared = single_predictions([*right, *others, *read_folder(folder)], folder=folder)
    assert [(c.model, c.what) for c in compared] == [(r.model, r.what) for r in right]
    assert {c.verdict for c in compared} == {PASS}
    altered = [row(f"{r.value + 0.1:.3f}", model=r.model, what=r.what, unit=r.unit) for r in right]
    assert {c.verdict for c in single_predictions(altered, folder=folder)} == {FAIL}


def test_predictions_without_labels_are_refused(folder):
    about = About("us", "MIT", test=IMAGENET)
    path = folder / "tables/A.csv"
    rows = {r.what: r.value for r in import_file(path, "imagenet_x", about)}
    assert rows == {"accuracy": 0.75, "ece": 0.125, "aurra": 0.9375}
    labels = folder / "tables/filename_label.csv"
    labels.write_text(labels.read_text().replace("val_2", "val_7"))
    with pytest.raises(ValueError, match=r"A\.csv, row 4: val_2\.JPEG has no label in"):
        import_file(path, "imagenet_x", about)
    labels.unlink()
    with pytest.raises(ValueError, match=r"filename_label\.csv is missing; put the labels"):
        import_file(path, "imagenet_x", about)
