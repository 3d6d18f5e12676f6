"""The schema of an entry of a manifest."""

from __future__ import annotations

from typing import Any

from export.tolerances import TOLERANCES

NEEDED = {
    "format": str,
    "probes": str,
    "strings": bool,
    "signatures": dict,
    "invariances": dict,
    "beside": dict,
    "sha256": dict,
}


def check_entry(entry: Any) -> None:
    """Raises a ValueError if an entry lacks something, or has something of another type.

    Example:
        >>> check_entry({"format": 3})
        Traceback (most recent call last):
        ...
        ValueError: 'format' must be of the type str.
    """
    if not isinstance(entry, dict):
        raise ValueError("an entry must be a dict.")
    for key, kind in NEEDED.items():
        if not isinstance(entry.get(key), kind):
            raise ValueError(f"'{key}' must be of the type {kind.__name__}.")
    if entry.get("quantize") not in list(TOLERANCES):
        raise ValueError(f"'quantize' must be one of {list(TOLERANCES)}.")
    if not {"artifact", "probes"} <= set(entry["sha256"]):
        raise ValueError("'sha256' must have artifact and probes.")
    for key in ("sha256", "beside"):
        if any(not isinstance(each, str) for each in entry[key].values()):
            raise ValueError(f"'{key}' must be a dict of str.")
    if not isinstance(entry.get("config", {}), dict):
        raise ValueError("'config' must be a dict.")
    if "replaces" in entry:
        check_entry(entry["replaces"])
