"""Prepared data: resident memory and throughput of training on it, beside data in memory.

    python -m benchmarks.shards FOLDER --rows 200000 --copies 50 --steps 300

writes a table of short texts to FOLDER and prepares it. Then it trains `rnn_classifier` for a
number of steps: on the table in memory, on the prepared data, and on that many copies of its
shards, here 10 million rows. Each training is a process of its own. It prints JSON.
"""

import argparse
import itertools
import json
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from zoo.bench.machine import machine

MODEL = "rnn_classifier"


def write_table(path: Path, rows: int) -> None:
    """Texts of 3 to 10 words of 20,000, with one of 5 labels, which its words determine."""
    random = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(20_000)])
    with open(path, "w") as file:
        for start in range(0, rows, 100_000):
            count = min(100_000, rows - start)
            lengths = random.integers(3, 11, count)
            ids = (random.random(lengths.sum()) ** 3 * len(words)).astype(int)
            ends = lengths.cumsum()
            for end, length in zip(ends, lengths, strict=True):
                each = ids[end - length : end]
                file.write(f"{' '.join(words[each])}\tlabel{each[0] % 5}\n")


def memory() -> dict[str, float]:
    """Resident memory of this process in MB: the greatest, and what is of no file now."""
    status = Path("/proc/self/status").read_text().splitlines()
    now = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in status if " kB" in line}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"peak": round(peak), "anonymous": round(now["RssAnon"]), "files": round(now["RssFile"])}


def train(data: str, steps: int) -> dict[str, Any]:
    """Trains for a number of steps; then reads as many batches without training."""
    import keras

    began = time.perf_counter()
    path = Path(data)
    task = classifier()
    before = memory()
    task.adapt(path)
    training = task.Training()
    batches = task.batches(task.read(path), training)
    ready = time.perf_counter() - began
    task.model.compile(keras.optimizers.SGD(1.0), task.objective(training).loss, jit_compile=False)
    dataset = batches.dataset(repeat=True)
    task.model.fit(dataset, steps_per_epoch=20, epochs=1, verbose=0)
    began = time.perf_counter()
    task.model.fit(dataset, steps_per_epoch=steps, epochs=1, verbose=0)
    trained = (time.perf_counter() - began) / steps
    rows = 0
    iterator = iter(dataset)
    next(iterator)
    began = time.perf_counter()
    for _, labels in itertools.islice(iterator, steps):
        rows += int(labels.shape[0])
    read = (time.perf_counter() - began) / steps
    return {
        "seconds_until_the_first_step": round(ready, 1),
        "batches_of_an_epoch": batches.steps_per_epoch,
        "ms_of_a_training_step": round(1e3 * trained, 2),
        "ms_of_a_batch_without_training": round(1e3 * read, 2),
        "rows_of_a_batch": round(rows / steps, 1),
        "model_mb": round(4 * task.model.count_params() / 2**20, 1),
        "memory_before": before,
        "memory": memory(),
    }


def apart(*arguments: Any) -> dict[str, Any]:
    """Runs this file in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.shards", *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def classifier() -> Any:
    import zoo

    return zoo.TextClassifier(MODEL, embedding_dim=16, units=16, max_length=16, tokenizer="words")


def repeat(shards: Path, folder: Path, copies: int) -> None:
    """Prepared data whose shards are copies of others."""
    shutil.copytree(shards / "task", folder / "task")
    manifest = json.loads((shards / "manifest.json").read_text())
    every = sorted(shards.glob("shard-*")) * copies
    for number, path in enumerate(every):
        shutil.copytree(path, folder / f"shard-{number:06d}")
    manifest["shards"] *= copies
    (folder / "manifest.json").write_text(json.dumps(manifest))


def prepare(table: Path, folder: Path) -> dict[str, Any]:
    began = time.perf_counter()
    rows = classifier().prepare(table, folder)
    seconds = time.perf_counter() - began
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "rows": rows,
        "seconds": round(seconds),
        "rows_per_second": round(rows / seconds),
        "mb": round(size / 2**20),
        "memory": memory(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--copies", type=int, default=50)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--train", help=argparse.SUPPRESS)
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.train:
        print(json.dumps(train(given.train, given.steps)))
        return
    if given.prepare:
        print(json.dumps(prepare(given.prepare, given.folder)))
        return
    folder, found = given.folder, {"machine": machine()}
    folder.mkdir(parents=True, exist_ok=True)
    table, shards, large = folder / "rows.tsv", folder / "shards", folder / "copies"
    write_table(table, given.rows)
    found["prepare"] = apart(shards, "--prepare", table)
    repeat(shards, large, given.copies)
    steps = ("--steps", given.steps)
    for name, data in (("in memory", table), ("prepared", shards), ("copies", large)):
        found[f"train, {name}"] = apart(folder, "--train", data, *steps)
        print(json.dumps(found, indent=1), flush=True)


if __name__ == "__main__":
    main()
