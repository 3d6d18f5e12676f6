"""Prepared data that is written in an instant, of random ids.

`python -m tests.zoo.data.shards.stored FOLDER` trains on such a stream, and prints how much memory
the process has for itself, in bytes: before it opens the data, and after each 20 steps.
"""

import itertools
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np

import zoo
from zoo.data.shards.manifest import MANIFEST, read_shards

SIZES = {"hidden_dim": 16, "intermediate_dim": 16, "num_layers": 1, "num_heads": 2}


def language_model(length: int = 8) -> Any:
    return zoo.CausalLM("gpt", max_length=length, **SIZES)


def classifier() -> Any:
    return zoo.TextClassifier("bert", tokenizer="bytes", max_length=20, **SIZES)


def prepared_stream(folder: Path, shards: int, tokens: int = 500) -> Path:
    """A stream of bytes for a language model, of 16 bits each."""
    task = language_model()
    task.prepare(["a text"], folder, processes=1, verbose=False)
    ids = np.random.default_rng(0).integers(5, 200, tokens).astype("uint16")
    _repeat(folder, shards, {"token_ids": ids}, rows=tokens)
    return folder


def prepared_rows(folder: Path, shards: int, rows: int = 60) -> Path:
    """Rows of 1 to 12 bytes for a classifier."""
    task = classifier()
    task.prepare([("a", "no"), ("b", "yes")], folder, processes=1, verbose=False)
    random = np.random.default_rng(0)
    lengths = np.sort(random.integers(1, 13, rows))
    ids = random.integers(5, 200, lengths.sum()).astype("uint16")
    labels = random.integers(0, 2, rows).astype("int32")
    offsets = np.concatenate([[0], lengths.cumsum()])
    arrays = {"token_ids": ids, "labels": labels, "token_ids.offsets": offsets}
    _repeat(folder, shards, arrays, rows)
    return folder


def _repeat(folder: Path, shards: int, arrays: dict[str, np.ndarray], rows: int) -> None:
    """Replaces the shard by several with the same arrays, which take the disk of one."""
    first = folder / "shard-000000"
    shutil.rmtree(first)
    first.mkdir()
    for name, array in arrays.items():
        np.save(first / f"{name}.npy", array)
    for number in range(1, shards):
        shutil.copytree(first, folder / f"shard-{number:06d}", copy_function=os.link)
    manifest = json.loads((folder / MANIFEST).read_text())
    values = {name: len(arrays[name]) for name in manifest["columns"]}
    manifest["shards"] = [{"rows": rows, "values": values, "files": {}}] * shards
    (folder / MANIFEST).write_text(json.dumps(manifest))


def batches_of(folder: Path) -> Any:
    """Small batches for a task that is made for the data."""
    task, options = language_model(), {"batch_size": 4}
    if read_shards(folder).task == "text-classifier":
        task, options = classifier(), {"batch_tokens": 30}
    task.adapt(folder)
    return task.batches(task.read(folder), task.Training(**options))


def own_memory() -> int:
    """Bytes that are not in files, of which pages may be freed at any time."""
    status = Path("/proc/self/status").read_text()
    (kilobytes,) = re.findall(r"RssAnon:\s+(\d+) kB", status)
    return 1024 * int(kilobytes)


def main(folder: Path) -> None:
    task = language_model(length=128)
    task.adapt(folder)
    task.model.compile(
        keras.optimizers.Adam(), task.parts.recipe.objective(task.head, task.Training()).loss
    )
    in_memory = task.batches(task.read(["some text " * 100]), task.Training(batch_size=8))
    for batch in in_memory.dataset(repeat=True).take(20):  # compiles everything
        task.model.train_on_batch(*batch)
    print(own_memory(), flush=True)
    batches = task.batches(task.read(folder), task.Training(batch_size=8))
    steps = iter(batches.dataset(repeat=True))
    for _ in range(5):
        for batch in itertools.islice(steps, 20):
            task.model.train_on_batch(*batch)
        print(own_memory(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
