"""The metrics of a model beside those of baselines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from zoo import notebook
from zoo.heads.directions import is_lower_better
from zoo.metrics.resampling import Difference

LIKELIHOODS = ("loss", "perplexity", "bits_per_byte")
MODEL = "model"
INTERVAL = "95 % interval"


@dataclass(frozen=True)
class Margin:
    """How far a model is from the best baseline in a metric, on the same rows.

    Args:
        metric: Name of the metric.
        baseline: Name of the baseline.
        difference: That of the metric of the model, and of the baseline.

    Example:
        >>> found = Margin("accuracy", "majority", Difference(0.75, 0.5, (-0.02, 0.5), 0.07))
        >>> found.is_certain
        False
    """

    metric: str
    baseline: str
    difference: Difference

    @property
    def is_certain(self) -> bool:
        """Whether the 95 % interval of the difference is on one side of 0."""
        low, high = self.difference.interval
        return low > 0 or high < 0


@dataclass(frozen=True)
class Comparison:
    """Metrics of a model, and of baselines on the same examples.

    Args:
        model: The metrics of the model, by name; the first one is the most important.
        baselines: Those of baselines, named `<baseline>_<metric>`.
        spans: Function that computes the 95 % intervals of some metrics of the model, by name.
        aims: The best values of metrics that should be neither low nor high, by name.
        margins: Function that computes the margin to a baseline in a metric, by their names; None
            where the rows of both are not known.
        rows: Number of examples if they are a part of the data; None if they are all of it.

    Example:
        >>> comparison = Comparison({"accuracy": 0.9}, {"majority_accuracy": 0.25})
        >>> comparison.table()
        (['metric', 'model', 'majority'], [['accuracy', 0.9, 0.25]])
    """

    model: Mapping[str, float]
    baselines: Mapping[str, float] = field(default_factory=dict)
    spans: Callable[[], Mapping[str, tuple[float, float]]] = dict
    aims: Mapping[str, float] = field(default_factory=dict)
    margins: Callable[[str, str], Margin | None] = lambda metric, baseline: None
    rows: int | None = None

    @cached_property
    def margin(self) -> Margin | None:
        """The margin to the best baseline in the first metric that is compared, if it is known."""
        best = self.best_baseline()
        return None if best is None else self.margins(*best[:2])

    @cached_property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """The 95 % intervals of some metrics of the model, by name; they take time to compute."""
        return self.spans()

    @property
    def metrics(self) -> dict[str, float]:
        """All metrics by name."""
        return {**self.model, **self.baselines}

    def of_baselines(self) -> dict[str, dict[str, float]]:
        """The metrics of each baseline that the model has too: by name, then by metric."""
        scores: dict[str, dict[str, float]] = {}
        for name, value in self.baselines.items():
            # The longest, as a baseline "majority" may have accuracy and nsp_accuracy.
            shared = [metric for metric in self.model if name.endswith(f"_{metric}")]
            if shared:
                metric = max(shared, key=len)
                scores.setdefault(name.removesuffix(f"_{metric}"), {})[metric] = value
        return scores

    def table(self) -> tuple[list[str], list[list[float | str]]]:
        """A header, and a row for each metric; cells are empty where a baseline has no such."""
        baselines = self.of_baselines()
        spans = [INTERVAL] if self.intervals else []
        rows = [
            [
                name,
                value,
                *([spelled_interval(self.intervals.get(name))] if spans else []),
                *(scores.get(name, "") for scores in baselines.values()),
            ]
            for name, value in self.model.items()
        ]
        return ["metric", MODEL if baselines else "value", *spans, *baselines], rows

    def _repr_html_(self) -> str:
        return notebook.table(*self.table())

    def with_weakest_baseline(self) -> "Comparison":
        """The same with the baseline alone that is worst in the first metric that is compared.

        A likelihood is not compared: an n-gram model knows the rows that it has counted.

        Example:
            >>> both = {"majority_accuracy": 0.25, "tfidf_accuracy": 1.0}
            >>> Comparison({"accuracy": 0.9}, both).with_weakest_baseline().baselines
            {'majority_accuracy': 0.25}
        """
        every = self.of_baselines()
        for metric in self.model:
            known = {name: of[metric] for name, of in every.items() if metric in of}
            if known and metric not in LIKELIHOODS:
                sign = 1 if is_lower_better(metric) else -1
                worst = max(known, key=lambda name: sign * known[name])
                return replace(self, baselines={f"{worst}_{metric}": known[worst]})
        return replace(self, baselines={})

    def lines(self) -> list[str]:
        """A line for each metric that the model and baselines have.

        Example:
            >>> Comparison({"accuracy": 0.9}, {"majority_accuracy": 0.25}).lines()
            ['accuracy: 0.9, majority 0.25']
        """
        baselines, lines = self.of_baselines(), []
        for metric, value in self.model.items():
            others = [f"{name} {of[metric]:.4g}" for name, of in baselines.items() if metric in of]
            if others:
                lines.append(f"{metric}: {', '.join([f'{value:.4g}', *others])}")
        return lines

    def best_baseline(self) -> tuple[str, str, float] | None:
        """The best baseline in the first metric that is compared.

        Returns:
            The metric, the name of the baseline, and its value; None if nothing is compared.
        """
        baselines = self.of_baselines()
        for metric in self.model:
            known = {name: of[metric] for name, of in baselines.items() if metric in of}
            if known:
                best = max(known, key=lambda name: self.goodness(metric, known[name]))
                return metric, best, known[best]
        return None

    def not_worse(self) -> tuple[str, str, float] | None:
        """The best baseline if it is as good as the model, as `best_baseline` returns it."""
        best = self.best_baseline()
        if best is None:
            return None
        metric, _, value = best
        is_better = self.goodness(metric, self.model[metric]) > self.goodness(metric, value)
        return None if is_better else best

    def goodness(self, metric: str, value: float) -> float:
        """A number that is higher for a better value of a metric.

        Example:
            >>> comparison = Comparison({}, aims={"coverage": 0.8})
            >>> [round(comparison.goodness("coverage", x), 2) for x in (0.7, 0.95)]
            [-0.1, -0.15]
        """
        if metric in self.aims:
            return -abs(value - self.aims[metric])
        return -value if is_lower_better(metric) else value


def spelled_interval(interval: tuple[float, float] | None) -> str:
    """An interval in words.

    Example:
        >>> spelled_interval((0.81234, 0.9))
        '0.8123 to 0.9'
    """
    return "" if interval is None else f"{interval[0]:.4g} to {interval[1]:.4g}"


def comparison_of(metrics: Mapping[str, Any]) -> Comparison:
    """The metrics of a file, apart from those of baselines, which have a name before the metric.

    Example:
        >>> comparison = comparison_of({"accuracy": 0.9, "majority_accuracy": 0.5, "data": "a.csv"})
        >>> dict(comparison.model), dict(comparison.baselines)
        ({'accuracy': 0.9}, {'majority_accuracy': 0.5})
    """
    numbers = {
        name: float(value)
        for name, value in metrics.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    model: dict[str, float] = {}
    for name, value in numbers.items():  # those of the model come first
        if not any(name.endswith(f"_{known}") for known in model):
            model[name] = value
    return Comparison(model, {name: x for name, x in numbers.items() if name not in model})
