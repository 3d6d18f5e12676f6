"""A look at the predictions of a model that was just trained: what a user should doubt."""

from collections.abc import Sequence

from zoo.heads.directions import LOWER_IS_BETTER
from zoo.option_names import option_name
from zoo.tasks.comparison import Comparison
from zoo.tasks.parts.preview import PreviewRow
from zoo.training.history import History

ROWS = 32  # number of rows that are predicted
SHOWN = 60  # characters of a prediction in a message


def doubts(rows: Sequence[PreviewRow], history: History, comparison: Comparison) -> list[str]:
    """What speaks against a model, in sentences that say what to try; nothing if all is well.

    Args:
        rows: Some rows of the validation data, or else of the training data, with predictions.
        history: The history of the training.
        comparison: Metrics of the model on validation data, and of baselines.

    Example:
        >>> rows = [PreviewRow("a.wav", "", "yes", None), PreviewRow("b.wav", "", "no", None)]
        >>> history = History([1], {"loss": [9.0]}, 1, None, None, False, "finished", 1.0)
        >>> doubts(rows, history, Comparison({}))[0][:57]
        'warning: all 2 predictions that were checked are empty: t'
    """
    sentences = [*_of_predictions(rows), *_of_loss(history), *_of_baselines(comparison)]
    return [f"warning: {sentence}" for sentence in sentences]


def _of_predictions(rows: Sequence[PreviewRow]) -> list[str]:
    predictions = {row.prediction.strip() for row in rows}
    references = {row.reference for row in rows if row.reference is not None}
    if len(predictions) != 1 or len(rows) < 2:
        return []
    (only,) = predictions
    more = f"train longer with {option_name('epochs')}, or with another {_rate()}"
    if not only:
        return [f"all {len(rows)} predictions that were checked are empty: {more}"]
    if len(references) < 2:
        return []
    return [
        f"all {len(rows)} predictions that were checked are {only[:SHOWN]!r}, and the correct ones "
        f"differ: {more}"
    ]


def _of_loss(history: History) -> list[str]:
    losses = [value for value in history.history.get("loss", []) if value is not None]
    if len(losses) < 2 or not losses[-1] > losses[0] > 0:
        return []
    return [
        f"the training loss rose from {losses[0]:.4g} to {losses[-1]:.4g}: take a lower {_rate()}"
    ]


def _of_baselines(comparison: Comparison) -> list[str]:
    baseline = comparison.not_worse()
    if baseline is None:
        return []
    metric, name, value = baseline
    own = comparison.model[metric]
    if own == value == 1 and metric not in LOWER_IS_BETTER:
        return []  # nothing is better
    return [
        f"the model is no better than a baseline: {metric} {own:.4g}, and that of {name} is "
        f"{value:.4g}: train longer with {option_name('epochs')}, or on more data"
    ]


def _rate() -> str:
    return option_name("learning_rate")
