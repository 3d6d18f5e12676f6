"""The answer of a task: what a model predicts, and how that is scored."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import keras

from zoo.data.examples import Examples
from zoo.heads.head import Head, Reader
from zoo.options import Options
from zoo.preprocessing.base import Preprocessor
from zoo.serving.inference import Inference
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.parts.fitted import Fitted
from zoo.tasks.parts.predictor import Predictor

S = TypeVar("S", bound=TaskSettings)
P = TypeVar("P", bound=Preprocessor)
M = TypeVar("M", bound=keras.Model)
E = TypeVar("E", bound=Examples)
H = TypeVar("H", bound=Head)


class Answer(Generic[S, P, M, E, H]):
    """The kind of answer of a model: learns what it depends on, and makes the head."""

    caveats: tuple[str, ...] = ()  # sentences of the model card
    one_answer: bool = True  # whether a prediction equals the reference or is wrong
    options: type[Options] = Options  # of `predict` and `evaluate`
    export_options: tuple[str, ...] = ()  # those of `options` that an artifact may fix

    def learn(self, examples: E, settings: S) -> S:
        """The settings with what the answers depend on, such as the labels."""
        raise NotImplementedError

    def sizes(self, settings: S) -> dict[str, Any]:
        """Arguments of the model that depend on its answers, such as the number of classes."""
        raise NotImplementedError

    def head(self, settings: S, preprocessor: P) -> H:
        """The head."""
        raise NotImplementedError

    def inferences(
        self, fitted: Fitted[S, P, M], head: H, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        """The inferences of the model, by name of the signature.

        Args:
            fitted: The settings, the preprocessor and the model.
            head: The head.
            reader: How the model reads features.
            options: Some of `options`, by name.
        """
        raise NotImplementedError

    def predict(
        self,
        predictor: Predictor[S, P, M, E, H],
        data: Any,
        batch_size: int,
        options: Mapping[str, Any],
    ) -> Any:
        """Predicts an answer for each row.

        Args:
            predictor: Computes answers for raw inputs.
            data: The argument of `predict`.
            batch_size: Batch size.
            options: Some of `options`, by name.
        """
        return predictor.results(predictor.raw(data), batch_size)

    def score(self, predictor: Predictor[S, P, M, E, H], examples: E) -> dict[str, float]:
        """Computes the metrics on examples."""
        raise NotImplementedError
