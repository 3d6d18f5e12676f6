"""Baselines of several tasks: those of each single task."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.data.several_tasks import ExamplesOfTasks
from zoo.json_file import read_json, write_json
from zoo.tasks.config import damage
from zoo.tasks.kinds import Kinds
from zoo.tasks.kinds.kind import FittedTasks
from zoo.tasks.measuring import Judged, JudgedTasks, default_values
from zoo.tasks.parts.baselines import Baselines, Saved

FOLDER, FILE = "baselines", "tasks.json"


@dataclass(frozen=True)
class LearnedOfTasks:
    """What the baselines of each task learned.

    Args:
        tasks: The baselines of each task, by name.
        kinds: The kind of each task, by name.
    """

    tasks: Mapping[str, Saved]
    kinds: Mapping[str, str]

    def save(self, folder: Path) -> None:
        """Writes all of them to folders with numbers, and the kinds in their order."""
        inside = folder / FOLDER
        for number, each in enumerate(self.tasks.values()):
            own = inside / str(number)
            own.mkdir(parents=True, exist_ok=True)
            each.save(own)
        write_json(inside / FILE, {name: self.kinds[name] for name in self.tasks})


@dataclass(frozen=True)
class BaselinesOfTasks(Baselines[FittedTasks, ExamplesOfTasks, LearnedOfTasks]):
    """The baselines that each single task has.

    Args:
        kinds: The kinds of tasks.
    """

    kinds: Kinds

    def _of(self, kind: str) -> Baselines[Any, Any, Any]:
        return self.kinds.by_name[kind].recipe.baselines

    def fit(self, examples: ExamplesOfTasks, fitted: FittedTasks) -> LearnedOfTasks | None:
        tasks = {}
        for name, part in examples.parts.items():
            single = self.kinds.member(fitted.settings, name).fitted(fitted)
            learned = self._of(examples.kinds[name]).fit(part, single)
            if learned is not None:
                tasks[name] = learned
        return LearnedOfTasks(tasks, examples.kinds) if tasks else None

    def judged_tasks(
        self, learned: LearnedOfTasks, examples: ExamplesOfTasks, fitted: FittedTasks
    ) -> Mapping[str, JudgedTasks]:
        judged: dict[str, dict[str, Judged]] = {}  # of each baseline, by task
        for name, part in examples.parts.items():
            if name in learned.tasks:
                single = self.kinds.member(fitted.settings, name).fitted(fitted)
                own = self._of(learned.kinds[name])
                for key, answers in own.judged(learned.tasks[name], part, single).items():
                    judged.setdefault(key, {})[name] = answers
        return judged

    def scores(
        self, learned: LearnedOfTasks, examples: ExamplesOfTasks, fitted: FittedTasks
    ) -> dict[str, float]:
        """The metric of each task that selects the best epoch, and its mean."""
        scores: dict[str, dict[str, float]] = {}  # of each baseline, by task
        for baseline, judged in self.judged_tasks(learned, examples, fitted).items():
            for name, own in judged.items():
                metric = self.kinds.by_name[learned.kinds[name]].metric
                value = default_values(own)[metric]
                scores.setdefault(baseline, {})[f"{name}_{metric}"] = value
        of_tasks = {
            f"{baseline}_{key}": value
            for baseline, own in scores.items()
            for key, value in own.items()
        }
        mean = self.kinds.mean(
            self.kinds.of(fitted.settings, name) for name in self.kinds.names(fitted.settings)
        )
        means = {
            f"{baseline}_{mean}": sum(own.values()) / len(own)
            for baseline, own in scores.items()
            if len(own) == len(examples.parts)
        }
        return {**of_tasks, **means}

    def load(self, folder: Path) -> LearnedOfTasks | None:
        path = folder / FOLDER / FILE
        if not path.exists():
            return None
        with damage(path):
            kinds = {str(name): str(kind) for name, kind in read_json(path, dict).items()}
            learned = {
                name: self._of(kind).load(folder / FOLDER / str(number))
                for number, (name, kind) in enumerate(kinds.items())
            }
        return LearnedOfTasks({name: x for name, x in learned.items() if x is not None}, kinds)
