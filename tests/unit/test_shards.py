import torch

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
