"""Tasks as estimators of scikit-learn, for its cross-validation, searches and pipelines.

scikit-learn finds the parameters of an estimator in its own `__init__`, so that each has them all.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from zoo.errors import UserError
from zoo.options import defaults_of, values_of
from zoo.pretrained.load import from_pretrained
from zoo.pretrained.run_folder import is_run_folder
from zoo.tasks.answers.labels import Labels
from zoo.tasks.answers.values import Values
from zoo.tasks.load import load, task_class
from zoo.tasks.provenance import of_checkpoint
from zoo.tasks.task import Task

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError as error:
    needed = "zoo.scikit_learn requires scikit-learn: pip install 'keras-attn[baselines]'"
    raise ImportError(needed) from error

__all__ = ["Classifier", "Embedder", "Regressor"]
LABELS = "labels"  # the setting that is learned from the answers
NAME = "text-embedder"
Options = Mapping[str, Any]


class Classifier(ClassifierMixin, BaseEstimator):
    """A task that gives each input one label: `text-classifier`, `image-` or `series-classifier`.

    Each `fit` trains a new task, which is `task_` then. Inputs are what `predict` of the task
    takes; pairs of texts are tuples, or rows of two columns.

    Args:
        task: Name of the task.
        task_options: Its settings, and options of its model.
        fit_options: Its training options, such as `{"epochs": 5, "seed": 1}`.
        pretrained: A checkpoint to begin with, as `zoo.from_pretrained` takes it.

    Example:
        >>> from sklearn.model_selection import cross_val_score
        >>> texts, likes = ["a fine film", "a dull film", "fine art", "dull art"] * 6, [1, 0] * 12
        >>> model = Classifier(fit_options={"epochs": 20, "learning_rate": 1.0})
        >>> cross_val_score(model, texts, likes, cv=3).tolist()
        [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        task: str = "text-classifier",
        task_options: Options | None = None,
        fit_options: Options | None = None,
        pretrained: str | Path | None = None,
    ) -> None:
        self.task = task
        self.task_options = task_options
        self.fit_options = fit_options
        self.pretrained = pretrained

    @classmethod
    def like(cls, task: Task, pretrained: str | Path | None = None) -> Self:
        """An estimator that trains tasks with the options of another, such as of `zoo.load`.

        Args:
            task: The task.
            pretrained: The checkpoint that it began with, if any.

        Raises:
            UserError: If it began with one, and none is given.
        """
        return cls(**_like(task, pretrained))

    def fit(self, X: Any, y: Any) -> Self:
        """Trains a task.

        Args:
            X: The inputs.
            y: A label for each.
        """
        self.classes_, numbers = np.unique(_answers(X, y), return_inverse=True)
        names = [str(each) for each in self.classes_.tolist()]
        self.task_ = _trained(self, Labels, X, [names[number] for number in numbers])
        known: list[str] = self.task_.labels
        if sorted(known) != sorted(names):
            raise UserError(f"these labels read alike: the task knows {known} of {names}")
        self.columns_ = np.array([known.index(name) for name in names])
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each label, (N, C) in the order of `classes_`.

        Args:
            X: The inputs.
        """
        check_is_fitted(self)
        probabilities: np.ndarray = self.task_.predict_proba(_inputs(X))
        return probabilities[:, self.columns_]

    def predict(self, X: Any) -> np.ndarray:
        """The label of each input, (N,).

        Args:
            X: The inputs.
        """
        labels: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


class Regressor(RegressorMixin, BaseEstimator):
    """A task that predicts a number of each input: `text-`, `image-` or `series-regressor`.

    Args:
        task: Name of the task.
        task_options: Its settings, and options of its model.
        fit_options: Its training options.
        pretrained: A checkpoint to begin with, as `zoo.from_pretrained` takes it.

    Example:
        >>> texts, values = ["fine film", "dull film"] * 8, [8.0, 3.0] * 8
        >>> model = Regressor(fit_options={"epochs": 40, "learning_rate": 0.1})
        >>> model.fit(texts, values).score(texts, values) > 0.9
        True
    """

    def __init__(
        self,
        task: str = "text-regressor",
        task_options: Options | None = None,
        fit_options: Options | None = None,
        pretrained: str | Path | None = None,
    ) -> None:
        self.task = task
        self.task_options = task_options
        self.fit_options = fit_options
        self.pretrained = pretrained

    @classmethod
    def like(cls, task: Task, pretrained: str | Path | None = None) -> Self:
        """An estimator that trains tasks with the options of another, such as of `zoo.load`.

        Args:
            task: The task.
            pretrained: The checkpoint that it began with, if any.

        Raises:
            UserError: If it began with one, and none is given.
        """
        return cls(**_like(task, pretrained))

    def fit(self, X: Any, y: Any) -> Self:
        """Trains a task.

        Args:
            X: The inputs.
            y: A number for each.
        """
        values = _answers(X, y).astype(float).tolist()
        self.task_ = _trained(self, Values, X, values)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The number of each input, (N,).

        Args:
            X: The inputs.
        """
        check_is_fitted(self)
        return np.array(self.task_.predict(_inputs(X)), float)


