"""The run folder of a task: config.json, tokenizer/ and the weights."""

import json
from pathlib import Path
from typing import Any

from zoo.atomic import replacing

CONFIG, TOKENIZER, WEIGHTS, METRICS = (
    "config.json",
    "tokenizer",
    "weights.weights.h5",
    "metrics.json",
)
BEST, LAST = (Path("checkpoints") / f"{name}.weights.h5" for name in ("best", "last"))
STATE = Path("checkpoints") / "state.json"
START = Path("checkpoints") / "start"  # a run folder: what training began with, until a checkpoint
DIGESTS = "digests"  # in the config: sha256 of the other files that belong to it
OWN_DIGEST = "sha256"  # in the config: that of the rest of the config


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
