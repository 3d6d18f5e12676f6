"""A look at the predictions of a model that was just trained: what a user should doubt."""

import math
from collections.abc import Sequence

from zoo.heads.directions import is_lower_better
from zoo.option_names import option_name, option_value
from zoo.tasks.comparison import Comparison, spelled_interval
from zoo.tasks.parts.preview import PreviewRow
from zoo.training.history import History

ROWS = 32  # number of rows that are predicted
NEAR, GAP = 0.9, 0.1  # a metric of the training data that is near 1, and of others far below
POOR = 5.0  # BLEU below which a text has hardly anything in common with the reference
FAR = 0.1  # from the share of values that should be within the band of a forecast
SHOWN = 60  # characters of a prediction in a message


def doubts(
    rows: Sequence[PreviewRow],
    history: History,
    comparison: Comparison,
    measured: int = 0,
    learning_rate: float | None = None,
) -> list[str]:
    """What speaks against a model, in sentences that say what to try; nothing if all is well.

    Args:
        rows: Some rows of the validation data, or else of the training data, with predictions.
        history: The history of the training.
        comparison: Metrics of the model on validation data, and of baselines.
        measured: Number of rows of the validation data, each with one label; 0 if there are none.
        learning_rate: The peak learning rate, where it is known.

    Example:
        >>> rows = [PreviewRow("a.wav", "", "yes", None), PreviewRow("b.wav", "", "no", None)]
        >>> history = History([1], {"loss": [9.0]}, 1, None, None, False, "finished", 1.0)
        >>> doubts(rows, history, Comparison({}))[0][:57]
        'warning: all 2 predictions that were checked are empty: t'
    """
    beaten = no_better_than_baselines(comparison, history) or _by_chance(comparison, measured)
    sentences = [
        *_of_predictions(rows, learning_rate),
        *_of_loss(history, learning_rate),
        *(beaten or hardly_right(comparison)),
    ]
    return [f"warning: {sentence}" for sentence in sentences]


def _of_predictions(rows: Sequence[PreviewRow], rate: float | None) -> list[str]:
    predictions = {row.prediction.strip() for row in rows}
    references = {row.reference for row in rows if row.reference is not None}
    if len(predictions) != 1 or len(rows) < 2:
        return []
    (only,) = predictions
    more = f"train longer with {option_name('epochs')}, or with another {_than(rate)}"
    if not only:
        return [f"all {len(rows)} predictions that were checked are empty: {more}"]
    if len(references) < 2:
        return []
    return [
        f"all {len(rows)} predictions that were checked are {only[:SHOWN]!r}, and the correct ones "
        f"differ: {more}"
    ]


def _of_loss(history: History, rate: float | None) -> list[str]:
    losses = [value for value in history.history.get("loss", []) if value is not None]
    if len(losses) < 2 or not losses[-1] > losses[0] > 0:
        return []
    lower = (
        ""
        if rate is None
        else f", such as {option_value('learning_rate', float(f'{rate / 10:.1g}'))}"
    )
    return [
        f"the training loss rose from {losses[0]:.4g} to {losses[-1]:.4g}: take a lower "
        f"{_than(rate)}{lower}"
    ]


def no_better_than_baselines(comparison: Comparison, history: History | None = None) -> list[str]:
    """A sentence if a baseline is as good as the model.

    Args:
        comparison: The metrics of both.
        history: The history of the training, where it is known, for the advice.
    """
    baseline = comparison.not_worse()
    if baseline is None:
        return []
    metric, name, value = baseline
    own = comparison.model[metric]
    if own == value == 1 and not is_lower_better(metric):
        return []  # nothing is better
    told = (
        f"the model is no better than a baseline: {metric} {own:.4g}, and that of {name} is "
        f"{value:.4g}"
    )
    if history is None:
        return [told]
    known = _learned_by_heart(history)
    if known is None:
        return [f"{told}: train longer with {option_name('epochs')}, or on more data"]
    return [
        f"{told}: it knows the training data by heart ({known}), so that more epochs do not help: "
        f"take another model with {option_name('model')} or, where there is one, a pretrained one "
        f"with {option_name('pretrained')}, or more data"
    ]


def hardly_right(comparison: Comparison) -> list[str]:
    """A sentence if texts have hardly anything in common with the references.

    Args:
        comparison: The metrics of a model.

    Example:
        >>> hardly_right(Comparison({"bleu": 1.1}))
        ['bleu is 1.1 of 100: the texts have hardly any sequence of words that is right']
    """
    bleu = comparison.model.get("bleu", POOR)
    if not bleu < POOR:
        return []
    return [f"bleu is {bleu:.3g} of 100: the texts have hardly any sequence of words that is right"]


