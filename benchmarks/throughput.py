"""Training as a whole beside its bare steps: what input, callbacks, validation and files cost.

    python -m benchmarks.throughput

A translation model is trained as `keras-attn train` trains it: tokenizer, length buckets, dropout,
clipping, validation, checkpoints. The bare steps are those of the same compiled model on batches
that are in memory.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import zoo
from benchmarks.command import main
from zoo.bench.timing import Result

SIZES = {"model": "transformer", "preset": "tiny", "vocabulary_size": 2000}
WORDS, ROWS, HELD_OUT, EPOCHS = 900, 4000, 80, 4


def rows(count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of sentences of 3 to 30 words of 2 to 8 letters; the target is the source reversed."""
    random = np.random.default_rng(0)
    letters = [*"abcdefghijklmnopqrstuvwxyz"]
    words = ["".join(random.choice(letters, random.integers(2, 9))) for _ in range(WORDS)]
    random = np.random.default_rng([1, seed])
    sources = [random.choice(words, random.integers(3, 31)).tolist() for _ in range(count)]
    return [(" ".join(source), " ".join(reversed(source))) for source in sources]


class Timed(zoo.TextToText):
    """A task that notes when its files are saved: at the start, and at the end of each epoch."""

    def save_files(self, *args: Any, **options: Any) -> None:
        self.__dict__.setdefault("saved", []).append(time.perf_counter())
        super().save_files(*args, **options)


def bare(task: Any, count: int, epochs: int) -> float:
    """Mean of the seconds that the steps of an epoch take, on batches in memory."""
    batches = task.batches(task.read(rows(count, 0)), task.Training.of(task.training, "fit"))
    steps = iter(batches.dataset(1).cache().repeat())
    task.model.make_train_function()

    def epoch() -> float:
        start = time.perf_counter()
        for _ in range(batches.steps_per_epoch):
            logs = task.model.train_function(steps)
        np.asarray(logs["loss"])
        return time.perf_counter() - start

    epoch()  # fills the cache
    return sum(epoch() for _ in range(epochs)) / epochs


def run(quick: bool) -> Iterator[Result]:
    count, held_out, epochs = (60, 10, 2) if quick else (ROWS, HELD_OUT, EPOCHS)
    task, data = Timed(**SIZES), rows(count, 0)
    task.adapt(data)
    with tempfile.TemporaryDirectory() as folder:
        options = {"epochs": epochs, "xla": False, "folder": folder, "verbose": False}
        history = task.fit(data, rows(held_out, 1), **options)
        _, first, *_, last = task.saved  # the first epoch also traces
        whole, alone = (last - first) / (epochs - 1), bare(task, count, epochs - 1)
    yield Result(
        "training of a tiny Transformer without XLA, one epoch",
        {"training": [whole], "its steps alone": [alone]},
        {"steps / training": alone / whole},
        history.history["tokens"][-1],
        "target tokens",
    )


if __name__ == "__main__":
    main({"throughput": run}, __doc__.splitlines()[0])
