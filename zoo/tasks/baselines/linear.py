"""Linear models that baselines fit to features of the inputs, such as words or pixels."""

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.parts.fitted import AnyFitted

X = TypeVar("X", bound=Sized)  # inputs, such as a list of texts or vectors (N, D)
X_contra = TypeVar("X_contra", bound=Sized, contravariant=True)
Solution = tuple[np.ndarray, np.ndarray]  # coefficients (K, D) and intercepts (K,)


class FeatureMap(Protocol[X_contra]):
    """From inputs to features; it is learned from training data."""

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """What was learned, by name; of each the last axis has D numbers."""

    def features(self, inputs: X_contra) -> Any:
        """The features (N, D) of inputs, an array or a sparse matrix."""


@dataclass(frozen=True)
class LinearModel(Generic[X]):
    """A linear model of features.

    Formula: `features(x) W^T + b`

    Args:
        map: The features.
        coefficients: The coefficients W, (K, D).
        intercepts: The intercepts b, (K,).
    """

    map: FeatureMap[X]
    coefficients: np.ndarray
    intercepts: np.ndarray

    def __post_init__(self) -> None:
        width = self.coefficients.shape[-1]
        fits = all(each.shape[-1] == width for each in self.map.arrays.values())
        if self.coefficients.shape != (len(self.intercepts), width) or not fits:
            raise ValueError("the numbers of coefficients and features differ")

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All that was learned, by name."""
        own = {"coefficients": self.coefficients, "intercepts": self.intercepts}
        return {**self.map.arrays, **own}

    def predict(self, inputs: X) -> np.ndarray:
        """The outputs (N, K) for inputs."""
        outputs: np.ndarray = self.map.features(inputs) @ self.coefficients.T + self.intercepts
        return outputs


@dataclass(frozen=True)
class Linear(Generic[X]):
    """A kind of linear model.

    Args:
        name: What its metrics begin with.
        learn: Function from inputs to the feature map and their features; None if it cannot be.
        load: Function from saved arrays to the feature map; None if it needs what is not installed.
        solve: Function from features (N, D) and targets (N, K) to the coefficients and intercepts.
    """

    name: str
    learn: Callable[[X], tuple[FeatureMap[X], Any] | None]
    load: Callable[[dict[str, np.ndarray]], FeatureMap[X] | None]
    solve: Callable[[Any, np.ndarray], Solution]

    def fit(self, inputs: X, targets: np.ndarray) -> LinearModel[X] | None:
        """The model of inputs and targets (N, K); None if it cannot be fitted."""
        learned = self.learn(inputs)
        return (
            None if learned is None else LinearModel(learned[0], *self.solve(learned[1], targets))
        )

    def loaded(self, arrays: Mapping[str, np.ndarray]) -> LinearModel[X] | None:
        """The model whose `arrays` were saved; None if there are none."""
        if not arrays:
            return None
        features = {**arrays}
        solution = features.pop("coefficients"), features.pop("intercepts")
        learned = self.load(features)
        return None if learned is None else LinearModel(learned, *solution)


@dataclass(frozen=True)
class LinearInputs(Generic[X]):
    """What a linear baseline sees of examples.

    Args:
        of_rows: Function from examples, the preprocessor and numbers of rows to their inputs.
        fitted_to: Maximum number of rows to fit to.
        scored_on: Maximum number of rows to evaluate on.
    """

    of_rows: Callable[[Any, Any, list[int]], X]
    fitted_to: int
    scored_on: int

    def to_fit(self, examples: Sized, fitted: AnyFitted) -> tuple[X, list[int]]:
        """The inputs to fit to, and the numbers of their rows."""
        rows = sampled(len(examples), self.fitted_to)
        return self.of_rows(examples, fitted.preprocessor, rows), rows

    def to_score(self, examples: Sized, fitted: AnyFitted) -> tuple[X, list[int]]:
        """The inputs to evaluate on, and the numbers of their rows."""
        rows = sampled(len(examples), self.scored_on)
        return self.of_rows(examples, fitted.preprocessor, rows), rows
