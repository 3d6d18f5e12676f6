"""The options of `fit`: those saved with the run, and those of a single call."""

from dataclasses import dataclass
from typing import Any

from zoo.options import names_of, option

OPTIMIZERS = ("adam", "sgd")
VALUE_LOSSES = ("mse", "mae", "huber")
SCHEDULES = ("cosine", "linear", "noam", "constant")
DISTRIBUTIONS = DATA, MODEL = "data", "model"
BASE_DTYPES = FLOAT32, BFLOAT16, INT8 = "float32", "bfloat16", "int8"
OPTIMIZATION, DURATION, FINE_TUNING, RUN = "Optimization", "Duration", "Fine-tuning", "Run"
AUGMENTATION = "Augmentation"


def epochs(default: str) -> Any:
    """The option for the number of epochs.

    Args:
        default: The default of the task, in words.
    """
    text = f"Total number of epochs. Default: {default}."
    return option(None, text, minimum=1, group=DURATION)


def at_least(steps: int) -> str:
    """The default number of epochs of tasks that train for a number of steps, in words."""
    most = f"as many as {steps} steps take, but at most 1000"
    return f"10, or {most}; fewer if 10 have more than 100000 steps"


def early_stopping() -> Any:
    """The option for the patience of tasks that stop early by default."""
    return option(
        None,
        "Early stopping: stop after this many epochs without improvement on the validation data. "
        "Default: a quarter of all epochs, at least 3.",
        minimum=1,
        group=DURATION,
    )


def learning_rate(default: str) -> Any:
    """The option for the learning rate.

    Args:
        default: The default of the task, in words.
    """
    text = f"Peak learning rate. Default: {default}."
    return option(None, text, above=0, group=OPTIMIZATION)


def warmup(default: str) -> Any:
    """The option for the number of warm-up steps.

    Args:
        default: The default of the task, in words.
    """
    text = f"Number of warm-up steps of the learning rate. Default: {default}."
    return option(None, text, minimum=1, group=OPTIMIZATION)


def schedule(default: str) -> Any:
    """The option for the learning rate schedule.

    Args:
        default: The default of the task.
    """
    text = (
        "Learning rate decay after warm-up: cosine (to a tenth of the peak), linear (to 0), noam "
        "(inverse square root of the step) or constant (none)."
    )
    return option(default, text, choices=SCHEDULES, group=OPTIMIZATION)


