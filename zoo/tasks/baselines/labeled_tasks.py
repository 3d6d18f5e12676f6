"""Baselines of several tasks of text classification, those of each task."""

from dataclasses import dataclass
from typing import Any, Self

import keras

from zoo.data.readers.labeled_tasks import LabeledTasks
from zoo.heads.label_of_tasks import MEAN
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.saved_arrays import SavedArrays
from zoo.tasks.baselines.texts import Baseline
from zoo.tasks.options.multi_task import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

NAMES = "names"  # of the array with the names of the tasks
METRIC = "accuracy"

FittedTasks = Fitted[Settings, TextPreprocessor, keras.Model]


@dataclass(frozen=True)
class BaselinesOfTasks(SavedArrays):
    """The baseline of each task, by name."""

    tasks: dict[str, Baseline]

    @property
    def arrays(self) -> dict[str, Any]:
        arrays = {
            f"{number}_{name}": array
            for number, baseline in enumerate(self.tasks.values())
            for name, array in baseline.arrays.items()
        }
        return {NAMES: list(self.tasks), **arrays}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        tasks = {}
        for number, task in enumerate(arrays[NAMES]):
            prefix = f"{number}_"
            own = {
                name.removeprefix(prefix): array
                for name, array in arrays.items()
                if name.startswith(prefix)
            }
            tasks[str(task)] = Baseline.of_arrays(own)
        return cls(tasks)


class LabeledTaskBaselines(Baselines[FittedTasks, LabeledTasks, BaselinesOfTasks]):
    """Frequent labels, and logistic regression on words and on characters, of each task."""

    loader = BaselinesOfTasks.load

    def fit(self, examples: LabeledTasks, fitted: FittedTasks) -> BaselinesOfTasks:
        texts = {name: part.texts_with_labels() for name, part in examples.parts.items()}
        return BaselinesOfTasks({name: Baseline.fit(*both) for name, both in texts.items()})

    def scores(
        self, learned: BaselinesOfTasks, examples: LabeledTasks, fitted: FittedTasks
    ) -> dict[str, float]:
        scores: dict[str, dict[str, float]] = {}  # of each kind of baseline, by task
        for name, part in examples.parts.items():
            if name not in learned.tasks:
                continue
            for metric, value in learned.tasks[name].scores(*part.texts_with_labels()).items():
                scores.setdefault(metric.removesuffix(f"_{METRIC}"), {})[name] = value
        of_tasks = {
            f"{kind}_{name}_{METRIC}": value
            for kind, values in scores.items()
            for name, value in values.items()
        }
        means = {
            f"{kind}_{MEAN}": sum(values.values()) / len(values)
            for kind, values in scores.items()
            if len(values) == len(examples.parts)
        }
        return {**of_tasks, **means}
