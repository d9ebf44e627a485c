"""Published numbers recomputed from others, without an image, to the printed digit."""

import shutil

import pytest

from robusteval.published._comparison import EXPLAINED, FAIL, PASS, summary_line
from robusteval.published.identities import accuracy_variance, fmr
from robusteval.published.recompute import recompute
from robusteval.published.recomputed.relations import relations
from robusteval.published.recomputed.scaling_laws import scaling_laws
from robusteval.published.recomputed.timm_ranks import ranks
from robusteval.published.rows import read_folder, read_rows, write_rows

DIGIT = "half a printed digit"


@pytest.fixture(scope="module")
def compared(request):
    return recompute(request.config.rootpath / "config/published")


def of(compared, what, test=None, source=""):
    rows = compared["corruption_means"]
    return [c for c in rows if c.what == what and test in (None, c.test) and source in c.source]


def test_nothing_fails(compared):
    assert [c for rows in compared.values() for c in rows if c.verdict == FAIL] == []


def test_all_mce_to_the_printed_digit(compared, published):
    """Six of game-of-noise against AlexNet on all images, twelve of RobustBench against its own."""
    rows = of(compared, "mce")
    assert len([c for c in rows if "alexnet_imagenet_c" in c.condition]) == 6
    assert len([c for c in rows if "alexnet_robustbench" in c.condition]) == 12
    for c in rows:
        assert (c.verdict, c.reason) == (PASS, DIGIT)
        assert round(c.ours, 2) == c.theirs


def test_relative_mce_to_the_printed_digit(compared):
    (row,) = of(compared, "relative_mce")
    assert (row.verdict, row.reason, round(row.ours, 1)) == (PASS, DIGIT, row.theirs)


def test_corruption_errors_of_six_networks(compared):
    rows = of(compared, "corruption_error")
    assert len(rows) == 6 * 15
    assert {c.verdict for c in rows} == {PASS}


def test_mean_accuracies_of_imagenet_c(compared):
    rows = of(compared, "accuracy", "imagenet_c")
    assert len(rows) == 18 and {(c.verdict, c.reason) for c in rows} == {(PASS, DIGIT)}


def test_mean_accuracies_of_cifar(compared):
    """Thirty of 34 are equal to the printed digit; the other four are cut off, not rounded."""
    rows = of(compared, "accuracy", "cifar10_c") + of(compared, "accuracy", "cifar100_c")
    assert len(rows) == 34
    exact = [c for c in rows if c.verdict == PASS and c.reason == DIGIT]
    cut = [c for c in rows if c.verdict == EXPLAINED]
    assert (len(exact), len(cut)) == (30, 4)
    for c in cut:
        assert 0 < c.difference < 0.01 and "Diffenderfer" in c.model


def test_alexnets_means_over_severities(compared):
    """Fourteen quoted by severity, to six decimals; RobustBench's fifteen from its own row."""
    full = of(compared, "error", source="augmix")
    assert len(full) == 14 and max(abs(c.difference) for c in full) < 1e-6 * 100  # in percent
    assert len(of(compared, "error", source="RobustBench")) == 15


@pytest.mark.parametrize("name", ["timm_differences", "timm_ranks"])
def test_every_column_of_timm(compared, name):
    rows = compared[name]
    assert [c.test[9:] for c in rows] == ["real", "v2", "sketch", "a", "r"]
    assert all(c.verdict == PASS and "furthest of 155" in c.model for c in rows)


def test_two_sources_agree_but_for_known_causes(compared):
    rows = compared["two_sources"]
    assert {c.test for c in rows if c.verdict == EXPLAINED} == {"imagenet_c", "stylized_imagenet"}
    tests = {c.test for c in rows if c.verdict == PASS}
    assert {"imagenet_validation", "imagenet_v2", "imagenet_r", "imagenet_sketch"} <= tests