@dataclass(kw_only=True)
class TrainingOptions:
    """Options of `fit` that are saved with the run and kept when it is resumed."""

    epochs: int | None = epochs("10; fewer if these have more than 100000 steps")
    optimizer: str = option(
        "adam",
        "Optimizer; sgd is stochastic gradient descent with Nesterov momentum.",
        choices=OPTIMIZERS,
        group=OPTIMIZATION,
    )
    learning_rate: float | None = learning_rate("0.001")
    warmup: int | None = warmup("a tenth of all steps")
    schedule: str = schedule("cosine")
    weight_decay: float = option(
        0.0,
        "Decoupled weight decay (AdamW); biases and normalization layers are excluded.",
        minimum=0,
        group=OPTIMIZATION,
    )
    clipnorm: float = option(
        1.0, "Clip the gradients to this global norm.", above=0, group=OPTIMIZATION
    )
    accumulate: int = option(
        1,
        "Gradient accumulation: update the weights after this many batches, by the mean of their "
        "gradients.",
        minimum=1,
        group=OPTIMIZATION,
    )
    freeze: int = option(
        0,
        "Number of layer groups to freeze, from the input up: the embeddings are the first group, "
        "each layer is another.",
        minimum=0,
        group=FINE_TUNING,
    )
    layer_decay: float = option(
        1.0,
        "Layer-wise learning rate decay: factor from each layer group to the one below it; 1 "
        "disables it.",
        group=FINE_TUNING,
    )
    lora_rank: int | None = option(
        None,
        "LoRA: freeze the model, and train low-rank updates of this rank of the projections of its "
        "Transformer blocks. Exports contain them.",
        minimum=1,
        group=FINE_TUNING,
    )
    lora_alpha: float | None = option(
        None,
        "Factor of the low-rank updates, which is divided by lora_rank. Default: twice lora_rank.",
        above=0,
        group=FINE_TUNING,
    )
    lora_layers: list[str] = option(
        ["all"],
        "Projections with low-rank updates: all, or some of q_proj, k_proj, v_proj, o_proj, "
        "gate_proj, up_proj and down_proj.",
        group=FINE_TUNING,
    )
    lora_base_dtype: str = option(
        FLOAT32,
        "Dtype of the frozen kernels of the projections with lora_rank: bfloat16 or int8 (with a "
        "scale for each output) take a half or a quarter of the bytes. The low-rank updates stay "
        "in float32.",
        choices=BASE_DTYPES,
        group=FINE_TUNING,
    )
    patience: int | None = option(
        None,
        "Early stopping: stop after this many epochs without improvement on the validation data.",
        minimum=1,
        group=DURATION,
    )
    average: int = option(
        1,
        "Number of best epochs whose weights are averaged. The average is used if it is at least "
        "as good as the best epoch; 1 disables averaging.",
        minimum=1,
        group=OPTIMIZATION,
    )
    seed: int = option(
        0,
        "Random seed of training; the same seed gives the same results.",
        minimum=0,
        below=2**32,
        group=RUN,
    )
    xla: bool | str = option(
        "auto",
        "Compile the training step with XLA: True, False or auto: what is faster on a CPU with "
        "TensorFlow, measured before a long training; otherwise True, except on PyTorch.",
        choices=("auto",),
        group=RUN,
    )


@dataclass(kw_only=True)
class SessionOptions:
    """Options of a single call of `fit`; all others are saved with the run."""

    folder: str | None = option(None, "Run folder for checkpoints, log and history.")
    resume: bool = option(
        False,
        "Continue the run in the run folder after its last checkpoint.",
        group=RUN,
    )
    allow_other_data: bool = option(
        False,
        "Continue a run with other training or validation data than before. Its config and its "
        "model card then have the digests of both, and the epoch from which the other was used.",
        group=RUN,
    )
    max_minutes: float | None = option(
        None,
        "Stop training after this many minutes. The schedule remains that of all epochs.",
        above=0,
        group=DURATION,
    )
    save_every: str | int | None = option(
        None,
        "Also save checkpoints in the middle of epochs: after a number of steps, such as 500, or "
        "after a time, such as 90s, 10m or 1h.",
        group=RUN,
    )
    keep: int = option(
        1, "Number of checkpoints to resume from that are kept.", minimum=1, group=RUN
    )
    distribute: str | None = option(
        None,
        "Train on all visible devices, on the backend jax: data splits the rows of each batch "
        "between them, model the weights.",
        choices=DISTRIBUTIONS,
        group=RUN,
    )
    remat: bool = option(
        False,
        "Gradient checkpointing, on the backend jax: store only what enters Transformer blocks, "
        "and compute the rest again for the gradient. Takes less memory and more time.",
        group=RUN,
    )
    tensorboard: bool = option(False, "Also write TensorBoard logs.", group=RUN)
    track: list[str] = option(
        [],
        "Also log the metrics of each epoch to mlflow or wandb (Weights & Biases, offline unless "
        "WANDB_MODE says otherwise); requires the extra of that name.",
        group=RUN,
    )
    verbose: bool = option(True, "Show progress.")


def split(options: dict) -> tuple[dict, dict]:
    """Splits options of `fit` into those of training and those of a single call.

    Example:
        >>> split({"epochs": 3, "verbose": False})
        ({'epochs': 3}, {'verbose': False})
    """
    session = {name: options[name] for name in names_of(SessionOptions) if name in options}
    return {name: value for name, value in options.items() if name not in session}, session
