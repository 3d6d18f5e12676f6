"""The run folder of a task: config.json, tokenizer/ and the weights."""

from collections.abc import Mapping
from pathlib import Path

from zoo.json_file import read_json, write_json
from zoo.tasks.measured_on import MeasuredOn, seen_of

CONFIG, TOKENIZER, WEIGHTS, METRICS = (
    "config.json",
    "tokenizer",
    "weights.weights.h5",
    "metrics.json",
)
BEST, LAST = (Path("checkpoints") / f"{name}.weights.h5" for name in ("best", "last"))
BASE = Path("checkpoints") / "base.weights.h5"  # of low-rank updates, which are checkpoints alone
ADAPTER = "adapter"  # a folder: low-rank updates in PEFT's format
STATE = Path("checkpoints") / "state.json"
START = Path("checkpoints") / "start"  # a run folder: what training began with, until a checkpoint
DATA = "data"  # in the metrics: what they were measured on
SEEN = "seen"  # in the metrics: what the model had seen of this data, in words
DIGESTS = "digests"  # in the config: sha256 of the other files that belong to it
OWN_DIGEST = "sha256"  # in the config: that of the rest of the config


def read_metrics(folder: Path) -> tuple[dict[str, float], MeasuredOn]:
    """The metrics of a run and the data that they were measured on, as far as they are there.

    Other programs may write the file, so that it does not keep a run from being loaded.
    """
    try:
        content = read_json(folder / METRICS, dict)
    except (OSError, ValueError):
        return {}, MeasuredOn()
    metrics = {str(name): float(x) for name, x in content.items() if type(x) in (int, float)}
    return metrics, measured_on(content)


def measured_on(content: Mapping[str, object]) -> MeasuredOn:
    """The data of metrics, as far as their file says it."""
    data = content.get(DATA)
    return MeasuredOn(data if isinstance(data, str) else "", seen_of(content.get(SEEN)))


def write_metrics(folder: Path, metrics: Mapping[str, float], on: MeasuredOn) -> None:
    """Writes the metrics of a run.

    Args:
        folder: The run folder.
        metrics: Values by name.
        on: The data that they were measured on.
    """
    facts = {DATA: on.names, SEEN: str(on.seen)}
    write_json(folder / METRICS, {**metrics, **{key: x for key, x in facts.items() if x}})
