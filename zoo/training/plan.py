"""Plan of a training run: all numbers that determine its steps, resolved from options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.training.low_rank import ALL, LowRankPlan
from zoo.training.objective import Objective
from zoo.training.options import FLOAT32, SCHEDULES, TrainingOptions


@dataclass(frozen=True, kw_only=True)
class OptimizerPlan:
    """Optimizer of a run, and its learning rates.

    Args:
        name: "adam" or "sgd", with Nesterov momentum.
        learning_rate: Peak learning rate.
        schedule: Name of the learning rate schedule; see `learning_rates`.
        warmup: Number of warm-up steps.
        weight_decay: Decoupled weight decay, of Adam.
        clipnorm: Maximum global norm of the gradients, or None for no clipping.
        accumulate: Number of batches whose mean gradient each update takes.
        layer_decay: Factor of the learning rate from each layer group to the one below it.
        rates: Further factors of the learning rate by the path of a weight.
        beta_2: Decay rate of the mean of squared gradients, of Adam.
        momentum: Momentum of sgd.

    Raises:
        UserError: If a value is not allowed.

    Example:
        >>> OptimizerPlan(name="sgd", weight_decay=0.1)
        Traceback (most recent call last):
        zoo.errors.UserError: weight_decay is an option of the optimizer adam, not of sgd
    """

    name: str = "adam"
    learning_rate: float = 1e-3
    schedule: str = "constant"
    warmup: int = 1
    weight_decay: float = 0.0
    clipnorm: float | None = None
    accumulate: int = 1
    layer_decay: float = 1.0
    rates: Mapping[str, float] = field(default_factory=dict)
    beta_2: float = 0.98
    momentum: float = 0.9

    def __post_init__(self) -> None:
        if self.weight_decay and self.name != "adam":
            weight_decay = option_name("weight_decay")
            raise UserError(f"{weight_decay} is an option of the optimizer adam, not of sgd")
        if self.schedule not in SCHEDULES:
            choices = ", ".join(SCHEDULES)
            raise UserError(
                f"{option_name('schedule')} must be one of {choices}, got {self.schedule!r}"
            )


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """All numbers of a training run. A plan is made once, before training, and never changed.

    Args:
        epochs: Total number of epochs, including those before a resume.
        steps_per_epoch: Number of batches in an epoch.
        objective: Loss, metrics, and the value that selects the best epoch.
        optimizer: The optimizer, with its learning rates.
        patience: Early stopping: stop after this many evaluations without improvement of the
            monitored value, or of `val_loss` at an equal value. None trains for all epochs.
        evaluate_every: Number of epochs between calls of the function that evaluates, which is also
            called after the last epoch.
        average: Average the weights of this many best epochs, and keep the average if its monitored
            value is at least as good as that of the best epoch. 1 does not average.
        freeze: Number of lowest layer groups to freeze.
        low_rank: The low-rank updates to train in place of the model, or None.
        seed: Seed of dropout, and global random seed. Does not change the initial weights.
        jit_compile: XLA: True, False or "auto": on for JAX and for TensorFlow on accelerators, on a
            CPU what is faster (see `measure_xla`), if the data is a function of the epoch.

    Raises:
        UserError: If a value is not allowed.

    Example:
        >>> plan = TrainingPlan(epochs=3, steps_per_epoch=10, objective=Objective("mse"))
        >>> plan.updates
        30
    """

    epochs: int
    steps_per_epoch: int
    objective: Objective
    optimizer: OptimizerPlan = field(default_factory=OptimizerPlan)
    patience: int | None = None
    evaluate_every: int = 1
    average: int = 1
    freeze: int = 0
    low_rank: LowRankPlan | None = None
    seed: int | None = None
    jit_compile: bool | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        for name in ("epochs", "steps_per_epoch", "patience", "average", "evaluate_every"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{option_name(name)} must be 1 or more, got {value}")
        if self.low_rank is not None and self.freeze:
            raise UserError(
                f"{option_name('lora_rank')} freezes all layers: leave out {option_name('freeze')}"
            )
        if self.patience is not None and self.objective.monitor is None:
            raise UserError(f"{option_name('patience')} requires validation data")
        if not self.updates:
            raise UserError(
                f"{option_name('accumulate')} must be at most the number of batches, "
                f"{self.steps}, got {self.optimizer.accumulate}"
            )

    @property
    def steps(self) -> int:
        """The number of batches of all epochs."""
        return self.epochs * self.steps_per_epoch

    @property
    def updates(self) -> int:
        """The number of updates of the weights in all epochs."""
        return self.steps // self.optimizer.accumulate

    @property
    def resolved(self) -> dict[str, Any]:
        """The training options that may be left to the task, with the values that were chosen."""
        return {
            "epochs": self.epochs,
            "patience": self.patience,
            "learning_rate": self.optimizer.learning_rate,
            "warmup": self.optimizer.warmup,
            "freeze": self.freeze,
        }

    def lines(self) -> list[str]:
        """The plan in words, for the log.

        Example:
            >>> objective = Objective("mse", monitor="val_loss")
            >>> for line in TrainingPlan(epochs=3, steps_per_epoch=8, objective=objective).lines():
            ...     print(line)
            optimizer: adam, 24 updates, learning rate 0.001, schedule constant, warm-up 1 step
            best epoch: minimum of val_loss
        """
        optimizer = self.optimizer
        words = [
            optimizer.name,
            counted(self.updates, "updates"),
            f"learning rate {optimizer.learning_rate:g}",
            f"schedule {optimizer.schedule}",
            f"warm-up {counted(optimizer.warmup, 'steps')}",
        ]
        if optimizer.accumulate > 1:
            words.append(f"{optimizer.accumulate} batches each")
        if optimizer.clipnorm is not None:
            words.append(f"clipnorm {optimizer.clipnorm:g}")
        if optimizer.weight_decay:
            words.append(f"weight decay {optimizer.weight_decay:g}")
        if optimizer.layer_decay != 1:
            words.append(f"layer decay {optimizer.layer_decay:g}")
        if self.low_rank is not None:
            rank, alpha = self.low_rank.rank, self.low_rank.alpha
            words.append(f"low-rank updates of rank {rank} and alpha {alpha:g}")
            if self.low_rank.base_dtype != FLOAT32:
                words.append(f"frozen kernels in {self.low_rank.base_dtype}")
        if self.freeze:
            words.append(f"{counted(self.freeze, 'layer groups')} frozen")
        lines = [f"optimizer: {', '.join(words)}"]
        if self.objective.monitor is not None:
            words = [f"{self.objective.mode}imum of {self.objective.monitor}"]
            if self.patience is not None:
                words.append(f"patience {self.patience}")
            if self.average > 1:
                words.append(f"mean of the best {self.average} epochs")
            lines.append(f"best epoch: {', '.join(words)}")
        return lines


@dataclass(frozen=True, kw_only=True)
class Defaults:
    """What a task decides of its training: the objective, and the options that are not given.

    Args:
        objective: Loss, metrics, and the monitored value.
        epochs: Function from the number of batches to the number of epochs.
        warmup: Function from the number of updates to the number of warm-up steps.
        learning_rate: Peak learning rate.
        rates: Factors of the learning rate by the path of a weight.
        beta_2: Decay rate of the mean of squared gradients, of Adam.
        patience: Function from the number of epochs to the patience of early stopping, which is
            used if there is validation data.
        freeze: Number of lowest layer groups to freeze, if it may be None.
        jit_compile: Whether to compile with XLA, or "auto".
    """

    objective: Objective
    epochs: Callable[[int], int]
    warmup: Callable[[int], int]
    learning_rate: float
    rates: Mapping[str, float]
    beta_2: float
    patience: Callable[[int], int | None]
    freeze: int
    jit_compile: bool | Literal["auto"]


def low_rank_plan(options: TrainingOptions) -> LowRankPlan | None:
    """The low-rank updates that options ask for, or None.

    Raises:
        UserError: If there are options of them without a rank.
    """
    rank, alpha, layers = options.lora_rank, options.lora_alpha, tuple(options.lora_layers)
    if rank is None:
        given = {
            "lora_alpha": alpha is not None,
            "lora_layers": layers != (ALL,),
            "lora_base_dtype": options.lora_base_dtype != FLOAT32,
        }
        for name in given:
            if given[name]:
                raise UserError(f"{option_name(name)} requires {option_name('lora_rank')}")
        return None
    return LowRankPlan(
        rank=rank,
        alpha=2.0 * rank if alpha is None else alpha,
        layers=layers,
        seed=options.seed,
        base_dtype=options.lora_base_dtype,
    )


def plan_training(
    options: TrainingOptions, defaults: Defaults, steps_per_epoch: int, validated: bool
) -> TrainingPlan:
    """Makes the plan of a run: the given options, and the defaults of the task for the others.

    Args:
        options: Validated training options, which are not changed.
        defaults: Those of the task.
        steps_per_epoch: Number of batches in an epoch.
        validated: Whether there is validation data. Without it, the last epoch is the best.

    Returns:
        The plan.

    Raises:
        UserError: If the options contradict each other, or there are too few batches.
    """
    epochs = options.epochs
    if epochs is None:
        epochs = defaults.epochs(steps_per_epoch)
    rate, warmup, patience = options.learning_rate, options.warmup, options.patience
    freeze: int | None = options.freeze  # None only for tasks with a default
    objective = defaults.objective
    if not validated:
        objective = replace(objective, monitor=None, mode="min")
    elif patience is None:
        patience = defaults.patience(epochs)
    updates = epochs * steps_per_epoch // options.accumulate
    low_rank = low_rank_plan(options)
    return TrainingPlan(
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        objective=objective,
        optimizer=OptimizerPlan(
            name=options.optimizer,
            learning_rate=defaults.learning_rate if rate is None else rate,
            schedule=options.schedule,
            warmup=defaults.warmup(updates) if warmup is None else warmup,
            weight_decay=options.weight_decay,
            clipnorm=options.clipnorm,
            accumulate=options.accumulate,
            layer_decay=options.layer_decay,
            rates=defaults.rates,
            beta_2=defaults.beta_2,
        ),
        patience=patience,
        average=options.average,
        freeze=0 if low_rank and freeze is None else defaults.freeze if freeze is None else freeze,
        low_rank=low_rank,
        seed=options.seed,
        jit_compile=defaults.jit_compile if options.xla == "auto" else bool(options.xla),
    )
