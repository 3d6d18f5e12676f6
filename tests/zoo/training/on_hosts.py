"""One process of several that train together, as environment variables say.

`python -m tests.zoo.training.on_hosts FOLDER [EPOCH BATCH PROCESS]` trains into a folder, or goes
on there, and prints the losses as JSON. With a place, a process kills itself there.
"""

import json
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import zoo
from zoo.tasks.config import is_run, to_resume
from zoo.training.callbacks import WatchBatches
from zoo.training.hosts import join_hosts

ROWS, LENGTH = 15, 9  # of a batch, which no number of processes above 1 divides
SIZES = {"hidden_dim": 16, "intermediate_dim": 24, "num_layers": 1, "dropout": 0.2}
FIT = {"epochs": 3, "batch_size": ROWS, "schedule": "noam", "warmup": 5, "learning_rate": 0.01}


def text() -> list[str]:
    """A text of words in a fixed order with gaps, long enough for six batches."""
    random = np.random.default_rng(3)
    return ["".join(random.choice(list("abcdefg"), 6 * ROWS * LENGTH).tolist())]


def killed(place: tuple[int, int]) -> Any:
    """Ends this process at once before a batch, both counted from 1."""
    begin = WatchBatches.on_train_batch_begin

    def end(self: Any, batch: int, logs: Any = None) -> None:
        if (self._epoch, batch + 1) == place:
            os.kill(os.getpid(), signal.SIGKILL)
        begin(self, batch, logs)

    return mock.patch.object(WatchBatches, "on_train_batch_begin", end)


def main(folder: Path, *place: str) -> None:
    count = join_hosts()
    resume = is_run(folder)
    if resume:
        task = zoo.load(to_resume(folder))
    else:
        task = zoo.CausalLM(model="gpt", num_heads=4, max_length=LENGTH, **SIZES)
        task.adapt(text())
    epoch, batch, process = map(int, place or (0, 0, -1))
    is_victim = os.environ.get("KERAS_DISTRIBUTION_PROCESS_ID") == str(process)
    with killed((epoch, batch)) if is_victim else nullcontext():
        history = task.fit(
            text(),
            text(),
            folder=folder,
            resume=resume,
            distribute="data" if count > 1 else None,
            save_every=2,
            **FIT,
        )
    print(json.dumps(history.history))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
