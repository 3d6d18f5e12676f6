"""The labels that baselines give, beside the correct ones."""

from collections.abc import Mapping, Sequence
from functools import partial

from zoo.metrics.labels import LabelPredictions
from zoo.registry.metrics import LABELS
from zoo.tasks.measuring import Judged


def judged_labels(
    references: Sequence[str], predictions: Mapping[str, Sequence[str]], labels: Sequence[str]
) -> dict[str, Judged]:
    """The answers of baselines that give one label to each row, without probabilities.

    Args:
        references: The correct labels.
        predictions: The labels that each baseline gives, by its name.
        labels: All labels in class order.

    Example:
        >>> judged = judged_labels(["a", "b"], {"majority": ["a", "a"]}, ["a", "b"])
        >>> judged["majority"]["labels"]().correct.tolist()
        [1.0, 0.0]
    """
    return {
        name: {LABELS: partial(LabelPredictions, references, own, labels)}
        for name, own in predictions.items()
    }
