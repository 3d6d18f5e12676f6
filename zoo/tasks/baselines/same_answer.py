"""Baselines that give every input the same answer."""

from collections.abc import Callable
from dataclasses import dataclass

from zoo.tasks.baselines.frequent_answers import FrequentAnswers, named
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted
from zoo.tasks.parts.kinds import E


@dataclass(frozen=True)
class SameAnswer(Baselines[AnyFitted, E, FrequentAnswers]):
    """One answer of the training data for every input.

    Args:
        name: Name of the baseline.
        choose: Function from the training data to the answer.
        score: Function from examples and that answer to metrics by name.
    """

    loader = FrequentAnswers.load
    name: str
    choose: Callable[[E], str]
    score: Callable[[E, str], dict[str, float]]

    def fit(self, examples: E, fitted: AnyFitted) -> FrequentAnswers:
        return FrequentAnswers.of([self.choose(examples)])

    def scores(self, learned: FrequentAnswers, examples: E, fitted: AnyFitted) -> dict[str, float]:
        return named(self.score(examples, learned.answer), self.name)
