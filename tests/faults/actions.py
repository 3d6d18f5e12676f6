"""What is stopped at a step in the file system, and started again: a training, an import."""

import hashlib
import json
import shutil
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import zoo
from zoo.pretrained.load import from_pretrained
from zoo.tasks.config import is_run, to_resume
from zoo.tasks.text_classifier import TextClassifier

for each in ("sklearn.linear_model", "sklearn.feature_extraction.text", "tokenizers"):
    with suppress(ImportError):
        import_module(each)  # once, before processes are forked

ROWS = [
    (f"{first} {second} {third}", "good" if "fine" in (first, second) else "bad")
    for first in ("fine", "dull", "odd")
    for second in ("film", "fine", "tree")
    for third in ("one", "two")
]
FIT: dict[str, Any] = {"xla": False, "verbose": False}


def train(folder: Path, place: Path) -> None:
    """Trains, evaluates and saves a task; or continues, if the folder contains a run."""
    task: Any
    if is_run(folder):
        task = zoo.load(to_resume(folder))
        task.fit(ROWS, ROWS[::2], folder=folder, resume=True, **FIT)
    else:
        shutil.rmtree(folder, ignore_errors=True)
        task = TextClassifier("ngram_classifier", max_length=9)
        task.adapt(ROWS)
        task.fit(ROWS, ROWS[::2], folder=folder, epochs=2, average=2, **FIT)
    task.evaluate(ROWS)
    task.save(folder)


def convert(folder: Path, place: Path) -> None:
    """Imports a checkpoint, unless the folder contains a run."""
    if not is_run(folder):
        from_pretrained(place / "checkpoint").save(folder)


ACTIONS = {"train": train, "import": convert}


def epoch_of(folder: Path) -> int:
    """The epoch from which a training would go on; 0 if it would start again."""
    state = folder / "checkpoints" / "state.json"
    return json.loads(state.read_text())["epoch"] if state.is_file() else 0


def outcome(folder: Path) -> dict[str, Any]:
    """A digest of the weights and facts of a run, and the names of its files."""
    total = hashlib.sha256()
    for weight in zoo.load(folder).model.weights:
        total.update(weight.numpy().tobytes())
    facts = [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]
    for found in facts:
        found.pop("seconds", None)
        found.pop("digests", None)  # of weights files, which have the times of their creation
        for row in found.get("history", []):
            del row["seconds"]
    total.update(json.dumps(facts, sort_keys=True).encode())
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return {"digest": total.hexdigest(), "files": files}
