"""Training options of the loss of tasks that give one label."""

from dataclasses import dataclass

from zoo.options import option
from zoo.training.options import OPTIMIZATION

FOCAL = "focal"


@dataclass(kw_only=True)
class ClassLoss:
    """Training options of classifiers for labels that are rare, or easy to tell."""

    class_weight: str | None = option(
        None,
        "Weights of the labels in the loss: balanced is N / (C n) of n of N rows and C labels, so "
        "that rare labels count as much as frequent ones; the best epoch is then that of the best "
        "mean recall. Default: all count by their number of rows.",
        choices=("balanced",),
        group=OPTIMIZATION,
    )
    loss: str = option(
        "crossentropy",
        "Loss of labels; focal loss is cross-entropy by (1 - p)^gamma, so that rows which the "
        "model is sure of count less.",
        choices=("crossentropy", FOCAL),
        group=OPTIMIZATION,
    )
    focal_gamma: float = option(
        2.0, "Focusing parameter gamma of focal loss.", minimum=0, group=OPTIMIZATION
    )
