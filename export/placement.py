"""The move of a verified artifact into a folder that may hold an older one of the same name."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from export import manifest
from export.files import locked_beside, sync
from export.staging import replace


def place(file: Path, path: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Moves a file, or a folder, and its probes into place, and writes its entry into the manifest.

    Whenever the process is stopped, `path` is a whole artifact that `verify` accepts: the manifest
    has the entries of both while one takes the place of the other, and each has probes and files
    beside it of its own, whose names have a part of a sha256. Only when the new file is in its
    place do the files beside it get their plain names.

    Args:
        file: The verified file or folder; beside it are its probes, its other files and a manifest.
        path: Where it belongs.
        entry: Its entry of the manifest.

    Returns:
        The entry that was written, with the name of the probes in their place.
    """
    with locked_beside(path.with_name(manifest.FILE), wait=True):
        return _place(file, path, entry)


def _place(file: Path, path: Path, entry: dict[str, Any]) -> dict[str, Any]:
    content = manifest.read(path.parent)
    older = manifest.find(path.parent, path.name) if path.exists() else None
    contents = json.dumps([entry["sha256"], entry["beside"]])
    own = f"{path.name}.{hashlib.sha256(contents.encode()).hexdigest()[:8]}."
    plain = {**entry, "probes": f"{own}probes.npz"}
    moved = {
        name: name if older is None else name.replace(f"{path.name}.", own, 1)
        for name in entry["beside"]
    }
    first = {**plain, "beside": {moved[name]: sha256 for name, sha256 in entry["beside"].items()}}

    def write(new: dict[str, Any]) -> None:
        content["artifacts"][path.name] = new
        manifest.write(file.parent, content)
        _move(file.with_name(manifest.FILE), path.with_name(manifest.FILE))

    _move(file.with_name(entry["probes"]), path.with_name(plain["probes"]))
    for name, other in moved.items():
        _move(file.with_name(name), path.with_name(other))
    write({**first, "replaces": older} if older else first)
    replace(file, path)
    if older:
        for name, other in moved.items():
            shutil.copy2(path.with_name(other), file.with_name(name))
            _move(file.with_name(name), path.with_name(name))
        write(plain)
        unused = {older["probes"], *older.get("beside", ()), *first["beside"]}
        for name in unused - {plain["probes"], *plain["beside"]}:
            path.with_name(name).unlink(missing_ok=True)
    _remove_left(path, plain)
    return plain


def _remove_left(path: Path, entry: dict[str, Any]) -> None:
    """Deletes files beside an artifact that exports left which were stopped."""
    name = re.escape(path.name)
    endings = {"probes.npz", *(each.removeprefix(f"{path.name}.") for each in entry["beside"])}
    for file in path.parent.iterdir():
        match = re.fullmatch(rf"{name}\.[0-9a-f]{{8}}\.(.+)", file.name)
        if match and match[1] in endings and file.name != entry["probes"]:
            file.unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    """Moves a file; when this returns, the move is on the disk."""
    sync(source)
    os.replace(source, target)
    sync(target.parent)
