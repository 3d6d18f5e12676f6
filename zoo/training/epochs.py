"""Epochs of a run: the calls of `model.fit`, and what ends them early."""

from contextlib import nullcontext
from typing import Any, NamedTuple

import keras

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.training.data import TrainingData, build_metrics
from zoo.training.end_epoch import EndEpoch
from zoo.training.hosts import count_processes
from zoo.training.plan import TrainingPlan
from zoo.training.save_steps import SaveSteps
from zoo.training.state import TrainingState
from zoo.training.termination import Terminated
from zoo.training.watch_batches import WatchBatches
from zoo.training.xla_choice import measure_xla


def validate_epoch(
    model: keras.Model,
    validation: Any,
    callbacks: list[keras.callbacks.Callback],
    watch: WatchBatches,
    epoch: int,
) -> None:
    """Ends an epoch as `model.fit` does after its last batch.

    Args:
        model: The model, with the weights after that batch.
        validation: A dataset to evaluate it on, or None.
        callbacks: Those of the training, which restore the metrics of the epoch and end it.
        watch: The one of them that counts the batches, all of which it has skipped.
        epoch: Number of the epoch, counted from 0.
    """
    every = keras.callbacks.CallbackList(callbacks, model=model)
    every.on_train_begin()
    every.on_epoch_begin(epoch)
    watch.steps, watch.skipped = watch.skipped, 0
    logs = {name: float(value) for name, value in model.get_metrics_result().items()}
    if validation is not None:
        metrics = model.evaluate(validation, callbacks=every, return_dict=True, verbose=0)
        logs |= {f"val_{name}": value for name, value in metrics.items()}
    every.on_epoch_end(epoch, logs)
    every.on_train_end()


class Callbacks(NamedTuple):
    """Callbacks of a run, in the order in which Keras calls them."""

    watch: WatchBatches
    save: SaveSteps
    end: EndEpoch


def train_epochs(
    model: keras.Model,
    data: TrainingData,
    plan: TrainingPlan,
    state: TrainingState,
    callbacks: Callbacks,
    measures_xla: bool,
) -> None:
    """Trains the epochs that are left, until they end or something ends them early.

    Args:
        model: A compiled model.
        data: Data of the run.
        plan: Plan of the run.
        state: State of the run, which the callbacks update.
        callbacks: Callbacks of the run.
        measures_xla: Whether to measure first if XLA is faster.

    Raises:
        UserError: If the loss is not finite, the data ends early, or the disk is full.
    """
    watch, interruption = callbacks.watch, callbacks.watch.interruption
    try:
        if measures_xla:
            batches = data.start_at(0, 0, plan.steps_per_epoch)
            state.xla = measure_xla(model, batches, plan.steps, watch.log, plan.seed)
        build_metrics(model, data, state.epoch, state.step)
        watch.skipped = state.step
        alone = interruption if count_processes() == 1 else nullcontext()
        with watch.progress, alone, callbacks.end.termination:
            _fit(model, data, plan, state, callbacks)
    except Terminated:
        callbacks.save.end_process()
    except KeyboardInterrupt:
        if count_processes() > 1:
            raise  # the others cannot know after which batch
        interruption.requested = True
    except Exception as error:
        if not interruption.repeated:  # libraries turn Ctrl-C into errors of their own
            if isinstance(error, UserError):
                watch.log(f"stopped: {error}")
            raise


def _fit(
    model: keras.Model,
    data: TrainingData,
    plan: TrainingPlan,
    state: TrainingState,
    callbacks: Callbacks,
) -> None:
    watch = callbacks.watch
    # Keras gives all epochs of a call the same number of steps.
    lasts = [state.epoch + 1, plan.epochs] if state.step else [plan.epochs]
    if state.step == plan.steps_per_epoch:
        validate_epoch(model, data.validation, list(callbacks), watch, state.epoch)
        ended = state.epoch == plan.epochs or callbacks.end.stopped_early()
        lasts = [] if ended else [plan.epochs]
    for last in lasts:
        model.fit(
            data.start_at(state.epoch, watch.skipped, plan.steps_per_epoch),
            epochs=last,
            initial_epoch=state.epoch,
            steps_per_epoch=plan.steps_per_epoch - watch.skipped,
            validation_data=data.validation,
            shuffle=False,
            callbacks=list(callbacks),
            verbose=0,
        )
        watch.skipped = 0
        if state.epoch < last or callbacks.end.stopped_early() or watch.cut_short:
            return


def why_stopped(
    plan: TrainingPlan, state: TrainingState, callbacks: Callbacks, max_minutes: float | None
) -> str:
    """Why training ended, which it also logs.

    Args:
        plan: Plan of the run.
        state: State of the run.
        callbacks: Callbacks of the run.
        max_minutes: The time limit, or None.

    Returns:
        "finished", "interrupted", "time", "callback" or "patience".
    """
    files, watch = callbacks.end.files, callbacks.watch
    if watch.interruption.requested and state.epoch < plan.epochs:
        where = f"after epoch {state.epoch}" if state.epoch else "in the first epoch"
        resumable = files.checkpoints.resumable
        files.log(f"interrupted {where}{'; resume to continue from there' if resumable else ''}")
        return "interrupted"
    if watch.out_of_time:
        files.log(f"stopped after {max_minutes:g} minutes")
        return "time"
    if callbacks.end.ended_by_callback:
        files.log(f"ended by a callback after epoch {state.epoch}")
        return "callback"
    if callbacks.end.out_of_patience():
        evaluations = counted(plan.patience or 0, "evaluations")
        monitor = plan.objective.monitor
        files.log(f"early stopping: {monitor} has not improved for {evaluations}")
        return "patience"
    return "finished"
