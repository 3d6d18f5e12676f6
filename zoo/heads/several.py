"""Answers of several tasks: the head of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zoo.heads.head import Head
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.text.form import TextForm


@dataclass(frozen=True)
class HeadOfTasks:
    """The heads of several tasks by name, which may be of different kinds; a `Head`.

    Names of outputs are those of a head after the name of the task, such as `films_scores`.

    Args:
        heads: The head of each task.
        kinds: The name of the kind of each.

    Example:
        >>> from zoo.heads.label import LabelHead
        >>> from zoo.heads.values import ValuesHead
        >>> heads = {"mood": LabelHead(["bad", "good"]), "stars": ValuesHead(["stars"], [3], [1])}
        >>> list(HeadOfTasks(heads, {"mood": "label", "stars": "values"}).meanings)
        ['mood_scores', 'mood_class_id', 'mood_text', 'stars_values']
    """

    heads: Mapping[str, Head]
    kinds: Mapping[str, str]

    @property
    def meanings(self) -> dict[str, str]:
        return {
            f"{name}_{output}": f"{meaning}, of {name}"
            for name, head in self.heads.items()
            for output, meaning in head.meanings.items()
        }

    @property
    def files(self) -> dict[str, str]:
        return {}

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        answers: Tensors = {}
        for name, head in self.heads.items():
            done = head.postprocess(_of(name, outputs), features, form)
            answers |= {f"{name}_{key}": value for key, value in done.items()}
        return answers

    def result(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of each task, by its name."""
        return {name: head.result(_of(name, row)) for name, head in self.heads.items()}

    def text(self, result: Mapping[str, Any]) -> str:
        """The answers as text."""
        return ", ".join(f"{name}: {self.heads[name].text(x)}" for name, x in result.items())


def _of(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a task, without its name before theirs."""
    start = f"{name}_"
    return {key.removeprefix(start): x for key, x in values.items() if key.startswith(start)}