def against_baselines(comparison: Comparison) -> list[str]:
    """A sentence on whether a model is better than the best baseline, or may be so by chance.

    Args:
        comparison: The metrics of both.

    Example:
        >>> from zoo.metrics.resampling import Difference
        >>> from zoo.tasks.comparison import Margin
        >>> found = Margin("accuracy", "majority", Difference(0.75, 0.5, (-0.02, 0.5), 0.07))
        >>> scores = {"accuracy": 0.75}, {"majority_accuracy": 0.5}
        >>> against_baselines(Comparison(*scores, margins=lambda metric, baseline: found))
        ['the model may be no better than the baseline majority: the 95 % interval of the \
difference in accuracy is -0.02 to 0.5']
    """
    if worse := no_better_than_baselines(comparison) or hardly_right(comparison):
        return worse
    margin = comparison.margin
    if margin is None:
        return []
    if margin.difference.interval == (0, 0):
        return [f"the model is as good as the baseline {margin.baseline}, row by row"]
    may_be = "is" if margin.is_certain else "may be no"
    span = spelled_interval(margin.difference.interval)
    return [
        f"the model {may_be} better than the baseline {margin.baseline}: the 95 % interval of the "
        f"difference in {margin.metric} is {span}"
    ]


def off_aims(comparison: Comparison) -> list[str]:
    """A sentence for each metric that is far from the value that it should have.

    Args:
        comparison: The metrics of a model.

    Example:
        >>> off_aims(Comparison({"coverage": 0.388}, aims={"coverage": 0.8}))
        ['coverage is 0.388 and should be 0.8: the bands of the forecasts are too narrow']
    """
    return [
        f"{name} is {comparison.model[name]:.3g} and should be {aim:g}: the bands of the forecasts "
        f"are too {'narrow' if comparison.model[name] < aim else 'wide'}"
        for name, aim in comparison.aims.items()
        if abs(comparison.model.get(name, aim) - aim) > FAR
    ]


def _by_chance(comparison: Comparison, rows: int) -> list[str]:
    """A sentence if the best baseline is within the 95 % interval of the accuracy of a model."""
    best = comparison.best_baseline()
    if best is None or best[0] != "accuracy" or not rows:
        return []
    metric, name, value = best
    own = comparison.model[metric]
    low, high = _interval_of_share(own, rows)
    if not low <= value < own:
        return []
    return [
        f"the model may be no better than a baseline: {metric} {own:.4g} on {rows} rows, whose "
        f"95 % interval is {low:.4g} to {high:.4g}, and that of {name} is {value:.4g}: train "
        f"longer with {option_name('epochs')}, or on more data"
    ]


def _interval_of_share(share: float, rows: int) -> tuple[float, float]:
    """The 95 % interval of a share of rows, by Wilson 1927."""
    z = 1.96
    middle = share + z * z / (2 * rows)
    half = z * math.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    return (middle - half) / (1 + z * z / rows), (middle + half) / (1 + z * z / rows)


def _learned_by_heart(history: History) -> str | None:
    """What says that a model has learned the training data, and nothing of other data for long.

    A metric that is near 1 on the training data and far below on the validation data; or a loss
    on the validation data that was lowest in the first half, and is far above that of training.

    Returns:
        The metric of both, in words; None if nothing says so.
    """
    for name, of_epochs in history.history.items():
        trained = [x for x in of_epochs if x is not None]
        held_out = [x for x in history.history.get(f"val_{name}", []) if x is not None]
        if not (trained and held_out):
            continue
        best, last = max(held_out), trained[-1]
        is_near = not is_lower_better(name) and NEAR <= last <= 1 and last - best > GAP
        lowest = min(held_out)
        has_risen = 2 * held_out.index(lowest) < len(held_out) - 1 and held_out[-1] > lowest
        is_above = name == "loss" and has_risen and 0 <= last < lowest / 2
        if is_near or is_above:
            shown = best if is_near else lowest
            return f"{name} {last:.4g} in training, at best {shown:.4g} in validation"
    return None


def _than(rate: float | None) -> str:
    """The option for the learning rate, and the rate that it had."""
    name = option_name("learning_rate")
    return name if rate is None else f"{name} than {rate:.3g}"
