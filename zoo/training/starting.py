"""Start of a run: a new state, or that of the last checkpoint, and the first line of the log."""

import math

import keras

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.training.checkpoint import Checkpoints
from zoo.training.plan import TrainingPlan
from zoo.training.state import TrainingState


def start_state(
    model: keras.Model, checkpoints: Checkpoints, plan: TrainingPlan, resume: bool
) -> TrainingState:
    """The state to start from: a new one, or that of the folder, with its weights restored.

    Args:
        model: A compiled model.
        checkpoints: Checkpoints of the run.
        plan: Plan of the run.
        resume: Whether to continue a run.

    Raises:
        UserError: If the folder contains a run and `resume` is false, or the run has other data.
    """
    objective = plan.objective
    fresh = TrainingState(plan.steps_per_epoch, objective.monitor, objective.mode)
    if not checkpoints.exists():
        return fresh
    if not resume:
        raise UserError(
            f"{checkpoints.folder} already contains a training run: "
            "resume it, or choose another folder."
        )
    state = checkpoints.read_state()
    for name in ("steps_per_epoch", "monitor", "mode"):
        before, now = getattr(state, name), getattr(fresh, name)
        if before != now:
            raise UserError(
                f"The run in {checkpoints.folder} has {name} {before}, not {now}: "
                "resume with the same data and settings, or choose another folder."
            )
    if state.epoch or state.step:
        checkpoints.restore(model)
    return state


def first_line(
    model: keras.Model, state: TrainingState, plan: TrainingPlan, measures_xla: bool
) -> str:
    """The first line of the log: the model, the epochs, and what computes them."""
    step = f" and {counted(state.step, 'batches')}" if state.step else ""
    begun = f"resuming after epoch {state.epoch}{step}, " if state.epoch or state.step else ""
    xla = "auto" if measures_xla else "on" if model.jit_compile else "off"
    trained = sum(math.prod(weight.shape) for weight in model.trainable_weights)
    some = f" ({trained:,} of them trained)" if plan.low_rank is not None else ""
    return (
        f"training {model.name}: {begun}{model.count_params():,} parameters{some}, "
        f"{counted(plan.epochs, 'epochs')} of {counted(plan.steps_per_epoch, 'batches')}, "
        f"{model.dtype_policy.name}, "
        f"{keras.backend.backend()} backend, XLA {xla}, "
        f"keras {keras.version()}"
    )
