"""What is stopped at a step in the file system, and started again: trainings, imports, exports."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import export
import zoo
from zoo.data.readers import read_columns, tables
from zoo.data.shards.manifest import is_shards
from zoo.locking import LOCK
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


def train(folder: Path, place: Path, seed: int = 0, **options: Any) -> None:
    """Trains, evaluates and saves a task; or continues, if the folder contains a run."""
    task: Any
    if is_run(folder):
        task = zoo.load(to_resume(folder))
        task.fit(ROWS, ROWS[::2], folder=folder, resume=True, **options, **FIT)
    else:
        shutil.rmtree(folder, ignore_errors=True)
        task = TextClassifier("ngram_classifier", max_length=9, seed=seed)
        task.adapt(ROWS)
        task.fit(ROWS, ROWS[::2], folder=folder, epochs=2, average=2, **options, **FIT)
    task.evaluate(ROWS)
    task.save(folder)


def train_by_steps(folder: Path, place: Path) -> None:
    """`train` with a checkpoint after each second step."""
    train(folder, place, save_every=2)


def prepare(folder: Path, place: Path) -> None:
    """Prepares data in pieces of a few rows, unless that is done."""
    read_columns.PIECE_ROWS = tables.BATCH_ROWS = 5
    path = place / "rows.tsv"
    if not path.exists():
        path.write_text("".join(f"{text}\t{label}\n" for text, label in ROWS))
    if not is_shards(folder):
        TextClassifier("rnn_classifier", max_length=9).prepare(path, folder, processes=1)


def shards(folder: Path) -> dict[str, Any]:
    """A digest of all files of prepared data, and their names, without those deleted at the end."""
    total = hashlib.sha256()
    actual = [name for name in names(folder) if name not in ("plan.json", LOCK)]
    for path in (folder / name for name in actual):
        total.update(path.read_bytes() if path.is_file() else b"")
    return {"digest": total.hexdigest(), "files": actual}


def convert(folder: Path, place: Path) -> None:
    """Imports a checkpoint, unless the folder contains a run."""
    if not is_run(folder):
        from_pretrained(place / "checkpoint").save(folder)


def litert(folder: Path, place: Path) -> None:
    """Replaces a LiteRT file by that of a run."""
    replace_by(export.litert, folder / "a.tflite", place / "run")


def saved_model(folder: Path, place: Path) -> None:
    """Replaces a SavedModel by that of a run."""
    replace_by(export.saved_model, folder / "served", place / "run")


def onnx(folder: Path, place: Path) -> None:
    """Replaces a folder of ONNX files by that of a run."""
    replace_by(export.onnx, folder / "onnx", place / "run")


def replace_by(export_to: Callable[[Any, Path], Any], path: Path, of: Path) -> None:
    assert not path.exists() or export.verify(path).passed  # it is the old one or the new one
    export_to(zoo.load(of), path)


def artifacts(folder: Path, place: Path) -> None:
    """Puts artifacts of another run into a folder; they are made once, with the run."""
    earlier = place / "earlier"
    if not earlier.exists():
        for number, name in enumerate(("other", "run")):
            train(place / name, place, seed=number)
        task = zoo.load(place / "other")
        export.litert(task, earlier / "a.tflite")
        export.saved_model(task, earlier / "served")
        export.onnx(task, earlier / "onnx")
    shutil.copytree(earlier, folder)


def epoch_of(folder: Path) -> int:
    """The epoch from which a training would go on; 0 if it would start again."""
    state = folder / "checkpoints" / "state.json"
    return json.loads(state.read_text())["epoch"] if state.is_file() else 0


def verified(folder: Path) -> dict[str, Any]:
    """Whether the artifacts in a folder pass their verification, and the names of the files."""
    paths = (folder / "a.tflite", folder / "served", folder / "onnx")
    files = [re.sub(r"\.[0-9a-f]{8}\.", ".", name) for name in names(folder)]
    return {"digest": [export.verify(path).passed for path in paths], "files": sorted(files)}


def names(folder: Path) -> list[str]:
    """The names of the files in a folder, and in those below it."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def run(folder: Path) -> dict[str, Any]:
    """A digest of the weights and facts of a run, and the names of its files."""
    total = hashlib.sha256()
    for weight in zoo.load(folder).model.weights:
        total.update(weight.numpy().tobytes())
    facts = [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]
    for actual in facts:
        actual.pop("seconds", None)
        actual.pop("digests", None)  # of weights files, which have the times of their creation
        for row in actual.get("history", []):
            del row["seconds"]
    total.update(json.dumps(facts, sort_keys=True).encode())
    return {"digest": total.hexdigest(), "files": names(folder)}


class Action(NamedTuple):
    """What is done, what has to be the same in the end, and what is there before."""

    act: Callable[[Path, Path], None]
    outcome: Callable[[Path], dict[str, Any]]
    prepare: Callable[[Path, Path], None] = lambda folder, place: None


ACTIONS = {
    "train": Action(train, run),
    "train by steps": Action(train_by_steps, run),
    "prepare": Action(prepare, shards),
    "import": Action(convert, run),
    "litert": Action(litert, verified, artifacts),
    "saved model": Action(saved_model, verified, artifacts),
    "onnx": Action(onnx, verified, artifacts),
}
