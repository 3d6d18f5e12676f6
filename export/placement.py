"""Move a verified LiteRT file into a folder that may hold an older one of the same name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from export import manifest


def place(file: Path, path: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Moves a file and its probes into place, and adds its entry to the manifest.

    Args:
        file: The verified file; its probes and a manifest are beside it.
        path: Where it belongs.
        entry: Its entry of the manifest.

    Returns:
        The entry that was written.
    """
    content = manifest.read(path.parent)
    content["artifacts"][path.name] = entry
    manifest.write(file.parent, content)
    os.replace(file.with_name(entry["probes"]), path.with_name(entry["probes"]))
    os.replace(file, path)
    os.replace(file.with_name(manifest.FILE), path.with_name(manifest.FILE))
    return entry
