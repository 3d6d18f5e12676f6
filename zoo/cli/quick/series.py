"""Answers to series by the LiteRT file of a run, as the run prints them."""

from collections.abc import Mapping, Sequence
from typing import Any

from zoo.cli.artifact_predictions import TEXT
from zoo.cli.artifact_series import ArtifactSeries
from zoo.cli.predicted_tables import TableAnswers
from zoo.serving.called import CalledModel
from zoo.tasks.cells import PREDICTION


class RunSeries:
    """The answers to series of the file of a run; a `Predictions`.

    Args:
        model: The model of the file.
    """

    takes_texts = False
    takes_pairs = False
    suffixes: tuple[str, ...] = ()

    def __init__(self, model: CalledModel) -> None:
        self._answers = ArtifactSeries(model)
        self.targets = self._answers.targets

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for the series of some tables, as JSON types."""
        return [
            {TEXT: row[TEXT], PREDICTION: row[PREDICTION]} for row in self._answers(lines, options)
        ]

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """Raises a `UserError`: a row of a table is one step of a series."""
        return self._answers.table_answers(columns, encoding, options)

    def stream(self, options: Mapping[str, Any]) -> None:
        """A file prints whole outputs."""
