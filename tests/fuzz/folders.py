"""Targets of run folders, and of what lies beside artifacts."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np

import zoo
from export import manifest
from export.worker.probes import Probe, load_probes
from tests.fuzz.places import whole
from tests.fuzz.target import Target
from tests.tasks.case import Case
from tests.tasks.cases import CASES
from zoo.report.page import RunFolder
from zoo.report.run_files import read_history
from zoo.text.tokenizers import TRAINABLE, load_tokenizer, train_tokenizer
from zoo.training.seal import SEAL
from zoo.training.state import TrainingState
from zoo.training.weights import load_weights, save_weights

TEXTS = ["a man in a red hat", "two dogs, über 你!", "it was fine"] * 5


def run(case: Case) -> Callable[[Path], None]:
    """Saves a task that has learned from its data what it keeps besides weights."""

    def make(folder: Path) -> None:
        beside = folder.with_name("beside")
        beside.mkdir()
        task = case.make(beside)
        task.adapt(case.data(beside))
        task.save(folder)
        for path in folder.rglob("*.h5"):
            unsealed(path)

    return make


def load(path: Path) -> None:
    """Loads a run whose digests are not checked, since who changes a file can change them, too."""
    zoo.load(whole(path), check_digests=False)


def unsealed(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        file.attrs.pop(SEAL, None)


def small_model() -> keras.Model:
    keras.utils.set_random_seed(3)
    inputs = keras.Input((5,))
    return keras.Model(inputs, keras.layers.Dense(3)(keras.layers.Dense(7)(inputs)))


def weights(folder: Path) -> None:
    path = folder / "a.weights.h5"
    save_weights(small_model(), path)
    unsealed(path)


def state(folder: Path) -> None:
    actual = TrainingState(steps_per_epoch=8, monitor="val_loss")
    for epoch in (1, 2, 3):
        actual.record({"epoch": epoch, "loss": 1 / epoch, "val_loss": 2 / epoch}, keep=2)
    (folder / "state.json").write_text(actual.to_json(), "utf-8")


def history(folder: Path) -> None:
    (folder / "history.csv").write_text("epoch,loss,val_loss\n1,2.5,3\n2,1.5,nan\n", "utf-8")
    (folder / "metrics.json").write_text(json.dumps({"test": {"accuracy": 0.5}}), "utf-8")
    (folder / "config.json").write_text(json.dumps({"task": "text-classifier"}), "utf-8")


def read_facts(path: Path) -> None:
    RunFolder(path.parent)
    read_history(path.parent / "history.csv")


def tokenizers(folder: Path) -> None:
    for kind in TRAINABLE:
        train_tokenizer(kind, TEXTS, 60 if kind != "bytes" else 300).save(folder / kind)


def spell(path: Path) -> None:
    tokenizer = load_tokenizer(path.parent)
    tokenizer.detokenize(tokenizer.tokenize(TEXTS[:2]))


def artifact(folder: Path) -> None:
    """A manifest and probes; what they belong to is not run."""
    inputs = {"text": np.array([b"a", b"b"])}
    probe = Probe(inputs, {"scores": np.ones((2, 3), "float32")})
    (folder / "a.tflite").write_bytes(b"TFL3")
    entry = manifest.entry(folder / "a.tflite", {"serving_default": [probe]}, **FACTS)
    manifest.write(folder, {"artifacts": {"a.tflite": entry}})


def probes(path: Path) -> None:
    """Reads probes as the process that verifies does, for which any error is a failed check."""
    if path.is_file():  # otherwise the digest is another
        with suppress(Exception):
            load_probes(path)


FACTS: dict[str, Any] = {
    "sha256": {},
    "format": "litert",
    "strings": True,
    "invariances": {},
    "beside": {},
    "signatures": {
        "serving_default": {
            "inputs": {"text": {"shape": ["batch"], "dtype": "string"}},
            "outputs": {"scores": {"shape": ["batch", 3], "dtype": "float32"}},
        }
    },
}


TARGETS = {
    "tokenizers": Target(tokenizers, spell),
    "weights": Target(
        weights, lambda path: load_weights(small_model(), path, check_digest=False), slow=True
    ),
    "state of a training": Target(state, TrainingState.read),
    "history and metrics": Target(history, read_facts),
    "manifest": Target(
        artifact,
        lambda path: manifest.read(path.parent),
        changed=("manifest.json",),
        errors=(ValueError,),
    ),
    "probes": Target(artifact, probes, changed=("*.npz",)),
    **{
        f"run of {name}": Target(run(case), load, slow=True)
        for name, case in CASES.items()
        if not case.variant
    },
}
