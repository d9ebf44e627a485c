"""What evaluators report and ask for: the checks that need a study that has run.

The others are in tests/unit/test_acceptance.py; 8, a kill in mid-attack, is test_kill.py.
"""

import json
import os
import subprocess
import sys

import pandas as pd
import yaml

from robusteval.files import key_of, sha256
from workflow_scripts._provenance import provenance_of


def tables(tiny):
    return sorted((tiny.folder / "results/tiny/tables").rglob("*.csv"))


def table(tiny, name):
    return pd.read_csv(tiny.folder / f"results/tiny/tables/{name}.csv")


def test_07_every_verdict_is_that_of_the_images_read_back(tiny):
    attacks = table(tiny, "attacks")
    assert len(attacks) and (attacks["lost_on_reload"] == 0).all()


def test_12_an_incomplete_cell_is_never_aggregated(tiny):
    """Records that lack a row are refused by name, whatever else the table has."""
    import pyarrow.parquet as pq

    path = tiny.folder / "results/tiny/records/cnn_tiny/clean.parquet"
    before, when = path.read_bytes(), path.stat()
    target = "results/tiny/tables/accuracy.csv"
    pq.write_table(pq.read_table(path).slice(0, 999), path)
    try:
        text = tiny.run("--forcerun", "tabulate_accuracy", "--", target, check=False)
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(when.st_atime_ns, when.st_mtime_ns))
    assert "clean.parquet: 999 rows, 1000 expected; delete it and run again" in text
    tiny.run("--forcerun", "tabulate_accuracy", "--", target)


def test_15_the_worst_case_is_the_smallest_never_a_mean(tiny):
    rows = table(tiny, "accuracy_by_test")
    value = "accuracy_pct_higher_better"
    first, budget = (rows["test"].str.partition(", ")[i] for i in (0, 2))
    worst = rows[first == "worst attack"]
    assert len(worst)
    for at, row in worst.iterrows():
        same = (rows["model"] == row["model"]) & (budget == budget[at]) & (rows["n"] == row["n"])
        others = rows[same & (first != "worst attack")]
        assert len(others) and row[value] <= others[value].min()


def test_17_a_deleted_shard_alone_is_made_again(tiny):
    folder = tiny.folder / "results/tiny/adversarial/cnn_tiny/fgsm"
    shards = sorted(folder.glob("*.safetensors"))
    hashes = {path: sha256(path) for path in shards}
    kept = {path: path.stat().st_mtime_ns for path in shards[1:]}
    shards[0].unlink()
    target = "results/tiny/adversarial/cnn_tiny/fgsm/card.json"
    tiny.run("--forcerun", "craft", "--", target)
    assert {path: path.stat().st_mtime_ns for path in shards[1:]} == kept
    assert {path: sha256(path) for path in shards} == hashes
    tiny.run()


def test_18_what_cannot_change_a_number_runs_nothing_and_eps_its_own_cell(tiny):
    """A comment in the code of a cell runs that cell again, as nobody knows that it is only one."""
    scripts = tiny.folder / "workflow_scripts/_job.py"
    catalogue = tiny.folder / "config/catalogue/tests.yaml"
    before = scripts.read_text(), catalogue.read_text()
    scripts.write_text(before[0] + "\n# a comment\n")
    catalogue.write_text("# a comment\n" + before[1])
    try:
        assert tiny.jobs() == {}
        catalogue.write_text(before[1].replace("l2, eps: 1.5", "l2, eps: 1.4"))
        jobs = tiny.jobs()
    finally:
        scripts.write_text(before[0]), catalogue.write_text(before[1])
    assert jobs["craft"] == 2 and "evaluate" not in jobs and "train_model" not in jobs


def test_20_every_table_carries_n_interval_seed_precision_and_software(tiny):
    study = tiny_study(tiny)
    for path in tables(tiny):
        made = json.loads(provenance_of(path).read_text())
        assert made["sha256"] == sha256(path) and made["seed"], path.name
        assert made["study_hash"] == key_of(study), path.name
        assert len(made["code_hash"]) == len(made["catalogue_hash"]) == 64
        assert {"python", "numpy", "pandas", "robusteval"} <= made["software"].keys()
        if path.stem not in ("published",):
            assert made["precision"] == ["float32"] and made["device"] and made["torch"], path.name
    for name in ("accuracy", "attacks", "transfer", "corruption_error", "dar_by_set"):
        rows = table(tiny, name)
        assert {"n", "wilson95_low_pct", "wilson95_high_pct"} <= {*rows} and rows["n"].gt(0).all()


def tiny_study(tiny):
    return yaml.safe_load((tiny.folder / "config/tiny.yaml").read_text())


def verified(tiny, *options):
    command = [sys.executable, "-m", "robusteval", "verify", "results/tiny", *options]
    result = subprocess.run(
        command, cwd=tiny.folder, env=tiny.environment(), capture_output=True, text=True
    )
    return result.returncode, result.stdout + result.stderr


def test_a_finished_study_verifies_and_its_tables_come_again_from_its_records(tiny):
    code, text = verified(tiny)
    assert code == 0 and "byte by byte the same" in text, text[-3000:]


def test_a_table_that_the_records_do_not_give_is_found_though_all_hashes_fit(tiny):
    path = tiny.folder / "results/tiny/tables/storage.csv"  # no other table is made of it
    files = [path, provenance_of(path), tiny.folder / "results/tiny/manifest.json"]
    before = [file.read_bytes() for file in files]
    manifest = json.loads(before[2])
    try:
        path.write_text(path.read_text().replace("0", "1", 1))
        made = json.loads(before[1]) | {"sha256": sha256(path)}
        files[1].write_text(json.dumps(made))
        for file in files[:2]:
            manifest["files"][str(file.relative_to(tiny.folder / "results"))] = sha256(file)
        files[2].write_text(json.dumps(manifest))
        assert verified(tiny, "--quick")[0] == 0
        code, text = verified(tiny)
    finally:
        for file, content in zip(files, before, strict=True):
            file.write_bytes(content)
    assert code == 1 and "tables/storage.csv: not what the records give, first in line" in text


def test_no_part_of_the_study_counted_more_passes_than_the_estimate_says_at_most(tiny):
    from workflow_scripts._catalogue import load_catalogue
    from workflow_scripts._counted import counted
    from workflow_scripts._study_costs import costs_of, total

    costs = costs_of(tiny_study(tiny), load_catalogue(tiny.folder / "config"))
    found = counted(tiny.folder / "results/tiny")
    said = {part: total(parts[part] for parts in costs.values()) for part in found}
    for part, (forwards, backwards) in found.items():
        assert 0 < forwards <= said[part].forwards_most, part
        assert backwards <= said[part].backwards_most, part
    for part in ("cells", "transfer", "storage", "features", "coverage"):
        assert said[part].forwards == found[part][0], part
