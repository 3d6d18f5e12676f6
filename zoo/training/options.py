"""The options of `fit`: those saved with the run, and those of one call alone."""

from dataclasses import dataclass

from zoo.options import Options, option

SCHEDULES = ("cosine", "linear", "noam")
OPTIMIZATION, DURATION, FINE_TUNING, RUN = "Optimization", "Duration", "Fine-tuning", "Run"


@dataclass(kw_only=True)
class TrainingOptions(Options):
    """Options of `fit` that are saved with the run and kept when it is resumed."""

    epochs: int = option(10, "Number of epochs in total.", minimum=1, group=DURATION)
    learning_rate: float | None = option(
        None, "Peak learning rate; default depends on the task.", above=0, group=OPTIMIZATION
    )
    warmup: int | None = option(
        None,
        "Number of warm-up steps; default depends on the task.",
        minimum=1,
        group=OPTIMIZATION,
    )
    schedule: str = option(
        "cosine",
        "Learning rate decay after warm-up: cosine, to a tenth; linear, to 0; noam, with the "
        "inverse square root of the step.",
        choices=SCHEDULES,
        group=OPTIMIZATION,
    )
    weight_decay: float = option(
        0.0,
        "Decoupled weight decay of AdamW; biases and norms are excluded.",
        minimum=0,
        group=OPTIMIZATION,
    )
    clipnorm: float = option(
        1.0, "Maximum global norm of the gradient.", above=0, group=OPTIMIZATION
    )
    freeze: int = option(
        0, "Number of lowest layer groups to freeze.", minimum=0, group=FINE_TUNING
    )
    layer_decay: float = option(
        1.0,
        "Factor by which the learning rate falls from each layer group to the one below it.",
        group=FINE_TUNING,
    )
    patience: int | None = option(
        None,
        "Early stopping: number of epochs without improvement after which training stops.",
        minimum=1,
        group=DURATION,
    )
    average: int = option(
        1,
        "Number of best epochs whose weights are averaged, if that is at least as good as the "
        "best epoch.",
        minimum=1,
        group=OPTIMIZATION,
    )
    seed: int = option(
        0,
        "Random seed: makes dropout, the order of the data and what is sampled repeatable.",
        minimum=0,
        below=2**32,
        group=RUN,
    )


@dataclass(kw_only=True)
class SessionOptions(Options):
    """Options of one call of `fit` alone; all others are saved with the run."""

    folder: str | None = option(None, "Run folder: checkpoints, log and history, to resume from.")
    resume: bool = option(
        False,
        "Resume the run in the folder; options that are not given keep their values.",
        group=RUN,
    )
    max_minutes: float | None = option(
        None, "Stop after this many minutes.", above=0, group=DURATION
    )
    xla: bool | str = option(
        "auto",
        "Compile the training step with XLA: True, False or auto (where available).",
        choices=("auto",),
    )
    tensorboard: bool = option(False, "Also write TensorBoard logs.", group=RUN)
    verbose: bool = option(True, "Show progress.")


def split(options: dict) -> tuple[dict, dict]:
    """Options of `fit` as those of training and those of the session.

    Example:
        >>> split({"epochs": 3, "verbose": False})
        ({'epochs': 3}, {'verbose': False})
    """
    session = {name: options[name] for name in SessionOptions.names() if name in options}
    return {name: value for name, value in options.items() if name not in session}, session
