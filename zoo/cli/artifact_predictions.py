"""Predictions of an exported artifact. Those of a LiteRT file need no TensorFlow."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from zoo.cli.console import load
from zoo.cli.opened_models import open_model
from zoo.cli.predicted_tables import TableAnswers, seeded
from zoo.cli.table_writing import parts_of
from zoo.errors import UserError
from zoo.option_names import spelled
from zoo.serving.called import SERVING_DEFAULT, CalledModel
from zoo.serving.unknown import record_unknown
from zoo.tasks.answers.ranked_labels import ranked_cells, ranked_labels
from zoo.tasks.cells import PREDICTION, SCORE, SCORES, TABLE, Cells, Scored

SEED, TEXT = "seed", "text"  # an input, and the output that is printed


class Predictions(Protocol):
    """The predictions of an artifact, for lines with texts or with paths of tables."""

    takes_texts: bool
    takes_pairs: bool
    suffixes: tuple[str, ...]  # of the files that it takes; empty if a folder is an input
    targets: tuple[str, ...]  # names of what is forecast; empty of other predictions

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any], /) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types."""

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any], /
    ) -> TableAnswers:
        """What answers the rows of a table; see `ArtifactPredictions.table_answers`."""

    def stream(self, options: Mapping[str, Any], /) -> Callable[[str], None] | None:
        """What prints an output while it is generated, if it can."""


def predictions_of(path: Path, options: Mapping[str, Any]) -> Predictions:
    """The predictions of an artifact or of an address, for lines of texts or of paths.

    Args:
        path: The artifact, or the address.
        options: Options of its answers.

    Raises:
        UserError: If it is no exported artifact, was changed, or has no such option.
    """
    model = open_model(path)
    if "series" in model.config:
        from zoo.cli.artifact_series import (
            ArtifactSeries,  # imports NumPy, which `--help` leaves out
        )

        return ArtifactSeries(model)
    inputs = model.signatures[SERVING_DEFAULT]["inputs"]
    if all(name == SEED or each["dtype"] == "string" for name, each in inputs.items()):
        return ArtifactPredictions(model)
    load("zoo")  # without TensorFlow's log messages
    from zoo.cli.task_predictions import task_predictions
    from zoo.tasks.artifact_task import artifact_task

    return task_predictions(artifact_task(model), options, candidates=False, chat=False)