class Embedder(TransformerMixin, BaseEstimator):
    """A text embedder that turns texts into vectors, for the first step of a pipeline.

    Args:
        run: A run folder of a text embedder, or a checkpoint as `zoo.from_pretrained` takes it.

    Example:
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.pipeline import make_pipeline
        >>> model = make_pipeline(Embedder("runs/minilm"), LogisticRegression())
    """

    def __init__(self, run: str | Path) -> None:
        self.run = run

    def fit(self, X: Any, y: Any = None) -> Self:
        """Loads the embedder, which learns nothing.

        Args:
            X: Texts, which are not looked at.
            y: Not looked at.
        """
        self.task_ = load(self.run) if is_run_folder(self.run) else from_pretrained(self.run, NAME)
        if self.task_.name != NAME:
            raise UserError(f"{self.run} is a run of {self.task_.name}, and not of {NAME}")
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The vector of each text, (N, D).

        Args:
            X: Texts.
        """
        check_is_fitted(self)
        return np.stack(self.task_.predict(_inputs(X)))


def _like(task: Task, pretrained: str | Path | None) -> dict[str, Any]:
    """The arguments of an estimator that trains tasks with the options of another."""
    if pretrained is None and of_checkpoint(task.data):
        raise UserError("the task began with a checkpoint: give it, too, as `pretrained`")
    usual = defaults_of(task.Settings)
    settings = {
        name: value
        for name, value in values_of(task.settings).items()
        if value != usual.get(name) and name != LABELS
    }
    return {
        "task": task.name,
        "task_options": {**settings, **task.model_options},
        "fit_options": dict(task.training),
        "pretrained": pretrained,
    }


def _trained(
    estimator: Classifier | Regressor, kind: type, X: Any, answers: Sequence[str | float]
) -> Any:
    """A new task that has learned from inputs and their answers."""
    made = task_class(estimator.task)
    if not isinstance(made.parts.answer, kind):
        raise UserError(f"{estimator.task} is no task of a {type(estimator).__name__}")
    options = dict(estimator.task_options or {})
    if estimator.pretrained is None:
        task = made(**options)
    else:
        task = from_pretrained(estimator.pretrained, estimator.task, **options)
    rows = [
        (*x, answer) if isinstance(x, tuple) else (x, answer)
        for x, answer in zip(_inputs(X), answers, strict=True)
    ]
    task.fit(rows, adapt=True, **{"verbose": False, **(estimator.fit_options or {})})
    return task


def _answers(X: Any, y: Any) -> np.ndarray:
    """One answer for each input."""
    answers = np.asarray(y)
    if answers.ndim != 1:
        raise UserError(f"expected one answer for each input, got an array {answers.shape}")
    if len(answers) != len(X):
        raise UserError(f"got {len(X)} inputs and {len(answers)} answers")
    return answers


def _inputs(X: Any) -> list[Any]:
    """Inputs as tasks take them: texts in columns as tuples, a column alone as texts."""
    rows = list(X) if isinstance(X, list | tuple) else list(np.asarray(X))
    return [_input(row) for row in rows]


def _input(row: Any) -> Any:
    if not (isinstance(row, np.ndarray) and row.dtype.kind in "OU"):
        return str(row) if isinstance(row, np.str_) else row
    texts = tuple(map(str, row.tolist()))
    return texts[0] if len(texts) == 1 else texts
