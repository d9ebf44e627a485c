import pytest
import torch
from safetensors.torch import save_file

from robusteval.shards import Shards, key_of


def test_a_shard_comes_back(tmp_path):
    shards = Shards(tmp_path, key_of("settings"))
    assert shards.get("one") is None
    shards.put("one", {"x": torch.arange(3)})
    assert shards.get("one")["x"].tolist() == [0, 1, 2]


def test_a_damaged_shard_is_made_anew(tmp_path):
    shards = Shards(tmp_path, key_of("settings"))
    shards.put("one", {"x": torch.arange(3)})
    content = shards.path("one").read_bytes()
    for size in (0, 5, len(content) - 1):
        shards.path("one").write_bytes(content[:size])
        assert shards.get("one") is None


def test_one_flipped_bit_is_found_wherever_it_is(tmp_path, caplog):
    shards = Shards(tmp_path, key_of("settings"))
    shards.put("one", {"x": torch.rand(3), "flat": torch.tensor(True), "none": torch.zeros(0, 2)})
    path = shards.path("one")
    content = path.read_bytes()
    assert shards.get("one") is not None
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 1
        path.write_bytes(flipped)
        assert shards.get("one") is None, place
    assert f"{path}: damaged, made anew" in caplog.text


def test_a_shard_that_does_not_say_its_content_is_made_anew(tmp_path, caplog):
    shards = Shards(tmp_path, "key")
    save_file({"x": torch.arange(3)}, shards.path("one"), {"key": "key"})
    assert shards.get("one") is None and "made anew" in caplog.text


def test_the_same_content_gives_the_same_bytes(tmp_path):
    shards = Shards(tmp_path, "key")
    written = set()
    for _ in range(20):
        shards.put("one", {"x": torch.zeros(2, dtype=torch.bfloat16), "y": torch.arange(3)})
        written.add(shards.path("one").read_bytes())
    assert len(written) == 1


def test_a_shard_of_other_settings_is_made_anew(tmp_path):
    Shards(tmp_path, key_of({"eps": 0.1})).put("one", {"x": torch.zeros(1)})
    assert Shards(tmp_path, key_of({"eps": 0.2})).get("one") is None
    assert Shards(tmp_path, key_of({"eps": 0.1})).get("one") is not None


def test_keep_only_deletes_the_others(tmp_path):
    shards = Shards(tmp_path, "key")
    for name in ("one", "two"):
        shards.put(name, {"x": torch.zeros(1)})
    shards.keep_only(["two"])
    assert [path.name for path in tmp_path.iterdir()] == ["two.safetensors"]


def test_keys_do_not_depend_on_the_order_of_settings():
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})
    assert key_of({"a": 1}) != key_of({"a": 2})


def test_keep_only_leaves_what_another_process_is_writing(tmp_path):
    (tmp_path / ".one.safetensors.12.tmp.safetensors").write_bytes(b"half")
    Shards(tmp_path, "key").keep_only([])
    assert len(list(tmp_path.iterdir())) == 1


def test_a_shard_that_cannot_be_written_is_an_error_of_the_disk(tmp_path):
    (tmp_path / "one.safetensors").mkdir()  # a file cannot take the place of a folder
    with pytest.raises(OSError):
        Shards(tmp_path, "key").put("one", {"x": torch.zeros(1)})
