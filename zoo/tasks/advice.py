"""Advice after a training: what would probably make the model better."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from zoo.heads.directions import is_lower_better
from zoo.metrics.labels import LabelPredictions
from zoo.option_names import option_name, option_value
from zoo.registry import MODELS
from zoo.tasks.comparison import Comparison
from zoo.tasks.provenance import of_checkpoint

BEGINS = "would probably help: "
MOST = 3  # lines
ENCODER = "bert"  # the model that pretrained encoders have
FALLING = 0.01  # share by which a loss has to fall in an epoch to be falling
EPOCHS = 3  # in the last of which it has to fall
NEAR = 0.02  # of a baseline: a gain of less is little
SOLVED = 0.98  # above this, little is left to gain
FEW = 0.8  # of an even share of the rows, below which a label is rare
LEAST = 5  # rows of a label from which its recall says much
BEHIND = 0.15  # how much lower its recall is than that of all rows
GAP, ENOUGH = 0.1, 0.9  # between training and validation, of a metric that is high in training


@dataclass(frozen=True)
class Evidence:
    """What is known of a training.

    Args:
        history: Metrics by epoch; None or NaN where there are none.
        best_epoch: The epoch whose weights were kept; 0 if there is none.
        monitor: The metric by which it was chosen; None without validation data.
        all_epochs: Whether all planned epochs were trained.
        comparison: Metrics of the model on validation data, beside those of baselines.
        labels: Answers to validation data, if each row has one label.
        takes_pretrained: Whether a pretrained encoder could be trained in its place.
    """

    history: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    best_epoch: int = 0
    monitor: str | None = None
    all_epochs: bool = False
    comparison: Comparison = Comparison({})
    labels: LabelPredictions | None = None
    takes_pretrained: bool = False


def advice(known: Evidence) -> list[str]:
    """What would probably help most, the most important first; nothing that the data do not say.

    Args:
        known: What is known of the training.

    Example:
        >>> history = {"epoch": [1, 2, 3], "loss": [3, 2, 1], "val_loss": [3.0, 2.0, 1.5]}
        >>> advice(Evidence(history, 3, "val_loss", True))[0][:54]
        'longer training, such as epochs=6: the last epoch was '
    """
    found = [_longer(known), _pretrained(known), _rare_label(known), _more_rows(known)]
    return [each for each in found if each][:MOST]


def takes_pretrained(task: str, data: Mapping[str, str]) -> bool:
    """Whether a pretrained encoder could be trained for a task, which has begun with none.

    Args:
        task: The name of the task.
        data: Digests of what its weights come from.
    """
    return task in MODELS[ENCODER].tasks and not of_checkpoint(data)


def _longer(known: Evidence) -> str:
    """Longer training, if the last epoch was the best and the losses still fall."""
    losses = {name: _values(known.history, name) for name in ("loss", "val_loss")}
    last = len(losses["loss"])
    if known.monitor is None or not last == known.best_epoch >= EPOCHS:
        return ""
    if not all(_falls(of_epochs) for of_epochs in losses.values() if of_epochs):
        return ""
    name = "val_loss" if losses["val_loss"] else "loss"
    before, now = losses[name][-2:]
    if not known.all_epochs:
        return (
            f"to train all planned epochs, with {option_name('resume')} if it was stopped: epoch "
            f"{last} was the best so far, and in it {name} fell from {before:.4g} to {now:.4g}"
        )
    return (
        f"longer training, such as {option_value('epochs', 2 * last)}: the last epoch was the "
        f"best, and in it {name} fell from {before:.4g} to {now:.4g}"
    )


def _pretrained(known: Evidence) -> str:
    """A pretrained encoder, if a model of texts is hardly better than the best baseline."""
    if not known.takes_pretrained:
        return ""
    baselines = known.comparison.of_baselines()
    for metric, own in known.comparison.model.items():
        of = {name: scores[metric] for name, scores in baselines.items() if metric in scores}
        if not of:
            continue
        if is_lower_better(metric) or not 0 <= own < SOLVED:
            return ""
        name, best = max(of.items(), key=lambda each: each[1])
        if len(of) < 2 or not own - best < NEAR:
            return ""
        hardly = "hardly" if own > best else "not"
        return (
            f"a pretrained encoder with {option_name('pretrained')}: {metric} {own:.4g} is "
            f"{hardly} better than that of the baseline {name}, {best:.4g}"
        )
    return ""


def _rare_label(known: Evidence) -> str:
    """More rows of the label that is found least often, if it is rare."""
    rows = known.labels
    if rows is None or len(rows.classes) < 2:
        return ""
    right, true, _ = (x[0] for x in rows.sums(np.ones((1, len(rows)))))
    enough = true >= LEAST
    if not enough.any():
        return ""
    recall = np.where(enough, right / np.maximum(true, 1), math.inf)
    worst = int(np.argmin(recall))
    is_rare = true[worst] < FEW * len(rows) / np.count_nonzero(true)
    if not is_rare or recall[worst] > rows.correct.mean() - BEHIND:
        return ""
    return (
        f"more rows of the label {rows.classes[worst]!r:.60}: of its {true[worst]:.0f} rows of the "
        f"{len(rows)} that were checked, the model finds {right[worst]:.0f}, and "
        f"{100 * rows.correct.mean():.0f} % of all"
    )


def _more_rows(known: Evidence) -> str:
    """More rows, if a metric is high on the training data and far lower on other data."""
    for name in known.history:
        trained, held_out = _values(known.history, name), _values(known.history, f"val_{name}")
        if not (trained and held_out) or is_lower_better(name):
            continue
        best, last = max(held_out), trained[-1]
        if ENOUGH <= last <= 1 and last - best > GAP:
            return (
                f"more training data, or a smaller model: {name} is {last:.4g} on the training "
                f"data, and at best {best:.4g} on the validation data"
            )
    return ""


def _values(history: Mapping[str, Sequence[float | None]], name: str) -> list[float]:
    """The numbers of a metric."""
    return [x for x in history.get(name, ()) if x is not None and math.isfinite(x)]


def _falls(losses: Sequence[float]) -> bool:
    """Whether a loss still falls, and is no better for one epoch alone."""
    last = losses[-EPOCHS:]
    return len(last) == EPOCHS and all(
        after < before - FALLING * abs(before)
        for before, after in zip(last, last[1:], strict=False)
    )
