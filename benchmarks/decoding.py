"""Greedy decoding with caches from the exported artifacts.

    python -m benchmarks.decoding --out decoding.json

A Transformer that never ends writes 64 tokens for each source of 32, from the SavedModel (as a
graph and compiled by XLA) and from the LiteRT file (float32 and int8 weights on two threads). The
exports are the library's own, verification included. The peer, where it is installed, is
CTranslate2 with the same weights, in float32 and int8.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

import export
from benchmarks import ctranslate2_peer
from benchmarks.command import main
from benchmarks.endless import LENGTHS, EndlessTranslator, source_ids
from benchmarks.timing import Contender, Result, compare, take_turns

THREADS = 2
BATCHES = (1, 16)
# Tokens per second of the base model at batch 1 that are aimed at on two cores.
AIMS = {"saved_model": 130, "saved_model xla": 250, "litert": 350, "litert int8": 1200}
VERSUS = {
    "ctranslate2 / saved_model xla": ("ctranslate2", "saved_model xla"),
    "ctranslate2 / litert": ("ctranslate2", "litert"),
    "ctranslate2 int8 / litert int8": ("ctranslate2 int8", "litert int8"),
    "saved_model / saved_model xla": ("saved_model", "saved_model xla"),
    "saved_model / litert": ("saved_model", "litert"),
    "litert / litert int8": ("litert", "litert int8"),
}


def exported(task: EndlessTranslator, folder: Path) -> dict[str, Path]:
    """The artifacts by name of the contender."""
    paths = {
        "saved_model": folder / "graph",
        "saved_model xla": folder / "xla",
        "litert": folder / "float32.tflite",
        "litert int8": folder / "int8.tflite",
    }
    export.saved_model(task, paths["saved_model"])
    export.saved_model(task, paths["saved_model xla"], xla=True)
    export.litert(task, paths["litert"])
    export.litert(task, paths["litert int8"], quantize="int8")
    return paths


def contender(path: Path, rows: int) -> Contender:
    """Generates for a batch, and makes sure that every row got all its tokens."""
    if path.suffix == ".tflite":
        token_ids = source_ids(rows)
        loaded = Interpreter(str(path), num_threads=THREADS)
        runner = loaded.get_signature_runner("serving_default")
    else:
        token_ids = tf.constant(source_ids(rows))
        loaded = tf.saved_model.load(str(path / "1"))
        runner = loaded.signatures["serving_default"]

    def generate(_keep: Any = loaded) -> None:  # a runner does not keep the weights
        lengths = np.array(runner(token_ids=token_ids)["lengths"])
        assert (lengths == LENGTHS["target"]).all(), f"rows of {lengths} tokens"

    return generate


def peers(folder: Path, rows: int) -> dict[str, Contender]:
    """CTranslate2's, or none where it is not installed."""
    if not folder.exists():
        return {}
    kinds = {"ctranslate2": "float32", "ctranslate2 int8": "int8"}
    return {
        name: ctranslate2_peer.contender(folder, rows, kind, THREADS)
        for name, kind in kinds.items()
    }


def run(quick: bool = False) -> Iterator[Result]:
    preset, turns, batches = ("tiny", 3, BATCHES[:1]) if quick else ("base", 9, BATCHES)
    task = EndlessTranslator(preset, batches, **({"num_layers": 1} if quick else {}))
    with TemporaryDirectory() as folder:
        paths = exported(task, Path(folder))
        peer = Path(folder) / "ctranslate2"
        with suppress(ImportError):
            ctranslate2_peer.write_model(task.model, peer)
        for rows in batches:
            contenders = {name: contender(path, rows) for name, path in paths.items()}
            contenders.update(peers(peer, rows))
            seconds = take_turns(contenders, turns)
            work = rows * LENGTHS["target"]
            name = f"transformer {preset} greedy decoding, batch {rows}"
            result = Result(name, seconds, compare(seconds, VERSUS), work, "tokens")
            if rows == 1 and not quick:
                aims = {
                    f"{key} / aim of {aim}": result.rate(key) / aim for key, aim in AIMS.items()
                }
                result.ratios.update(aims)
            yield result


if __name__ == "__main__":
    main({"decoding": run}, __doc__.splitlines()[0])
