"""Which source files a probe's readings depend on, those of the noises that it names included."""

from collections.abc import Mapping
from typing import Any

from workflow_scripts._code import code_of

PACKAGES = {"attack": "attacks", "corruption": "corruptions"}  # of the noises that have a file


def probe_code(entry: Mapping[str, Any]) -> list[str]:
    """Return the source files behind a test of kind probe; ``entry`` is that of the catalogue."""
    noises = [
        noise
        for settings in entry["conditions"].values()
        for noise in settings.get("noises", {}).values()
        if noise["kind"] in PACKAGES
    ]
    named = {f"robusteval/{PACKAGES[noise['kind']]}/{noise['name']}.py" for noise in noises}
    return code_of(f"robusteval/probes/{entry['probe']}.py", *sorted(named))
