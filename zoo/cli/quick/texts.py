"""Answers to texts by the LiteRT file of a run, as the run prints them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zoo.cli.artifact_predictions import TEXT, ArtifactPredictions
from zoo.cli.predicted_tables import TableAnswers
from zoo.cli.quick.place import ROWS, RUN
from zoo.data_statistics import Statistics, record
from zoo.errors import UserError
from zoo.serving.called import CalledModel, Facts
from zoo.serving.unknown import UNKNOWN
from zoo.tasks.cells import PREDICTION

if TYPE_CHECKING:
    import numpy as np

TRUNCATED = "truncated"
TOKENS, UNKNOWN_TOKENS = "known_tokens", "unknown_tokens"  # outputs that only such a file has
VALUES, LABELS, CLASS_ID = "values", "labels", "class_id"  # outputs


class NotServed(UserError):
    """Inputs that are left to the original weights."""


class CountedModel:
    """The model of a file, without the counts that it gives with its answers; a `CalledModel`.

    What a run says about texts that are not ordinary, it says itself.

    Args:
        model: The model of the file.
    """

    takes_requests = False

    def __init__(self, model: CalledModel) -> None:
        self._model = model
        self.name, self.config, self.beside = model.name, model.config, model.beside

    @property
    def signatures(self) -> Mapping[str, Mapping[str, Facts]]:
        return self._model.signatures

    def run(self, signature: str, inputs: Mapping[str, Any]) -> "dict[str, np.ndarray]":
        """Calls a signature; see `CalledModel`.

        Raises:
            NotServed: If a text was cut, or has no tokens, or none that the model knows.
        """
        outputs = self._model.run(signature, inputs)
        tokens, unknown = outputs.pop(TOKENS, None), outputs.pop(UNKNOWN_TOKENS, None)
        cut, strange = (outputs.pop(name, None) for name in (TRUNCATED, UNKNOWN))
        if any(each is not None and each.any() for each in (cut, strange)):
            raise NotServed("a text was cut, or has no known token")
        if tokens is not None and unknown is not None:
            if not (tokens + unknown).all():
                raise NotServed("a text has no tokens")
            record(Statistics({"unknown tokens": int(unknown.sum())}))
        return outputs


class RunTexts:
    """The answers to texts of the file of a run; a `Predictions`.

    Args:
        model: The model of the file.
    """

    takes_texts = True
    suffixes: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()

    def __init__(self, model: CalledModel) -> None:
        self._answers = ArtifactPredictions(CountedModel(model))
        self._settings, self._run = model.config["settings"], model.config.get(RUN, {})
        self.takes_pairs = self._answers.takes_pairs

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types."""
        return as_of_run(self._answers(lines, options), self._settings)

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """What answers the rows of a table."""
        answers = self._answers.table_answers(columns, encoding, options)
        return replace(answers, rows=self._run.get(ROWS, answers.rows))

    def stream(self, options: Mapping[str, Any]) -> None:
        """A file prints whole outputs."""


def as_of_run(
    rows: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The rows of an artifact as those of its run: named values, and no outputs.

    Example:
        >>> row = {"text": "a", "prediction": {"values": [2.5]}, "outputs": {"values": [2.5]}}
        >>> as_of_run([row], {"value_names": ["price"]})
        [{'text': 'a', 'prediction': 2.5}]
    """
    return [
        {
            TEXT: row[TEXT],
            PREDICTION: prediction_of(row["outputs"], settings),
            **{name: x for name, x in row.items() if name not in (TEXT, PREDICTION, "outputs")},
        }
        for row in rows
    ]


def prediction_of(outputs: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
    """The prediction for a row, as a run has it.

    Args:
        outputs: The outputs for the row, as JSON types.
        settings: The settings of the task.

    Raises:
        NotServed: If it is neither text, labels nor values.

    Example:
        >>> prediction_of({"class_id": -1}, {"labels": ["a", "b"], "other_label": "none"})
        'none'
    """
    if VALUES in outputs:
        named = dict(zip(settings["value_names"], outputs[VALUES], strict=True))
        return named if len(named) > 1 else outputs[VALUES][0]
    if LABELS in outputs:
        return [x for x, has in zip(settings["labels"], outputs[LABELS], strict=True) if has]
    if TEXT in outputs:
        return outputs[TEXT]
    if CLASS_ID in outputs:
        number = outputs[CLASS_ID]
        return settings["labels"][number] if number >= 0 else settings.get("other_label", "")
    raise NotServed("it gives neither text, labels nor values")