class ArtifactPredictions:
    """The predictions of an artifact that takes texts.

    Args:
        model: The artifact.
    """

    takes_texts = True
    suffixes: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()

    def __init__(self, model: CalledModel) -> None:
        self._model = model
        inputs = model.signatures[SERVING_DEFAULT]["inputs"]
        texts = [name for name, each in inputs.items() if each["dtype"] == "string"]
        roles = model.config.get(TABLE, {}).get("roles", ())  # a signature has its inputs by name
        self._texts = [*roles] if {*roles} == {*texts} else texts
        self._samples = SEED in inputs
        self.takes_pairs = len(self._texts) == 2

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types. Several texts are separated by tabs.

        The prediction for a line is its text, or else all outputs by name.

        Args:
            lines: The lines.
            options: "seed" is that of the first line, if the artifact samples; each further line
                has the next.
        """
        count = len(self._texts)
        rows = self._outputs([parts_of(line, count) for line in lines], options)
        labels = self._model.config.get("settings", {}).get("labels") or []
        return [
            {
                "text": line,
                PREDICTION: row.get(TEXT, row),
                **scores_of(row, labels, options),
                "outputs": row,
            }
            for line, row in zip(lines, rows, strict=True)
        ]

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """The artifact as what answers the rows of a table.

        Args:
            columns: Options that name columns.
            encoding: Encoding of the table; None for that of the training data.
            options: See `__call__`.

        Raises:
            UserError: If an option names a column that it does not read.
        """
        from zoo.data.readers.column_names import ReadOptions
        from zoo.data.readers.input_columns import InputColumns
        from zoo.data.readers.roles import INPUTS

        config = self._model.config
        table = config.get(TABLE, {"roles": self._texts, "columns": {}})  # earlier files have none
        roles = tuple(INPUTS[name] for name in table["roles"])
        named = {role.option for role in roles}
        for name in columns:
            if name not in {*named, "skip_bad_rows"}:
                raise UserError(f"the artifact has no option {spelled(name)}")
        chosen = {**config.get("settings", {}), **columns}
        if encoding is not None:
            chosen["encoding"] = encoding

        names, labels = chosen.get("value_names") or [], chosen.get("labels") or []

        def answer(inputs: list[Any], number: int) -> list[Cells]:
            rows = [(each,) if isinstance(each, str) else each for each in inputs]
            return [
                cells_of(row, names) | top_cells(row, labels, options)
                for row in self._outputs(rows, seeded(options, number))
            ]

        return TableAnswers(InputColumns(roles), table["columns"], ReadOptions.of(chosen), answer)

    def stream(self, options: Mapping[str, Any]) -> None:
        """Artifacts print whole outputs."""

    def _outputs(
        self, rows: Sequence[Sequence[str]], options: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """The outputs for the texts of each row, by name."""
        import numpy as np

        columns = zip(*rows, strict=True)
        inputs: dict[str, Any] = dict(zip(self._texts, columns, strict=True))
        if self._samples:
            seeds = np.arange(len(rows)) + options.get(SEED, 0)
            inputs[SEED] = seeds.astype(np.uint32).view(np.int32)
        elif SEED in options:
            raise UserError("--seed has no effect: the artifact does not sample")
        arrays = self._model.run(SERVING_DEFAULT, inputs)
        outputs = {name: array.tolist() for name, array in arrays.items()}
        results = [
            dict(zip(outputs, row, strict=True)) for row in zip(*outputs.values(), strict=True)
        ]
        record_unknown(results)
        return results


def cells_of(row: Mapping[str, Any], values: Sequence[str]) -> "Cells":
    """The outputs for a row as cells of a table, as those of the run.

    Args:
        row: The outputs, by name.
        values: The names of values, if the answer has several.

    Example:
        >>> cells_of({"text": "good", "class_id": 1, "scores": [0.25, 0.75]}, [])
        {'prediction': 'good', 'score': 0.75}
        >>> cells_of({"values": [1.5, 2.0]}, ["price", "size"])
        {'price': 1.5, 'size': 2.0}
    """
    cells: Cells = {}
    if "values" in row:
        several = len(row["values"]) > 1
        cells |= dict(zip(values if several else [PREDICTION], row["values"], strict=True))
    else:
        cells[PREDICTION] = row[TEXT] if TEXT in row else json.dumps(next(iter(row.values())))
    if "scores" in row and "class_id" in row:
        cells[SCORE] = max(row["scores"])
    return cells | {name: row[name] for name in (SCORE, "start", "end") if name in row}


def scores_of(row: Mapping[str, Any], labels: Sequence[str], options: Mapping[str, Any]) -> Scored:
    """The scores of the labels of a row, as those of the run; none if it has no such.

    Example:
        >>> scores_of({"class_id": 1, "scores": [0.25, 0.75]}, ["bad", "good"], {})
        {'score': 0.75, 'scores': {'good': 0.75, 'bad': 0.25}}
    """
    if len(row.get(SCORES, ())) != len(labels) or not labels:
        return {}
    best = {SCORE: max(row[SCORES])} if "class_id" in row else {}
    return {**best, SCORES: ranked_labels(labels, row[SCORES], options)}


def top_cells(row: Mapping[str, Any], labels: Sequence[str], options: Mapping[str, Any]) -> Cells:
    """The cells of the most probable labels of a row, as those of the run."""
    return ranked_cells(labels, row[SCORES], options) if scores_of(row, labels, options) else {}
