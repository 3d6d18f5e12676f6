"""Answers to images by the LiteRT file of a run, as the run prints them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.cli.artifact_predictions import TEXT, cells_of, scores_of, top_cells
from zoo.cli.predicted_tables import TableAnswers
from zoo.cli.quick.pixels import pixels_of
from zoo.cli.quick.place import ROWS, RUN
from zoo.cli.quick.texts import NotServed, prediction_of
from zoo.data.images.content import SUFFIXES
from zoo.data.images.header import Shape
from zoo.data.images.tables import image_at
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.input_columns import InputColumns
from zoo.data.readers.roles import IMAGE as IMAGE_COLUMN
from zoo.lines import SEPARATOR
from zoo.serving.called import SERVING_DEFAULT, CalledModel
from zoo.tasks.cells import PREDICTION, TABLE, Cells

IMAGE = "image"  # an input


class RunImages:
    """The answers to images of the file of a run; a `Predictions`.

    Args:
        model: The model of the file.
    """

    takes_texts = False
    takes_pairs = False
    suffixes: tuple[str, ...] = SUFFIXES
    targets: tuple[str, ...] = ()

    def __init__(self, model: CalledModel) -> None:
        self._model, self._settings = model, model.config["settings"]
        sizes = model.signatures[SERVING_DEFAULT]["inputs"][IMAGE]["shape"]
        self._shape = Shape(*sizes[1:])
        self._labels = self._settings.get("labels") or []

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for some files, as JSON types."""
        return [
            {
                TEXT: line,
                PREDICTION: prediction_of(row, self._settings),
                **scores_of(row, self._labels, options),
            }
            for line, row in zip(lines, self._outputs(lines), strict=True)
        ]

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """What answers the rows of a table of files.

        Raises:
            NotServed: If an option says how the table is read.
        """
        if columns or encoding is not None:
            raise NotServed("tables that are read in another way")
        names, config = self._settings.get("value_names") or [], self._model.config

        def answer(files: list[Any], number: int) -> list[Cells]:
            rows = self._outputs(files)
            return [
                cells_of({**row, TEXT: self._text(row)}, names)
                | top_cells(row, self._labels, options)
                for row in rows
            ]

        return TableAnswers(
            InputColumns((IMAGE_COLUMN,), image_at, SUFFIXES),
            config[TABLE]["columns"],
            ReadOptions.of(self._settings),
            answer,
            config[RUN][ROWS],
        )

    def stream(self, options: Mapping[str, Any]) -> None:
        """A file prints whole outputs."""

    def _text(self, row: Mapping[str, Any]) -> str:
        prediction = prediction_of(row, self._settings)
        return SEPARATOR.join(prediction) if isinstance(prediction, list) else str(prediction)

    def _outputs(self, files: Sequence[Any]) -> list[dict[str, Any]]:
        """The outputs for each file, by name."""
        images = np.stack([pixels_of(Path(each), self._shape) for each in files])
        arrays = self._model.run(SERVING_DEFAULT, {IMAGE: images})
        outputs = {name: array.tolist() for name, array in arrays.items()}
        return [dict(zip(outputs, row, strict=True)) for row in zip(*outputs.values(), strict=True)]
