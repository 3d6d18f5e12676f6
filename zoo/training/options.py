"""The options of training that every task has."""

from pathlib import Path
from typing import Any, TypedDict

from zoo.errors import UserError


class FitOptions(TypedDict, total=False):
    """What `fit` of every task takes beside its data and options of its own.

    Where a task has other defaults, its `fit` says so.

    Args:
        epochs: Epochs in all; default 10.
        learning_rate: The highest learning rate, above 0; default 1e-3.
        warmup: Updates until it is reached, at least one; default a tenth of all.
        schedule: How it falls then: "cosine", the default, to a tenth at the end; "linear", to 0;
            or "noam", as the inverse root of the updates, whatever is still to come.
        weight_decay: Share, times the learning rate, that weights lose in each update; biases and
            those of norms lose nothing. Default 0.
        clipnorm: Greatest norm of the gradient; default 1.
        freeze: Stages of the model, its embeddings being the first and each block the next, that
            stay as they are. Default 0.
        layer_decay: Factor by which each stage learns more slowly than the one above it; default 1.
        patience: Stop after this many epochs without a better one.
        average: Try the mean weights of this many best epochs; default 1, the best alone.
        max_minutes: Stop after this time.
        folder: Run folder: checkpoints, log and history, to resume from.
        resume: Go on with the run in `folder`; those of these options that are not given stay as
            they were there.
        xla: Compile the training step: True, False or "auto", the default: where the backend has
            XLA.
        seed: Fixes dropout, the order of the data, and what is drawn of it.
        tensorboard: Also write TensorBoard's logs.
        verbose: Show progress; default True.
    """

    epochs: int
    learning_rate: float | None
    warmup: int | None
    schedule: str
    weight_decay: float
    clipnorm: float
    freeze: int
    layer_decay: float
    patience: int | None
    average: int
    max_minutes: float | None
    folder: str | Path | None
    resume: bool
    xla: bool | str
    seed: int
    tensorboard: bool
    verbose: bool


DEFAULTS: FitOptions = {
    "epochs": 10,
    "learning_rate": None,
    "warmup": None,
    "schedule": "cosine",
    "weight_decay": 0.0,
    "clipnorm": 1.0,
    "freeze": 0,
    "layer_decay": 1.0,
    "patience": None,
    "average": 1,
    "max_minutes": None,
    "folder": None,
    "resume": False,
    "xla": "auto",
    "seed": 0,
    "tensorboard": False,
    "verbose": True,
}

# Of one sitting; the others are of the run, and hold when it is resumed.
PASSING = ("max_minutes", "folder", "resume", "xla", "tensorboard", "verbose")


def complete(given: FitOptions, defaults: FitOptions) -> FitOptions:
    """All options: those given, else the task's, else what holds for all tasks.

    Args:
        given: What `fit` was called with.
        defaults: Where the task differs from the others.

    Raises:
        UserError: If there is no such option, or a rate or a warm-up that could not be.

    Example:
        >>> options = complete({"epochs": 3}, {"schedule": "noam"})
        >>> options["epochs"], options["schedule"], options["clipnorm"]
        (3, 'noam', 1.0)
    """
    for name in given:
        if name not in DEFAULTS:
            raise UserError(
                f"fit has no option {name!r}; beside its own it has {', '.join(DEFAULTS)}"
            )
    options: FitOptions = {**DEFAULTS, **defaults, **given}
    rate, warmup, seed = options["learning_rate"], options["warmup"], options["seed"]
    if rate is not None and not rate > 0:
        raise UserError(f"learning_rate must be above 0, got {rate}")
    if warmup is not None and warmup < 1:
        raise UserError(f"warmup must be at least 1 update, got {warmup}")
    check_seed(seed)
    return options


def check_seed(seed: Any) -> None:
    """Refuses what NumPy's generators do not begin with.

    Example:
        >>> check_seed(-1)
        Traceback (most recent call last):
        zoo.errors.UserError: seed must be an integer from 0 to 4294967295, got -1
    """
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise UserError(f"seed must be an integer from 0 to {2**32 - 1}, got {seed!r}")


def remembered(options: FitOptions) -> dict[str, Any]:
    """The options that a run keeps.

    Example:
        >>> "seed" in remembered(DEFAULTS), "verbose" in remembered(DEFAULTS)
        (True, False)
    """
    return {name: value for name, value in options.items() if name not in PASSING}
