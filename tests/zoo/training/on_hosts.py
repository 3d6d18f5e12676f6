"""One process of several that train together, as environment variables say.

`python -m tests.zoo.training.on_hosts FOLDER DATA [EPOCH BATCH PROCESS [HOW]]` trains into a
folder, or goes on there, and prints the losses as JSON. DATA is "text", or a folder of prepared
data. With a place, a process kills itself there; with TERM, it sends itself SIGTERM there, and all
take their time for each batch. Batch 0 is the first of the validation. With WAIT, all wait before
they train. It uses all devices of all processes.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import keras
import numpy as np

import zoo
from zoo.data.shards.manifest import read_shards
from zoo.tasks.config import is_run, to_resume
from zoo.training.hosts import join_hosts
from zoo.training.save_steps import SaveSteps
from zoo.training.termination import ends_at_once

ROWS, LENGTH = 15, 9  # of a batch, which no number of processes above 1 divides
EVEN = 16  # rows that 2 and 4 processes divide
SIZES = {"hidden_dim": 16, "intermediate_dim": 24, "num_layers": 1, "dropout": 0.2}
FIT = {"epochs": 3, "schedule": "noam", "warmup": 5, "learning_rate": 0.01, "save_every": 2}
TEXT = {"batch_size": ROWS}
BATCHES = {"causal-lm": {"batch_size": EVEN}, "text-classifier": {"batch_tokens": 150}}  # prepared


def text() -> list[str]:
    """A text of words in a fixed order with gaps, long enough for six batches."""
    random = np.random.default_rng(3)
    return ["".join(random.choice(list("abcdefg"), 6 * ROWS * LENGTH).tolist())]


def labeled() -> list[tuple[str, str]]:
    """Texts of 1 to 11 words, and whether the first one is a color."""
    random, words = np.random.default_rng(5), "red green blue cat dog runs sleeps".split()
    texts = [" ".join(random.choice(words, size)) for size in random.integers(1, 12, 140)]
    return [(text, "yes" if text.split()[0] in words[:3] else "no") for text in texts]


def new_task(name: str) -> Any:
    """A task that has learned nothing."""
    if name == "causal-lm":
        return zoo.CausalLM(model="gpt", num_heads=4, max_length=LENGTH, **SIZES)
    return zoo.TextClassifier("bert", num_heads=4, vocabulary_size=64, max_length=20, **SIZES)


def killed(place: tuple[int, int], how: int, seconds: float = 0.0) -> Any:
    """Sends this process a signal before a batch, both counted from 1."""
    train, test = SaveSteps.on_train_batch_begin, SaveSteps.on_test_batch_begin

    def reach(self: Any, number: int) -> None:
        if (self.state.epoch + 1, number) == place:
            os.kill(os.getpid(), how)
        time.sleep(seconds)

    def begin_train(self: Any, batch: int, logs: Any = None) -> None:
        reach(self, self.watch.skipped + batch + 1)
        train(self, batch, logs)

    def begin_test(self: Any, batch: int, logs: Any = None) -> None:
        reach(self, 0 if batch == 0 else -1)
        test(self, batch, logs)

    return mock.patch.multiple(
        SaveSteps, on_train_batch_begin=begin_train, on_test_batch_begin=begin_test
    )


def main(folder: Path, given: str, *place: str) -> None:
    join_hosts()
    how = place[3] if len(place) > 3 else "KILL"
    if how == "WAIT":
        print("joined", flush=True)
        time.sleep(60)
    data = text() if given == "text" else given
    name = "causal-lm" if given == "text" else read_shards(Path(given)).task
    resume = is_run(folder)
    if resume:
        task = zoo.load(to_resume(folder))
    else:
        task = new_task(name)
        task.adapt(data)
    epoch, batch, process = map(int, place[:3] or (0, 0, -1))
    is_victim = os.environ.get("KERAS_DISTRIBUTION_PROCESS_ID") == str(process)
    where = (epoch, batch) if is_victim else (0, 0)
    several = len(keras.distribution.list_devices()) > 1
    with killed(where, getattr(signal, f"SIG{how}"), 0.5 if how == "TERM" else 0.0):
        history = task.fit(
            data,
            data,
            folder=folder,
            resume=resume,
            distribute="data" if several else None,
            **FIT,
            **(TEXT if given == "text" else BATCHES[name]),
        )
    print(json.dumps(history.history))


if __name__ == "__main__":
    with ends_at_once():
        main(Path(sys.argv[1]), *sys.argv[2:])
