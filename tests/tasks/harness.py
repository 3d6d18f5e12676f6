"""A case's task, trained once for all of its checks."""

import functools
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from tests.seeding import reseed
from tests.tasks import api
from tests.tasks.case import Case


class Subject:
    """What the checks of one case share; each part is made when it is first asked for."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder = case, folder
        self.quantized: tuple[Path, Any] | None = None  # a file of eight bits, and its report
        folder.mkdir(parents=True)
        self.data = case.data(self.place("data"))
        self.held_out = case.held_out(self.place("held-out")) if case.held_out else self.data

    def place(self, name: str) -> Path:
        """A folder of that name, empty the first time."""
        actual = self.folder / name
        actual.mkdir(exist_ok=True)
        return actual

    def new(self, **options: Any) -> Any:
        """A task that has learned nothing."""
        return self.case.make(self.place("checkpoint"), **options)

    def adapted(self) -> Any:
        """A task with a vocabulary and a model."""
        task = self.new()
        task.adapt(self.data)
        return task

    def fit(self, task: Any, epochs: int, **options: Any) -> Any:
        """Trains it as the case says."""
        return task.fit(self.data, epochs=epochs, **{**api.FIT, **self.case.fit, **options})

    @functools.cached_property
    def _trained(self) -> tuple[Any, Any, list[np.ndarray]]:
        reseed()  # whichever check comes first
        task = self.adapted()
        before = weights(task)
        return task, self.fit(task, self.case.epochs, folder=self.run), before

    def train(self) -> None:
        """Trains the task, unless another check has done so; its run folder is there afterwards."""
        assert self.task.training

    @property
    def run(self) -> Path:
        """The run folder."""
        return self.folder / "run"

    @property
    def task(self) -> Any:
        return self._trained[0]

    @property
    def history(self) -> Any:
        return self._trained[1]

    @property
    def weights_before(self) -> list[np.ndarray]:
        return self._trained[2]

    @functools.cached_property
    def served(self) -> Any:
        """What predicts and is exported."""
        return api.served(self.task, self.case.head)

    @property
    def data_of_served(self) -> Any:
        """What it is scored on."""
        return api.of_head(self.held_out, self.case.head)

    @functools.cached_property
    def predictions(self) -> Any:
        """What it says of the case's texts."""
        return self.case.output.predict(self.served, self.case.texts)

    @functools.cached_property
    def saved(self) -> Path:
        """The folder that `save` writes."""
        folder = self.folder / "saved"
        self.task.save(folder)
        return folder

    def copy(self, name: str) -> Path:
        """A copy of it to do harm to."""
        return Path(shutil.copytree(self.saved, self.folder / name))


def weights(task: Any) -> list[np.ndarray]:
    return [np.array(weight) for weight in task.model.get_weights()]


def same_weights(actual: Any, expected: Any, tolerance: float = 0.0) -> None:
    pairs = zip(task_weights(actual), task_weights(expected), strict=True)
    for (path, ours), (_, theirs) in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance, err_msg=path)


def task_weights(task: Any) -> list[tuple[str, np.ndarray]]:
    return [(each.path, np.array(each)) for each in task.model.weights]
