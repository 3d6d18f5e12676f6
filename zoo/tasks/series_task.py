"""Base class of the tasks on series."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.series.read import as_series, is_table
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import Series, SeriesSet
from zoo.errors import UserError
from zoo.models.attending import ENCODER
from zoo.preprocessing.base import BATCH, Features, Preprocessor
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.attending import ATTENTION, Tokens, map_names
from zoo.tasks.undivided import UndividedTask

FOLDER = "series"  # of the preprocessor, in a run folder


class SeriesTask(UndividedTask):
    """A task whose raw inputs are series, which its model reads up to a fixed length."""

    _learned: SeriesPreprocessor | None = None

    def adapt(self, data: Any) -> None:
        self._learned = None
        super().adapt(data)

    def build(self, preprocessor: Preprocessor) -> None:
        super().build(preprocessor)
        self._learned = self.preprocessor

    def columns(self) -> ReadingOptions:
        """How a table is read: as the settings say, or else like the training data."""
        settings, learned = self.settings.values(), self._learned
        if learned is None:
            return ReadingOptions.of(settings)
        targets = tuple(learned.targets)
        return ReadingOptions.of(
            settings, layout=learned.layout, targets=targets, clock=learned.clock
        )

    def series_set(self, data: Any) -> SeriesSet:
        """The series of a table, without what is to be predicted of them."""
        raise NotImplementedError

    def series_of(self, data: Any) -> list[Series]:
        """The series of the argument of `predict`: a table, or a list of arrays or of `Series`.

        Raises:
            UserError: If it is neither.
        """
        if is_table(data):
            examples = self.series_set(data)
            self.preprocessor.check(examples)
            return examples.series
        if isinstance(data, np.ndarray | Series) or not isinstance(data, Iterable):
            raise UserError("predict takes a table, or a list of arrays; got a single series")
        return [as_series(each, f"series {number}") for number, each in enumerate(data, 1)]

    @property
    def export_config(self) -> dict[str, Any]:
        """With the names of columns, so that tables are read by name wherever an artifact runs."""
        preprocessor: SeriesPreprocessor = self.preprocessor
        names = {"columns": preprocessor.columns, "series": preprocessor.table_facts()}
        return {**super().export_config, **names}

    def save_preprocessor(self, folder: Path) -> None:
        self.preprocessor.save(folder / FOLDER)

    def load_preprocessor(self, folder: Path) -> SeriesPreprocessor:
        return SeriesPreprocessor.load(folder / FOLDER)

    def same_preprocessor(self, folder: Path) -> bool:
        return self.load_preprocessor(folder).facts() == self.preprocessor.facts()

    def sample_inputs(self, examples: Any, count: int) -> dict[str, list[Any]]:
        return {}  # the preprocessor keeps some windows

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        return {**self.preprocessor.raw(self.series_of(data))}

    def attention_inferences(self) -> dict[str, Inference]:
        """The inference of the attention maps, if the model has any."""

        def attend(inputs: Tensors) -> Tensors:
            maps = self.model.attention_maps(inputs)[ENCODER]
            return dict(zip(map_names(self.model), maps, strict=True))

        length = self.preprocessor.context
        maps = dict.fromkeys(map_names(self.model), (BATCH, None, length, length))
        return (
            {ATTENTION: Inference(self.preprocessor.features, dict, attend, maps)} if maps else {}
        )

    @property
    def attention_meanings(self) -> dict[str, str]:
        """What each attention map of an artifact is, by name."""
        weights = "the attention weights of a layer, for each head and each step, over all steps"
        return dict.fromkeys(map_names(self.model), weights)

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        steps = [str(step) for step in range(-self.preprocessor.context, 0)]
        return {ENCODER: (steps, steps)}
