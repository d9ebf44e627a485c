"""What a result was measured with, as it stands in the settings of records and cards."""

import torch


def made_with(device: str) -> dict[str, str]:
    """Return the release of torch, the device as its maker calls it, and the precision of passes.

    Of a CPU it is the instructions that torch uses, on which the last bits of a sum depend. Where a
    job went on elsewhere after a kill, it is the device that ended it.
    """
    kind = torch.device(device).type
    name = torch.cuda.get_device_name(device) if kind == "cuda" else ""
    name = name or f"{kind} {torch.backends.cpu.get_cpu_capability()}"
    return {"torch": torch.__version__, "device": name, "precision": "float32"}
