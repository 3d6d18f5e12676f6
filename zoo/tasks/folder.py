"""The run folder of a task: config.json, tokenizer/ and the weights."""

import json
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


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_config(folder: Path) -> dict[str, Any]:
    """The config of a run folder.

    Raises:
        UserError: If there is none, or it is damaged.
    """
    path = folder / CONFIG
    if not path.exists():
        raise UserError(f"{folder} holds no {CONFIG}: is it a run folder?")
    try:
        config = json.loads(path.read_text("utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is damaged ({error}): restore it, or train anew.") from None
    if not isinstance(config, dict) or not isinstance(config.get("task"), str):
        raise UserError(f"{path} does not say what task it is of: restore it, or train anew.")
    return config
