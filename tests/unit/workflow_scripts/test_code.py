"""No result goes stale in silence: every rule names the files that its result depends on."""

import re
from pathlib import Path

import pytest

from workflow_scripts._code import NEUTRAL, ROOT, code_of

RULES = "\n".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
BODIES = dict(re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", RULES, re.MULTILINE | re.DOTALL))


def test_an_attack_depends_on_what_it_imports():
    files = code_of("robusteval/attacks/pgd.py")
    assert {"robusteval/attacks/pgd.py", "robusteval/attacks/_engine.py"} <= set(files)
    assert "robusteval/attacks/_norms.py" in files  # by way of pgd
    assert "robusteval/batches.py" in files  # by way of the engine
    assert "robusteval/attacks/fgsm.py" not in files


def test_neutral_files_are_left_out_and_exist():
    assert not NEUTRAL & set(code_of("workflow_scripts/craft.py"))
    assert all((ROOT / name).is_file() for name in NEUTRAL)


def test_modules_named_in_a_from_import_count(tmp_path):
    assert "robusteval/seeds.py" in code_of("workflow_scripts/corrupt_images.py")


@pytest.mark.parametrize("rule", [rule for rule in BODIES if "script:" in BODIES[rule]])
def test_a_rule_names_what_its_script_imports(rule):
    script = f"workflow_scripts/{rule}.py"
    assert Path(ROOT / script).is_file()
    if code_of(script) != [script]:
        assert f'code=code_of("{script}")' in BODIES[rule]


@pytest.mark.parametrize(
    ("script", "package"),
    [
        (path.stem, package)
        for path in sorted((ROOT / "workflow_scripts").glob("[a-z]*.py"))
        for package in re.findall(r'plugins\.load\("([\w.]+)"', path.read_text())
    ],
)
def test_a_rule_names_the_items_that_its_script_loads(script, package):
    folder = package.replace(".", "/")
    named = [f'"{folder}"', f"robusteval/{folder}/", f"{package.removesuffix('s')}_code("]
    assert any(name in BODIES[script] for name in named)


RUN_A_MODEL = ["train_model", "prepare_model", "check_model", "evaluate", "evaluate_streamed"]
RUN_A_MODEL += ["evaluate_sequences", "craft", "transfer", "evaluate_training"]


def test_scores_of_features_are_named_where_they_are_given():
    for rule in ("score", "score_adversarial"):
        assert "robusteval/feature_scores/" in BODIES[rule]


def test_a_rule_that_runs_a_model_names_its_builder():
    for rule in RUN_A_MODEL:
        assert "builder=model_code" in BODIES[rule]
