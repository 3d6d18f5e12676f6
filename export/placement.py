"""Move a verified LiteRT file into a folder that may hold an older one of the same name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from export import manifest


def place(file: Path, path: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Moves a file and its probes into place, and writes its entry into the manifest.

    Whenever the process is stopped, `path` is a whole file that `verify` accepts: the manifest has
    the entries of both files while one takes the place of the other, and each has probes of its
    own.

    Args:
        file: The verified file; its probes and a manifest are beside it.
        path: Where it belongs.
        entry: Its entry of the manifest.

    Returns:
        The entry that was written, with the name of the probes in their place.
    """
    content = manifest.read(path.parent)
    older = manifest.find(path.parent, path.name) if path.exists() else None
    built = file.with_name(entry["probes"])
    probes = f"{path.name}.{entry['sha256']['probes'][:8]}.probes.npz"
    entry = {**entry, "probes": probes}

    def write(new: dict[str, Any]) -> None:
        content["artifacts"][path.name] = new
        manifest.write(file.parent, content)
        os.replace(file.with_name(manifest.FILE), path.with_name(manifest.FILE))

    os.replace(built, path.with_name(probes))
    write({**entry, "replaces": older} if older else entry)
    os.replace(file, path)
    if older:
        write(entry)
        if older["probes"] != probes:
            path.with_name(older["probes"]).unlink(missing_ok=True)
    return entry
