"""`train`: `model.compile` and `model.fit` with checkpoints, resuming and early stopping."""

import shlex
import time
import warnings
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime

import keras

from zoo.training.best_weights import load_average_if_good, load_best
from zoo.training.compiling import build_optimizer, compile_model, set_seed
from zoo.training.data import TrainingData
from zoo.training.distribution import distributed
from zoo.training.end_epoch import EndEpoch
from zoo.training.epochs import Callbacks, train_epochs, why_stopped
from zoo.training.history import History, columns
from zoo.training.hosts import wait_for_all
from zoo.training.how_far import how_far
from zoo.training.interruption import Interruption
from zoo.training.layerwise import freeze
from zoo.training.low_rank import prepare_updates
from zoo.training.options import SessionOptions
from zoo.training.plan import TrainingPlan
from zoo.training.progress import TrainingProgress
from zoo.training.rematerialization import rematerialized
from zoo.training.run_files import RunFiles, run_files
from zoo.training.save_every import SaveEvery
from zoo.training.save_steps import SaveSteps
from zoo.training.session import Hooks
from zoo.training.starting import first_line, start_state
from zoo.training.state import TrainingState
from zoo.training.termination import Termination
from zoo.training.watch_batches import WatchBatches
from zoo.training.xla_choice import needs_measuring


def train(
    model: keras.Model,
    data: TrainingData,
    plan: TrainingPlan,
    session: SessionOptions,
    hooks: Hooks | None = None,
) -> History:
    """Trains a model, and leaves it with its best weights.

    A run with a folder can be killed at any time. When resumed, it continues after the last
    checkpoint, which is that of the last complete epoch or of `save_every`, with the same results
    as without the interruption. Ctrl-C ends training after the current batch, and the weights are
    evaluated and saved, as at the time limit; a second Ctrl-C ends it at once. SIGTERM saves a
    checkpoint after the current batch, also of the validation that is running, which is repeated
    when the run is resumed, and ends the process with status 143. At a time limit, the incomplete
    epoch may be the best, but does not count for `patience`; a resumed run goes on before its last
    batch, so that epochs may be longer than the limit.

    Args:
        model: A built Keras model. Its dtype policy determines the precision; loss scaling for
            float16 is added automatically.
        data: Training batches, and validation data.
        plan: The numbers of the run, such as its epochs and its learning rates.
        session: Options of this call, which `check_session` has checked.
        hooks: Functions to call before the first step and after each checkpoint, or None.

    Returns:
        The `History` of the whole run. After Ctrl-C, `stopped` is "interrupted".

    Raises:
        UserError: If the loss is not finite, the data ends early, the disk is full, the folder is
            damaged or already contains a run, training cannot be distributed, or another of
            several processes was lost.

    Example:
        >>> import numpy as np
        >>> import tensorflow as tf
        >>> from zoo.training.objective import Objective
        >>> from zoo.training.plan import OptimizerPlan
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
        >>> batches = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(4)
        >>> plan = TrainingPlan(
        ...     epochs=2,
        ...     steps_per_epoch=2,
        ...     objective=Objective("mse", monitor=None),
        ...     optimizer=OptimizerPlan(name="sgd", learning_rate=0.1),
        ... )
        >>> quiet = SessionOptions(verbose=False)
        >>> history = train(model, TrainingData(dataset=batches), plan, quiet)
        >>> history.epoch, history.stopped
        ([1, 2], 'finished')
    """
    every = None if session.save_every is None else SaveEvery(session.save_every)
    with ExitStack() as stack:
        # Keras warns at the end of every dataset of unknown size.
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", message="Your input ran out of data")
        files = stack.enter_context(run_files(session, plan.average))
        freeze(model, plan.freeze)
        prepare_updates(model, plan.low_rank)
        optimizer = build_optimizer(model, plan.optimizer, plan.updates)
        objective = plan.objective
        notes = [
            *stack.enter_context(
                distributed(model, session.distribute, optimizer, objective.metrics, data.shared)
            ),
            *stack.enter_context(rematerialized(model, session.remat)),
        ]
        if plan.seed is not None:
            set_seed(model, plan.seed)
        compile_model(
            model,
            optimizer,
            objective.loss,
            objective.metrics,
            plan.jit_compile,
            objective.loss_weights,
        )
        state = start_state(model, files.checkpoints, plan, session.resume)
        wait_for_all("begin")  # has read the run, and its folder may change
        files.write_history(state)  # the process may have been killed before
        if plan.jit_compile == "auto" and state.xla is not None:
            model.jit_compile = state.xla
        # Not from a dataset that counts how often it is iterated.
        measures_xla = plan.jit_compile == "auto" and needs_measuring(state) and data.by_epoch
        for line in (
            first_line(model, state, plan, measures_xla),
            *plan.lines(),
            *notes,
            *data.notes,
            *_watched(session),
        ):
            files.log(line)
        hooks = (hooks or Hooks()).in_writer()
        callbacks = _callbacks(data, plan, session, state, files, hooks, every)
        if state.epoch < plan.epochs and not callbacks.end.stopped_early():
            if hooks.started is not None:
                hooks.started()
            train_epochs(model, data, plan, state, callbacks, measures_xla)
        stopped = why_stopped(plan, state, callbacks, session.max_minutes)
        files.checkpoints.write_held(model, state)
        wait_for_all("trained")  # has written the best weights
        load_best(model, files, state)
        mean_value = None
        if plan.average > 1 and stopped != "interrupted":
            mean_value = load_average_if_good(model, files, state, data)
        wait_for_all("read")
    table = columns(state.history)
    return History(
        epoch=table.pop("epoch", []),
        history=table,
        best_epoch=state.best_epoch,
        monitor=objective.monitor,
        best_value=state.best_value if mean_value is None else mean_value,
        averaged=mean_value is not None,
        stopped=stopped,
        seconds=state.seconds,
        progress=state.steps / plan.steps,
        how_far=how_far(asdict(state), plan.epochs),
        expected_seconds=_expected_seconds(state, plan, callbacks.watch.step_seconds),
    )


def _watched(session: SessionOptions) -> list[str]:
    """The command that shows how far a training with a folder is, as a line for the log."""
    if session.folder is None:
        return []
    return [f"watch it with: keras-attn report {shlex.quote(str(session.folder))} --watch"]


def _expected_seconds(
    state: TrainingState, plan: TrainingPlan, step_seconds: float | None
) -> float | None:
    """How long all planned epochs take; None if no step was trained."""
    if step_seconds is not None:
        return state.seconds + (plan.steps - state.steps) * step_seconds
    return state.seconds * plan.steps / state.steps if state.steps else None


def _callbacks(
    data: TrainingData,
    plan: TrainingPlan,
    session: SessionOptions,
    state: TrainingState,
    files: RunFiles,
    hooks: Hooks,
    every: SaveEvery | None,
) -> Callbacks:
    minutes = session.max_minutes
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    # Another process that watches has no other clock in common.
    state.ends_at = None if minutes is None else datetime.now(UTC).timestamp() + 60 * minutes
    progress = TrainingProgress(
        files.console, plan.epochs, plan.steps_per_epoch, state.epoch + 1, deadline, files.line
    )
    watch = WatchBatches(progress, Interruption(), files.log, deadline)
    end = EndEpoch(state, files, watch, plan, data.evaluate, Termination(), hooks)
    return Callbacks(watch, SaveSteps(state, files.checkpoints, watch, end, every), end)
