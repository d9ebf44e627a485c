"""Which source files a job's result depends on, read from their imports.

Snakemake notices an edit of a rule's script, but not of what the script imports: results would go
stale in silence. The rules therefore name these files as inputs.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

# They move bytes and words about and cannot change a number; an edit of them runs nothing again.
NEUTRAL = {
    "robusteval/files.py",
    "robusteval/images/sources/_package_files.py",
    "robusteval/models/_errors.py",
    "robusteval/plugins.py",
    "robusteval/progress.py",
    "robusteval/records.py",
    "robusteval/shards.py",
    "robusteval/workers.py",
    "workflow_scripts/_code.py",
    "workflow_scripts/_job.py",
    "workflow_scripts/_probe_code.py",
    "workflow_scripts/_lease.py",
    "workflow_scripts/_made_with.py",
    "workflow_scripts/_provenance.py",
}


def code_of(*files: str) -> list[str]:
    """Return ``files`` and the project's files that they import, directly or not, but neutral ones.

    Paths are relative to the project's folder; imports inside functions count too.
    """
    found: dict[str, None] = {}
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in found and file not in NEUTRAL:
            found[file] = None
            waiting += _imports(file)
    return sorted(found)


@cache
def _imports(file: str) -> tuple[str, ...]:
    """Return the project's files that ``file`` names in its import statements."""
    tree = ast.parse((ROOT / file).read_text())
    paths = (f"{name.replace('.', '/')}.py" for name in _names(tree))
    return tuple(path for path in paths if (ROOT / path).is_file())


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield the modules, and the names that may be modules, of all import statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
