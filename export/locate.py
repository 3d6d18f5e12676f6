"""The paths of an artifact and its manifest."""

from __future__ import annotations

from pathlib import Path

from export import manifest
from export.extras import check_extra


def locate(path: Path) -> tuple[Path, str]:
    """The folder and the name of an artifact; raises a ValueError if there is none."""
    if not path.exists():
        raise ValueError(f"There is no artifact at {path}.")
    own = manifest.read(path)["artifacts"] if path.is_dir() else {}
    if own:
        numbers = [name for name in own if name.isdigit()]
        return path, max(numbers, key=int) if numbers else next(iter(own))
    folder, name = path.resolve().parent, path.resolve().name
    entry = manifest.read(folder)["artifacts"].get(name)
    if entry is None:
        raise ValueError(f"No {manifest.FILE} beside {path} lists it: was it exported here?")
    if entry["format"] in ("onnx", "litertlm"):
        check_extra(entry["format"])
    return folder, name
