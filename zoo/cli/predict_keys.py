"""Digests of what predictions depend on, by which an interrupted command continues."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zoo.cli.opened_models import MANIFEST, is_address
from zoo.tasks.folder import CONFIG
from zoo.untrusted import sha256

SKIP = "skip_bad_rows"  # which leaves the rows before a bad one as they are


def key_of(
    source: Path, inputs: Path | Sequence[str], chosen: Mapping[str, Any], head: str | None
) -> str:
    """A digest of all that the predictions of a command depend on; empty if it cannot be known.

    At an address, another model may answer the next time.

    Args:
        source: The run, which names the digests of its files in its config, or the artifact, of
            which the manifest does; or an address.
        inputs: The file to predict from, or the inputs themselves.
        chosen: The options of the command by name.
        head: The name of the head of a multi-task run.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "config.json").write_text("{}")
        >>> one, other = (key_of(folder, [text], {}, None) for text in ("a", "b"))
        >>> one == key_of(folder, ["a"], {"skip_bad_rows": True}, None), one == other
        (True, False)
    """
    if is_address(source):
        return ""
    options = {name: value for name, value in chosen.items() if name != SKIP}
    facts = [str(source.resolve()), _digest(source), _identity(inputs), options, head]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _digest(source: Path) -> str:
    files = (source / CONFIG, source / MANIFEST, source.parent / MANIFEST)
    return next((sha256(each) for each in files if each.is_file()), "")


def _identity(inputs: Path | Sequence[str]) -> Any:
    if not isinstance(inputs, Path):
        return list(inputs)
    status = inputs.stat()
    return [str(inputs.resolve()), status.st_size, status.st_mtime_ns]
