"""Values as the answer of a task."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np

from zoo.data.examples import ValuedExamples
from zoo.errors import UserError
from zoo.heads.head import Reader, inferences_of_logits
from zoo.heads.values import ValuesHead
from zoo.metrics.values import ValueRows
from zoo.option_names import option_name
from zoo.preprocessing.base import Preprocessor
from zoo.registry.metrics import VALUES
from zoo.serving.inference import Inference
from zoo.tasks.cells import PREDICTION, Cells
from zoo.tasks.measuring import Judged
from zoo.tasks.options.values import ValueSettings
from zoo.tasks.parts import Answer, Fitted, Predictor

S = TypeVar("S", bound=ValueSettings)
P = TypeVar("P", bound=Preprocessor)
E = TypeVar("E", bound=ValuedExamples)


def nothing_further(examples: Any, predicted: Callable[[], np.ndarray]) -> Judged:
    """No other kind of answers."""
    return {}


@dataclass(frozen=True)
class Values(Answer[S, P, E, ValuesHead], Generic[S, P, E]):
    """One value for each row, or several: standardized as the training data are.

    Args:
        further: Function from examples, and one to the values (N, K) that the model gives them, to
            further kinds of answers that these are, the main one first.
    """

    further: Callable[[E, Callable[[], np.ndarray]], Judged] = nothing_further

    caveats = ("It gives a value to every input, also to one unlike all that it learned from.",)
    one_answer = False
    fills_batches = True

    def check(self, settings: S) -> None:
        names, means, scales = settings.value_names, settings.value_means, settings.value_scales
        for option, given in (("value_means", means), ("value_scales", scales)):
            if given is not None and not all(map(np.isfinite, given)):
                raise UserError(f"{option} must be finite numbers, got {given}")
            if given is not None and names is not None and len(given) != len(names):
                raise UserError(f"{option} must be {len(names)} numbers, got {given}")
        if scales is not None and min(scales, default=0) <= 0:
            raise UserError(f"value_scales must be above 0, got {scales}")

    def learn(self, examples: E, settings: S) -> S:
        rows = np.array(examples.values, np.float64)
        names = settings.value_names or examples.names
        if len(names) != rows.shape[1]:
            raise UserError(
                f"{examples.path} has {rows.shape[1]} values in each row; value_names must name "
                f"as many, got {names}"
            )
        for name, column in zip(names, rows.T, strict=True):
            if settings.value_scales is None and column.min() == column.max():
                raise UserError(
                    f"{examples.path}: all values of {name} are {column[0]:g}; a regressor learns "
                    "from values that differ"
                )
        means, scales = settings.value_means, settings.value_scales
        settings = replace(
            settings,
            value_names=names,
            value_means=rows.mean(axis=0).tolist() if means is None else means,
            value_scales=rows.std(axis=0).tolist() if scales is None else scales,
        )
        self.check(settings)
        return settings

    def sizes(self, settings: S) -> dict[str, Any]:
        return {"num_classes": len(self._head(settings).names)}

    def head(self, settings: S, preprocessor: P) -> ValuesHead:
        return self._head(settings)

    def _head(self, settings: S) -> ValuesHead:
        names, means, scales = settings.value_names, settings.value_means, settings.value_scales
        if names is None or means is None or scales is None:
            raise UserError("the task knows no values yet: call adapt(data) first")
        return ValuesHead(names, means, scales)

    def inferences(
        self, fitted: Fitted[S, P], head: ValuesHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        return inferences_of_logits(head, fitted.model, reader)

    def cells_of(self, result: Any, head: ValuesHead) -> Cells:
        """The value of a row; of several, each in a column of its name."""
        return dict(result) if isinstance(result, dict) else {PREDICTION: result}

    def reference_text(self, reference: Sequence[float], head: ValuesHead) -> str:
        return head.text(head.named(reference))

    def judged(self, predictor: Predictor[Fitted[S, P], ValuesHead], examples: E) -> Judged:
        head = predictor.head
        check_names(examples, head.names)

        @cache
        def predicted() -> np.ndarray:
            return np.array([head.row(result) for result in predictor.results(examples.inputs)])

        def rows() -> ValueRows:
            return ValueRows(np.array(examples.values), predicted(), head.names)

        return {**self.further(examples, predicted), VALUES: rows}


def check_names(examples: ValuedExamples, names: list[str]) -> None:
    """Raises a `UserError` if examples have more or fewer values in a row than a model."""
    if len(examples.names) != len(names):
        raise UserError(
            f"{examples.path} has {len(examples.names)} values in each row, and the model has "
            f"{len(names)}: {', '.join(names)}; name as many columns with "
            f"{option_name('value_column')}"
        )
