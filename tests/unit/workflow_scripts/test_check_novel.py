"""No image of an unknown set may be a known one."""

import pandas as pd
import pytest

from robusteval.files import read_json
from workflow_scripts.check_novel import check_novel


@pytest.fixture
def manifest(tmp_path):
    def write(name, **contents):
        path = tmp_path / name / "manifest.parquet"
        path.parent.mkdir()
        frame = pd.DataFrame({"path": list(contents), "sha256": list(contents.values())})
        frame.assign(label=0).to_parquet(path)
        return path

    return write


def test_sets_without_a_common_image(tmp_path, manifest):
    known, novel = (
        manifest("cats", a="1", b="2"),
        [manifest("dogs", a="3"), manifest("owls", a="3")],
    )
    check_novel([known], novel, tmp_path / "report.json")
    assert read_json(tmp_path / "report.json") == {
        "known": ["cats"],
        "novel": ["dogs", "owls"],
        "images": {"cats": 2, "dogs": 1, "owls": 1},
        "shared": 0,
    }


def test_a_common_image_is_named(tmp_path, manifest):
    known, novel = manifest("cats", a="1", b="2"), manifest("dogs", c="3", d="2")
    with pytest.raises(ValueError, match=r"^dogs: d is b of cats, so it is known") as e:
        check_novel([known], [novel], tmp_path / "report.json")
    assert "\n" not in str(e.value) and not (tmp_path / "report.json").exists()
