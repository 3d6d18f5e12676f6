"""Texts, or pairs of texts, with something that belongs to each."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import TextsInMemory


@dataclasses.dataclass(frozen=True)
class TextRows(TextsInMemory):
    """Base of texts or pairs of texts in memory: a subclass says what belongs to them.

    Args:
        texts: The texts.
        seconds: The second text of each pair, or None for single texts.
    """

    texts: list[str]
    seconds: list[str] | None

    @property
    def answers(self) -> dict[str, list[Any]]:
        """What belongs to each row, by name of the field; reports show the first of these."""
        raise NotImplementedError

    @property
    def columns(self) -> dict[str, list[Any]]:
        seconds = {} if self.seconds is None else {"seconds": self.seconds}
        return {"texts": self.texts, **seconds, **self.answers}

    @property
    def inputs(self) -> dict[str, list[str]]:
        return {"text": self.texts} | ({} if self.seconds is None else {"second": self.seconds})

    @property
    def what(self) -> str:
        """What the inputs are, for the log."""
        return "texts" if self.seconds is None else "pairs of texts"

    def every_text(self) -> list[str]:
        return self.texts + (self.seconds or [])

    def texts_with_labels(self) -> tuple[list[str], list[str]] | None:
        """The texts and their labels; None if what belongs to a text is no label."""
        return None

    def joined_texts(self) -> list[str]:
        """The texts, those of a pair joined by a space."""
        if self.seconds is None:
            return self.texts
        return [f"{a} {b}" for a, b in zip(self.texts, self.seconds, strict=True)]

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first texts, or pairs of texts, each with its answer, for a report."""
        answers = next(iter(self.answers.values()))
        texts = zip(*(texts[:count] for texts in self.inputs.values()), strict=True)
        return [
            ExampleRow(" | ".join(row), row[0] if len(row) == 1 else row, answer)
            for row, answer in zip(texts, answers, strict=False)
        ]

    def described(self, facts: Sequence[str]) -> str:
        """A line for the log: facts, and the columns of the texts."""
        inputs = self.inputs
        names = {role: name for role, name in self.source.names.items() if role in inputs}
        source = dataclasses.replace(self.source, names=names)
        return source.describe(f"{self.path}: {', '.join(facts)}", inputs)
