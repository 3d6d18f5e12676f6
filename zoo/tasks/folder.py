"""The run folder of a task: config.json, tokenizer/ and the weights."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zoo.atomic import replacing
from zoo.errors import UserError

CONFIG, TOKENIZER, WEIGHTS, METRICS = (
    "config.json",
    "tokenizer",
    "weights.weights.h5",
    "metrics.json",
)
BEST, LAST = (Path("checkpoints") / f"{name}.weights.h5" for name in ("best", "last"))
SECTIONS = {"settings": dict, "model_options": dict, "training": dict, "files": dict,
            "data": dict, "examples": dict}  # fmt: skip


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_config(folder: Path) -> dict[str, Any]:
    """Reads the config of a run folder.

    Raises:
        UserError: If there is no config, or it is damaged.
    """
    path = folder / CONFIG
    if not path.exists():
        raise UserError(f"{folder} contains no {CONFIG}: is it a run folder?")
    try:
        config = json.loads(path.read_text("utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is damaged ({error}): restore it, or train again.") from None
    if not isinstance(config, dict) or not isinstance(config.get("task"), str):
        raise UserError(f"{path} does not name a task: restore it, or train again.")
    unknown = sorted(set(config) - {"task", "vocabulary_size", *SECTIONS})
    if unknown:
        raise UserError(f"{path} is damaged (unknown {unknown[0]!r}): restore it, or train again.")
    for name, kind in SECTIONS.items():
        if not isinstance(config.get(name), kind):
            raise UserError(f"{path} is damaged (no {name!r}): restore it, or train again.")
    return config


@contextmanager
def damage(path: Path) -> Iterator[None]:
    """Context manager that reports errors in the block as damage to a file."""
    try:
        yield
    except (UserError, TypeError, KeyError, AttributeError, ValueError) as error:
        reason = (str(error).splitlines() or [repr(error)])[0]
        raise UserError(f"{path} is damaged ({reason}): restore it, or train again.") from None


def weights(folder: Path) -> Path:
    """The weights file of a run: the saved weights, or else the best or the last checkpoint.

    Raises:
        UserError: If there is no weights file.
    """
    found = [folder / name for name in (WEIGHTS, BEST, LAST) if (folder / name).exists()]
    if not found:
        raise UserError(f"{folder} contains no {WEIGHTS}: restore it, or train again.")
    return found[0]
