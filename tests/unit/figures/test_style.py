import time

import pytest

from robusteval.figures import _style


def figure():
    with _style.look():
        drawn, (axes,) = _style.panels(1, most=1, size=(2, 1), xlabel="x", ylabel="y")
        axes.plot([0, 1], [0, 1])
    return drawn


def test_unknown_suffix_writes_nothing(tmp_path):
    with pytest.raises(ValueError, match=r"b\.jpg: expected one of \.svg, \.pdf, \.png"):
        _style.save(figure(), [tmp_path / "a.png", tmp_path / "b.jpg"])
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_and_no_scraps(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(figure, target, **options):
        target.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(_style.Figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        _style.save(figure(), [path])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_hold_no_date(tmp_path):
    paths = [tmp_path / f"a.{suffix}" for suffix in ("svg", "pdf", "png")]
    _style.save(figure(), paths)
    first = [path.read_bytes() for path in paths]
    time.sleep(1.1)  # a date would count whole seconds
    _style.save(figure(), paths)
    assert [path.read_bytes() for path in paths] == first
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()
    assert b"CreationDate" not in (tmp_path / "a.pdf").read_bytes()
    assert b"tIME" not in (tmp_path / "a.png").read_bytes()


def test_png_has_300_dots_an_inch(tmp_path):
    from PIL import Image

    _style.save(figure(), [tmp_path / "a.png"])
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (600, 300)


def test_eighteen_models_have_eighteen_marks():
    by_name = _style.marks(f"model_{i}" for i in range(18))
    assert len(set(by_name.values())) == 18
    assert len({mark.colour for mark in list(by_name.values())[:7]}) == 7


def test_mark_follows_the_order_not_the_repetition():
    assert _style.marks(["a", "b", "a"]) == _style.marks(["a", "b"])


@pytest.mark.parametrize(
    ("count", "most", "shape"),
    [(1, 3, (1, 1)), (3, 3, (1, 3)), (4, 3, (2, 2)), (5, 3, (2, 3)), (7, 3, (3, 3))],
)
def test_grid_has_few_places_left_over(count, most, shape):
    assert _style.grid_shape(count, most) == shape


def test_long_names_break_after_underscores():
    assert _style.wrapped("resnet50_augmix_deepaugment", 1.2) == "resnet50_augmix_\ndeepaugment"
    assert _style.wrapped("vgg16", 0.1) == "vgg16"
