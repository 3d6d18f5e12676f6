"""Series as the input of a model, which reads them up to a fixed length."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.data.series.read import as_series, is_table
from zoo.data.series.series import Series, SeriesSet
from zoo.errors import UserError
from zoo.models.attending import ENCODER
from zoo.preprocessing.base import BATCH, Features
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.serving.called import CalledModel
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.attending import ATTENTION, labeled_maps, map_names
from zoo.tasks.formats.series import SERIES
from zoo.tasks.options.series_forecaster import Settings
from zoo.tasks.parts import Fitted, Input, Learned, Start
from zoo.tasks.parts.kinds import E, S

WEIGHTS = "the attention weights of a layer, for each head and each step, over all steps"
SEASONS, LONGEST = 3, 512  # in the context by default, and its greatest length


@dataclass(frozen=True)
class SeriesInput(Input[S, SeriesPreprocessor, E], Generic[S, E]):
    """Series: a table, or a list of arrays or of `zoo.Series`.

    Args:
        read: Function from a table, settings and the preprocessor to its series.
        learn_from: Function from training data and settings to what a task learns from them.
        sizes_of: Function from the preprocessor to arguments of the model.
        series_of: Function from examples to their series.
    """

    read: Callable[[Any, S, SeriesPreprocessor], SeriesSet]
    learn_from: Callable[[E, S], Learned[S, SeriesPreprocessor]]
    sizes_of: Callable[[SeriesPreprocessor], dict[str, Any]]
    series_of: Callable[[E], SeriesSet]
    attention_purpose: str = "Shows at which steps each step looks, in every layer and head."

    def learn(self, examples: E, settings: S, start: Start) -> Learned[S, SeriesPreprocessor]:
        return self.learn_from(examples, settings)

    def check_examples(self, examples: E, settings: S, preprocessor: SeriesPreprocessor) -> None:
        preprocessor.check(self.series_of(examples))

    def sizes(self, settings: S, preprocessor: SeriesPreprocessor) -> dict[str, Any]:
        return self.sizes_of(preprocessor)

    def load(self, folder: Path, settings: S) -> SeriesPreprocessor:
        return SeriesPreprocessor.load(folder / SeriesPreprocessor.subfolder)

    def series(self, data: Any, settings: S, preprocessor: SeriesPreprocessor) -> list[Series]:
        """The series of the argument of `predict`.

        Raises:
            UserError: If it is neither a table nor a list.
        """
        if is_table(data):
            examples = self.read(data, settings, preprocessor)
            preprocessor.check(examples)
            return examples.series
        if isinstance(data, np.ndarray | Series) or not isinstance(data, Iterable):
            raise UserError("predict takes a table, or a list of arrays; got a single series")
        return [as_series(each, f"series {number}") for number, each in enumerate(data, 1)]

    def raw(
        self, data: Any, settings: S, preprocessor: SeriesPreprocessor
    ) -> dict[str, Sequence[Any]]:
        return {**preprocessor.raw(self.series(data, settings, preprocessor))}

    def attention(self, fitted: Fitted[S, SeriesPreprocessor], head: Any) -> dict[str, Inference]:
        model, names = fitted.model, map_names(fitted.model)

        def attend(inputs: Tensors) -> Tensors:
            return dict(zip(names, model.attention_maps(inputs)[ENCODER], strict=True))

        length = fitted.preprocessor.context
        maps = dict.fromkeys(names, (BATCH, None, length, length))
        features = fitted.preprocessor.features
        return {ATTENTION: Inference(features, dict, attend, maps)} if maps else {}

    def meanings(self, fitted: Fitted[S, SeriesPreprocessor]) -> dict[str, str]:
        return dict.fromkeys(map_names(fitted.model), WEIGHTS)

    def attention_maps(
        self, settings: S, preprocessor: SeriesPreprocessor, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        steps = [str(step) for step in range(-preprocessor.context, 0)]
        return labeled_maps(outputs, {ENCODER: (steps, steps)})

    def restored(self, settings: S, artifact: CalledModel) -> SeriesPreprocessor:
        return SeriesPreprocessor.described(artifact.config["series"], {})

    def facts(self, preprocessor: SeriesPreprocessor) -> dict[str, Any]:
        """The names of columns, so that tables are read by name wherever an artifact runs."""
        return {"columns": preprocessor.columns, "series": preprocessor.table_facts()}


def _learn(examples: SeriesSet, settings: Settings) -> Learned[Settings, SeriesPreprocessor]:
    """Reads the last values of a series, with covariates, before a forecast."""
    horizon, context = settings.horizon or examples.horizon, settings.context_length
    if context is None:
        usual = SEASONS * max(settings.seasonality or 1, horizon)
        longest = max(map(len, examples.series)) - horizon
        context = max(1, min(usual, LONGEST, longest))
    preprocessor = SeriesPreprocessor.of(examples, context, horizon)
    return Learned(replace(settings, context_length=context), preprocessor)


def _sizes(preprocessor: SeriesPreprocessor) -> dict[str, Any]:
    return {
        "context_length": preprocessor.context,
        "horizon": preprocessor.horizon,
        "num_targets": len(preprocessor.targets),
        "known_scaling": preprocessor.known_scaling,
        "num_static": sum(column.width for column in preprocessor.static) or None,
    }


FORECAST_SERIES: SeriesInput[Settings, SeriesSet] = SeriesInput(
    SERIES.read, _learn, _sizes, lambda examples: examples
)
