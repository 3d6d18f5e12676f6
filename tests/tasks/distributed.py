"""Trains the task of a case on one device and on several virtual ones.

`python -m tests.tasks.distributed CASE FOLDER` fails unless both give the same numbers, and prints
how the work was split. It needs KERAS_BACKEND=jax and
XLA_FLAGS=--xla_force_host_platform_device_count=8.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import keras
import numpy as np

from tests.seeding import reseed
from tests.tasks import api
from tests.tasks.cases import CASES
from tests.tasks.checks.learning import PASSING
from tests.tasks.harness import Subject, task_weights
from zoo.errors import UserError

# Its gradient is 0 up to rounding, which Adam scales up: it adds the same number to all scores.
WITHOUT_EFFECT = "key/bias"
NAMES = keras.distribution.list_devices()


def comparable(name: str) -> Callable[[Any], Any]:
    """The sums that a metric is computed from, whose relative difference is that of rounding."""
    if name.endswith("perplexity"):
        return np.log
    if name.endswith("r2"):  # one minus a ratio
        return lambda values: 1 - np.asarray(values)
    return np.asarray


def compare(subject: Subject, how: str, count: int) -> None:
    """A run on several devices that is interrupted after half its epochs, and goes on.

    The second half begins from the run folder, whose task predicts what the trained one does.
    """
    folder, epochs = subject.place(f"on {count} by {how}"), subject.case.epochs
    with mock.patch.object(keras.distribution, "list_devices", lambda: NAMES[:count]):
        reseed()
        options: dict[str, Any] = {"folder": folder, "xla": True, "distribute": how}
        subject.fit(subject.adapted(), epochs // 2, **options)
        task = api.load(folder)
        history = subject.fit(task, epochs, resume=True, **options)
    assert history.epoch == subject.history.epoch
    for name, values in subject.history.history.items():
        if name not in PASSING:
            same = comparable(name)
            actual = same(history.history[name])
            np.testing.assert_allclose(actual, same(values), rtol=1e-5, err_msg=name)
    for (path, ours), (_, theirs) in zip(
        task_weights(task), task_weights(subject.task), strict=True
    ):
        if not path.endswith(WITHOUT_EFFECT):
            # Adam makes steps of the learning rate, 0.01, also of gradients that are nearly zero.
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=3e-4, err_msg=path)
    served = api.served(api.load(folder), subject.case.head)
    actual = subject.case.output.predict(served, subject.case.texts)
    subject.case.output.same(actual, subject.predictions)
    print(f"{how} {count}", flush=True)


def main(name: str, folder: Path) -> None:
    case = CASES[name]
    subject = Subject(replace(case, fit={**case.fit, "xla": True}), folder / "subject")
    compare(subject, "data", 8)
    try:
        compare(subject, "model", 2)
    except UserError as error:
        print(error)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
