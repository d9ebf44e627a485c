"""Lists of files that stand for them in the graph."""

import pytest

from robusteval.files import read_json, sha256
from workflow_scripts._lists import attack_by_attack, expanded, read_list, write_list


@pytest.fixture
def lists(tmp_path):
    """Return the lists of two models, and the files of two attacks on each."""
    files = {m: [tmp_path / attack / f"{m}.parquet" for attack in ("pgd", "fgsm")] for m in "ab"}
    for number, file in enumerate(file for own in files.values() for file in own):
        file.parent.mkdir(exist_ok=True)
        file.write_text(str(number))
    for model, own in files.items():
        write_list(tmp_path / f"{model}.list", own)
    return [str(tmp_path / f"{model}.list") for model in files], files


def test_a_list_names_files_in_their_order_with_their_hashes(lists):
    paths, files = lists
    assert read_list(paths[0]) == list(map(str, files["a"]))
    assert read_json(paths[0]) == [
        ["pgd/a.parquet", sha256(files["a"][0])],
        ["fgsm/a.parquet", sha256(files["a"][1])],
    ]


def test_lists_give_way_to_what_they_name_and_other_paths_stay(lists):
    paths, files = lists
    assert expanded(["x.csv", paths[1]]) == ["x.csv", *map(str, files["b"])]
    assert expanded([]) == []


def test_lists_of_models_are_read_attack_by_attack(lists):
    paths, files = lists
    (pgd_a, fgsm_a), (pgd_b, fgsm_b) = (map(str, own) for own in files.values())
    assert attack_by_attack(paths) == [pgd_a, pgd_b, fgsm_a, fgsm_b]
    assert attack_by_attack([]) == []


def test_models_of_other_attacks_are_not_mixed(lists, tmp_path):
    paths, files = lists
    write_list(tmp_path / "b.list", files["b"][:1])
    with pytest.raises(ValueError, match="zip"):
        attack_by_attack(paths)


def test_a_file_that_went_missing_is_named(lists):
    paths, files = lists
    files["a"][1].unlink()
    with pytest.raises(ValueError, match=r"fgsm/a\.parquet: missing, though .*a\.list names it"):
        read_list(paths[0])


def test_a_file_that_has_changed_since_is_named(lists):
    paths, files = lists
    files["a"][1].write_bytes(files["b"][0].read_bytes())
    with pytest.raises(ValueError, match=r"fgsm/a\.parquet: changed since .*a\.list was written"):
        read_list(paths[0])
