"""The quick answers of a run, and the original weights where the file cannot answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from zoo.cli.artifact_predictions import SEED, Predictions
from zoo.cli.predicted_tables import TableAnswers
from zoo.data_statistics import recording
from zoo.errors import UserError
from zoo.serving.called import SERVING_DEFAULT, CalledModel, Facts
from zoo.tasks.answers.ranked_labels import TOP_K

if TYPE_CHECKING:
    from zoo.tasks.cells import Cells


class QuickAnswers:
    """The answers of the file of a run, or of its weights where the file does not answer.

    Any refusal of the file is left to the weights: what a run answers, it still answers, and its
    messages are the same.

    Args:
        quick: The answers of the file.
        exact: Opens those of the weights, which imports TensorFlow.
    """

    def __init__(self, quick: Predictions, exact: Callable[[], Predictions]) -> None:
        self._quick, self._open = quick, exact
        self.takes_texts, self.takes_pairs = quick.takes_texts, quick.takes_pairs
        self.suffixes, self.targets = quick.suffixes, quick.targets

    @cached_property
    def _exact(self) -> Predictions:
        return self._open()

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types."""
        try:
            with recording():
                return self._quick(lines, options)
        except UserError:
            return self._exact(lines, options)

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """What answers the rows of a table."""
        try:
            quick = self._quick.table_answers(columns, encoding, options)
        except UserError:
            return self._exact.table_answers(columns, encoding, options)

        def answer(inputs: list[Any], number: int) -> "list[Cells]":
            try:
                with recording():
                    return quick.answer(inputs, number)
            except UserError:
                exact = self._exact.table_answers(columns, encoding, options)
                return exact.answer(inputs, number)

        return replace(quick, answer=answer)

    def stream(self, options: Mapping[str, Any]) -> None:
        """A file prints whole outputs."""


def quick_predictions(model: CalledModel) -> Predictions | None:
    """The answers of a file of a run; None if it takes what is read with TensorFlow only."""
    inputs = model.signatures[SERVING_DEFAULT]["inputs"]
    if "series" in model.config:
        from zoo.cli.quick.series import RunSeries

        return RunSeries(model)
    if SEED in inputs or not takes_texts_or_images(inputs):
        return None
    if any(each["dtype"] == "string" for each in inputs.values()):
        from zoo.cli.quick.texts import RunTexts

        return RunTexts(model)
    from zoo.cli.quick.images import RunImages

    return RunImages(model)


def takes_texts_or_images(inputs: Facts) -> bool:
    """Whether all inputs are texts, or the only one is an image."""
    from zoo.cli.quick.images import IMAGE

    return inputs.keys() == {IMAGE} or all(each["dtype"] == "string" for each in inputs.values())


def takes(settings: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Whether a file answers with given options: the most probable of some labels, or none.

    Example:
        >>> takes({"labels": ["a", "b"]}, {"top_k": 2}), takes({}, {"steps": 9})
        (True, False)
    """
    return not options or (options.keys() == {TOP_K} and bool(settings.get("labels")))
