# make demo       set everything up and run the demo study
# make cell MODEL=cnn TEST=clean [STUDY=config/demo.yaml]    one model on one test
# make test       set everything up and pass the tests, the demo end to end included
# make test-kill  kill studies, fill a disk, run two at once
PYTHON ?= python3
BIN := .venv/bin

STUDY ?= config/demo.yaml

MARKED = -m "not slow"

.PHONY: demo cell test test-all test-kill test-unit test-workflow test-slurm lint

demo: .venv/ready
	$(BIN)/snakemake --cores all --resources gpu=4

cell: .venv/ready
	path=$$($(BIN)/python -m robusteval path $(STUDY) $(MODEL) $(TEST)) && \
	$(BIN)/snakemake "$$path" --configfile $(STUDY) --cores all --resources gpu=4

# Side by side: a study leaves cores idle at its end and where one of its jobs waits for another.
test: .venv/ready lint
	$(MAKE) -j2 test-unit test-workflow

test-all: .venv/ready lint
	$(MAKE) -j2 test-unit test-workflow MARKED=
	$(MAKE) test-slurm MARKED=

# Ten kills, a full disk, two studies at once: what a long study has to survive.
test-kill: .venv/ready
	$(BIN)/python -m pytest tests/workflow/kill

test-unit: .venv/ready
	$(BIN)/python -m pytest tests/unit tests/test_*.py $(MARKED)

test-workflow: .venv/ready
	$(BIN)/python -m pytest tests/workflow $(MARKED)

# By itself: its jobs want the cores.
test-slurm: .venv/ready
	$(BIN)/python -m pytest tests/slurm $(MARKED)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer expected, this is %s" % sys.version.split()[0])'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.lock
	touch $@
