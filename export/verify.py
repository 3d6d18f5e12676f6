"""Verify an artifact in a fresh process that imports neither the library nor Keras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from export import manifest
from export.processes import ProcessFailed, run_in_worker
from export.report import Check, Report


def verify(path: str | Path) -> Report:
    """Check an exported artifact again, here, against the results stored beside it.

    A fresh process loads it with the runtime that serves it and compares: outputs, tokens, stopping
    points and attention maps with those of the model it came from; rows alone with rows in
    a batch; padded inputs with unpadded ones; operators with those allowed; sha256 with the
    manifest.

    Args:
        path: a LiteRT file, the folder of a SavedModel (its newest version is taken) or one
            version in it.

    Returns:
        A `Report`; `report.passed` says whether the artifact is what it was.

    Raises:
        ValueError: there is no artifact at `path`, or no manifest that lists it.

    Example:
        >>> from export import verify
        >>> verify("served/en-de").passed       # doctest: +SKIP
        True
    """
    folder, name = _locate(Path(path))
    return check(folder, name)


def check(folder: Path, name: str, *, shown: Path | None = None, time: bool = False) -> Report:
    """Run the checks of the artifact `name` in `folder`; the report names it `shown`."""
    entry: dict[str, Any] = manifest.read(folder)["artifacts"][name]
    shown = shown or folder / name
    try:
        answer = run_in_worker(
            "check", {"folder": str(folder.resolve()), "name": name, "time": time}
        )
    except ProcessFailed as error:
        return Report(shown, [Check("worker process", False, str(error))], entry)
    found = {"checks": answer["checks"], "operators": answer["operators"]}
    if answer["timing"]:
        found["timing"] = answer["timing"]
    checks = [Check(line["name"], line["passed"], line["detail"]) for line in answer["checks"]]
    return Report(shown, checks, {**entry, **found})


def _locate(path: Path) -> tuple[Path, str]:
    if not path.exists():
        raise ValueError(f"There is no artifact at {path}.")
    own = manifest.read(path)["artifacts"] if path.is_dir() else {}
    if own:
        numbers = [name for name in own if name.isdigit()]
        return path, max(numbers, key=int) if numbers else next(iter(own))
    folder = path.resolve().parent
    if path.name not in manifest.read(folder)["artifacts"]:
        raise ValueError(f"No {manifest.FILE} beside {path} lists it: was it exported here?")
    return folder, path.resolve().name