@pytest.mark.parametrize(
    ("condition", "what", "fails"),
    [
        ("fifteen", "accuracy", 1),
        ("fifteen, baseline alexnet_imagenet_c", "mce", 1),
        ("fifteen, baseline alexnet_imagenet_c", "relative_mce", 1),
        ("fog, baseline alexnet_imagenet_c", "corruption_error", 1),
        ("fog", "accuracy", 1),  # its own corruption error no longer fits
    ],
)
def test_a_row_altered_by_a_tenth_fails(published, tmp_path, condition, what, fails):
    for path in published.glob("*.csv"):
        shutil.copy(path, tmp_path)
    path = tmp_path / "imagenet_c_resnet50.csv"
    rows = read_rows(path)
    (at,) = [
        i
        for i, r in enumerate(rows)
        if (r.model, r.what, r.condition, r.test)
        == ("resnet50_vanilla", what, condition, "imagenet_c")
    ]
    altered = f"{rows[at].value + 0.1:.2f}"
    rows[at] = type(rows[at])(**{**vars(rows[at]), "printed": altered})
    write_rows(path, rows)
    failed = [c for c in recompute(tmp_path)["corruption_means"] if c.verdict == FAIL]
    assert len(failed) >= fails
    assert {c.model for c in failed} == {"resnet50_vanilla"}
    assert "FAIL; furthest off" in summary_line(failed)


@pytest.mark.parametrize("column", ["imagenet_v2_diff", "imagenet_r_rank_diff", "imagenet_a"])
def test_a_cell_of_timm_altered_fails(published, tmp_path, column):
    (tmp_path / "tables").mkdir()
    lines = (published / "tables/timm_imagenet.csv").read_text().splitlines()
    at = lines[0].split(",").index(column)
    cells = lines[700].split(",")
    cells[at] = str(round(float(cells[at]) + (200 if "rank" in column else 0.1), 3))
    cells[at] = cells[at].removesuffix(".0")
    lines[700] = ",".join(cells)
    (tmp_path / "tables/timm_imagenet.csv").write_text("\n".join(lines) + "\n")
    found = recompute(tmp_path)
    failed = [c for rows in found.values() for c in rows if c.verdict == FAIL]
    assert failed and all(c.test in column for c in failed)


def test_a_folder_without_tables_compares_nothing(tmp_path):
    found = recompute(tmp_path)
    assert all(rows == [] for rows in found.values())
    assert summary_line([]).startswith("no published number")


def test_ranks_of_models_that_tie_are_an_interval():
    assert ranks([90.0, 80.0, 80.0, 70.0]) == {90.0: (0, 0), 80.0: (1, 2), 70.0: (3, 3)}


def test_fmr_fits_its_parts(row):
    """The hand-computed case: 94 of 100 right before, all valid images after."""
    parts = [row("94.00", what="standard_accuracy"), row("100.0", what="perturbed_accuracy")]
    (good,) = relations([*parts, row("106.38", what="fmr")])
    (bad,) = relations([*parts, row("106.48", what="fmr")])
    assert (good.verdict, bad.verdict) == (PASS, FAIL)
    assert fmr(94, 100) == pytest.approx(106.38, abs=0.005)  # half a digit
    assert fmr(0, 0) != fmr(0, 0)  # not defined, never 0


def test_cav_fits_its_parts(row):
    """Six images: two put right, one spoilt."""
    parts = [
        row(str(1 / 3), what="crr", unit="fraction"),
        row(str(1 / 6), what="csr", unit="fraction"),
    ]
    (good,) = relations([*parts, row("0.17", what="cav", unit="fraction")])
    (bad,) = relations([*parts, row("0.18", what="cav", unit="fraction")])
    assert (good.verdict, bad.verdict) == (PASS, FAIL)
    assert accuracy_variance(1 / 3, 1 / 6) == pytest.approx(1 / 6, rel=1e-12)  # one rounding


def test_a_relation_without_its_parts_is_left_out(row):
    assert relations([row("50", what="fmr"), row("94", what="standard_accuracy")]) == []


def test_scaling_law_of_published_columns(row):
    """Three models on the line 0.05 + 0.01 ln(error)."""
    points = {"a": ("60", 0.0408371), "b": ("80", 0.0339056), "c": ("90", 0.0269741)}
    rows = [row(acc, model=m) for m, (acc, _) in points.items()]
    rows += [
        row(f"{d:.7f}", model=m, what="distortion", unit="number", condition="linf")
        for m, (_, d) in points.items()
    ]
    law = {"model": "all", "what": "scaling_slope", "unit": "number", "condition": "linf"}
    (good,) = scaling_laws([*rows, row("0.0100", **law)])
    (bad,) = scaling_laws([*rows, row("0.0110", **law)])
    assert (good.verdict, bad.verdict) == (PASS, FAIL)
    assert scaling_laws([*rows[:-2], row("0.0100", **law)]) == []  # two points make no law


def test_no_published_value_is_recomputed_from_itself(published):
    """Each mean's parts are other rows: by corruption, by severity, or of the baseline."""
    rows = read_folder(published)
    assert len({r.key for r in rows}) == len(rows)
