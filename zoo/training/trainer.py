"""`train`: `model.compile` and `model.fit` with checkpoints, resuming and early stopping."""

import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import keras
from rich.console import Console

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.training.best_weights import load_average_if_good, load_best
from zoo.training.callbacks import EndEpoch, SaveSteps, WatchBatches
from zoo.training.checkpoint import Checkpoints
from zoo.training.compiling import compile_model, set_seed
from zoo.training.dataset import build_metrics, from_epoch
from zoo.training.distribution import check_distribution, distributed
from zoo.training.history import HISTORY, History, columns, write_csv
from zoo.training.hosts import alone, count_processes, wait_for_all, writes
from zoo.training.interruption import Interruption
from zoo.training.progress import TrainingProgress
from zoo.training.rematerialization import check_remat, rematerialized
from zoo.training.run_log import RunLog
from zoo.training.save_every import SaveEvery
from zoo.training.state import TrainingState
from zoo.training.tensorboard import open_writer
from zoo.training.termination import Terminated, Termination
from zoo.training.validation import validate_epoch
from zoo.training.xla_choice import measure_xla, needs_measuring
from zoo.untrusted import check_inside


def train(
    model: keras.Model,
    dataset: Any,
    *,
    epochs: int,
    steps_per_epoch: int,
    optimizer: keras.optimizers.Optimizer,
    loss: Any,
    metrics: Any = None,
    loss_weights: Any = None,
    validation: Any = None,
    evaluate: Callable[[keras.Model], dict[str, float]] | None = None,
    evaluate_every: int = 1,
    monitor: str | None = None,
    mode: str = "min",
    patience: int | None = None,
    average: int = 1,
    max_minutes: float | None = None,
    folder: Path | str | None = None,
    resume: bool = False,
    seed: int | None = None,
    jit_compile: bool | str = "auto",
    tensorboard: bool = False,
    save_every: str | int | None = None,
    keep: int = 1,
    distribute: str | None = None,
    shared: bool = False,
    remat: bool = False,
    started: Callable[[], None] | None = None,
    saved: Callable[[], None] | None = None,
    notes: Sequence[str] = (),
    verbose: bool = True,
) -> History:
    """Trains a model, and leaves it with its best weights.

    A run with a folder can be killed at any time. When resumed, it continues after the last
    checkpoint, which is that of the last complete epoch or of `save_every`, with the same results
    as without the interruption. Ctrl-C ends training after the current batch, and the weights are
    evaluated and saved, as at the time limit; a second Ctrl-C ends it at once. SIGTERM saves a
    checkpoint after the current batch, also of the validation that is running, which is repeated
    when the run is resumed, and ends the process with status 143.

    Args:
        model: A built Keras model. Its dtype policy determines the precision; loss scaling for
            float16 is added automatically.
        dataset: A `tf.data.Dataset` of (inputs, labels), which is repeated as needed, or a function
            `dataset(start_epoch, start_step)` that returns one beginning with that batch of that
            epoch (both counted from 0).
            To resume with the same results, the seeds for shuffling must be fixed.
        epochs: Total number of epochs, including those before a resume.
        steps_per_epoch: Number of batches in an epoch.
        optimizer: For example `adam(NoamSchedule(512), clipnorm=1.0)`.
        loss: See `model.compile`.
        metrics: See `model.compile`; with a `TokenCount`, the speed is shown in tokens.
        loss_weights: See `model.compile`.
        validation: A finite dataset, evaluated after each epoch.
        evaluate: A function from the model to further metrics, for example `{"bleu": 27.3}`.
        evaluate_every: Number of epochs between calls of `evaluate`, which is also called after the
            last epoch.
        monitor: Metric that determines the best epoch; default `val_loss` if there is validation
            data. Without it, the last weights are the best. Between equal values, the lower
            `val_loss` decides.
        mode: Whether `monitor` should be minimal ("min") or maximal ("max").
        patience: Early stopping: stop after this many evaluations without improvement of `monitor`,
            or of `val_loss` at an equal value.
        average: Average the weights of this many best epochs, and keep the average if its `monitor`
            is at least as good as that of the best epoch. 1 does not average.
        max_minutes: Stop after this time. The incomplete epoch may be the best, but does not count
            for `patience`, and is repeated when the run is resumed.
        folder: Run folder for checkpoints, `history.csv` and `log.txt`; None writes nothing.
        resume: Continue the run in `folder`, or start a new one if there is none.
        seed: Seed of dropout, and global random seed. Does not change the weights.
        jit_compile: XLA: True, False or "auto": on for JAX and for TensorFlow on accelerators, on a
            CPU what is faster (see `measure_xla`), if `dataset` is a function.
        tensorboard: Also write `tensorboard/` to the folder, if TensorBoard is installed.
        save_every: Also save a checkpoint in the middle of epochs: after this number of steps, such
            as 500, or after this time, such as "10m".
        keep: Number of checkpoints to resume from that are kept.
        distribute: Train on all devices, on JAX: "data" splits the rows of each batch between them,
            "model" the weights. None trains on one device.
        shared: Whether `dataset` and `validation` have only the rows of this process, of several.
        remat: Gradient checkpointing of Transformer blocks, on JAX.
        started: Called before the first step.
        saved: Called after each checkpoint.
        notes: Lines for the log, such as data statistics.
        verbose: Show progress on standard error.

    Returns:
        The `History` of the whole run. After Ctrl-C, `stopped` is "interrupted".

    Raises:
        ValueError: If an argument is invalid.
        UserError: If the loss is not finite, the data ends early, the disk is full, the folder is
            damaged or already contains a run, training cannot be distributed, or another of
            several processes was lost.

    Example:
    >>> import numpy as np
    >>> import tensorflow as tf
    >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    >>> x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
    >>> data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(4)
    >>> history = train(model, data, epochs=2, steps_per_epoch=2, loss="mse",
    ...                 optimizer=keras.optimizers.SGD(0.1), verbose=False)
    >>> history.epoch, history.stopped
    ([1, 2], 'finished')
    """
    if monitor is None and validation is not None:
        monitor = "val_loss"
    _check(
        mode,
        monitor,
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        patience=patience,
        average=average,
        evaluate_every=evaluate_every,
        keep=keep,
    )
    every = None if save_every is None else SaveEvery(save_every)
    if every is not None and folder is None:
        raise ValueError("`save_every` requires a `folder`, got None.")
    if max_minutes is not None and not max_minutes > 0:
        raise ValueError(f"{option_name('max_minutes')} must be above 0, got {max_minutes}.")
    if resume and folder is None:
        raise ValueError("`resume` requires the `folder` of the run, got None.")
    with ExitStack() as stack:
        # Keras warns at the end of every dataset of unknown size.
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", message="Your input ran out of data")
        if folder is None:
            run, place = None, Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            run = Path(folder)
            place = run / "checkpoints"
            for name in ("checkpoints", "tensorboard"):
                check_inside(run / name, run)
        check_distribution(distribute, jit_compile)
        check_remat(remat)
        first = writes()  # of several processes
        if max_minutes is not None and count_processes() > 1:
            raise UserError("max_minutes is not for several processes: end them, and resume")
        written = run if first else None
        checkpoints = Checkpoints(
            place,
            average if average > 1 else 0,
            resumable=run is not None,
            keep_last=keep,
            writes=first or run is None,
        )
        console = Console(stderr=True) if verbose and first else None
        log = RunLog(written and written / "log.txt", console)

        of_devices = stack.enter_context(distributed(model, distribute, optimizer, metrics, shared))
        of_blocks = stack.enter_context(rematerialized(model, remat))
        if seed is not None:
            set_seed(model, seed)
        compile_model(model, optimizer, loss, metrics, jit_compile, loss_weights)
        state = _start(model, checkpoints, TrainingState(steps_per_epoch, monitor, mode), resume)
        wait_for_all("begin")  # has read the run, and its folder may change
        if written is not None and state.history:
            write_csv(state.history, written / HISTORY)  # the process may have been killed before
        if jit_compile == "auto" and state.xla is not None:
            model.jit_compile = state.xla
        # Not from a dataset that counts how often it is iterated.
        measured = jit_compile == "auto" and needs_measuring(state) and callable(dataset)
        log(_describe(model, state, epochs, measured))
        for note in (*of_devices, *of_blocks, *notes):
            log(note)

        deadline = None if max_minutes is None else time.monotonic() + 60 * max_minutes
        progress = TrainingProgress(console, epochs, steps_per_epoch, state.epoch + 1, deadline)
        interruption, termination = Interruption(), Termination()
        watch = WatchBatches(progress, interruption, log, deadline)
        end = EndEpoch(
            state=state,
            checkpoints=checkpoints,
            watch=watch,
            log=log,
            csv_path=written and written / HISTORY,
            tensorboard=open_writer(written, log) if tensorboard and written else None,
            evaluate=evaluate,
            evaluate_every=evaluate_every,
            epochs=epochs,
            patience=patience,
            termination=termination,
            saved=alone()(saved) if saved and first else None,
        )
        stopped = "finished"
        if state.epoch < epochs and not end.out_of_patience():
            if started is not None and first:
                with alone():
                    started()
            try:
                if measured:
                    steps = epochs * steps_per_epoch
                    state.xla = measure_xla(model, dataset(0), steps, log, seed)
                build_metrics(model, dataset, state.epoch, state.step)
                watch.skipped = state.step
                save = SaveSteps(state, checkpoints, watch, end, every)
                # Keras gives all epochs of a call the same number of steps.
                lasts = [state.epoch + 1, epochs] if state.step else [epochs]
                alone_here = interruption if count_processes() == 1 else nullcontext()
                with progress, alone_here, termination:
                    if state.step == steps_per_epoch:
                        validate_epoch(model, validation, [watch, save, end], watch, state.epoch)
                        lasts = [] if state.epoch == epochs or end.out_of_patience() else [epochs]
                    for last in lasts:
                        model.fit(
                            from_epoch(dataset, state.epoch, steps_per_epoch, watch.skipped),
                            epochs=last,
                            initial_epoch=state.epoch,
                            steps_per_epoch=steps_per_epoch - watch.skipped,
                            validation_data=validation,
                            shuffle=False,
                            callbacks=[watch, save, end],
                            verbose=0,
                        )
                        watch.skipped = 0
                        if state.epoch < last or end.out_of_patience():
                            break
            except Terminated:
                save.end_process()
            except KeyboardInterrupt:
                if count_processes() > 1:
                    raise  # the others cannot know after which batch
                interruption.requested = True
            except Exception as error:
                if not interruption.repeated:  # libraries turn Ctrl-C into errors of their own
                    if isinstance(error, UserError):
                        log(f"stopped: {error}")
                    raise
        if interruption.requested and state.epoch < epochs:
            stopped = "interrupted"
            epoch = f"after epoch {state.epoch}" if state.epoch else "in the first epoch"
            log(f"interrupted {epoch}{'; resume to continue from there' if run else ''}")
        elif watch.out_of_time:
            stopped = "time"
            log(f"stopped after {max_minutes:g} minutes")
        elif end.out_of_patience():
            stopped = "patience"
            log(
                f"early stopping: {monitor} has not improved for {patience} "
                f"evaluation{'s' if patience != 1 else ''}"
            )

        wait_for_all("trained")  # has written the best weights
        load_best(model, checkpoints, state, log)
        mean_value = None
        if average > 1 and stopped != "interrupted":
            mean_value = load_average_if_good(model, checkpoints, state, validation, evaluate, log)
        wait_for_all("read")
    table = columns(state.history)
    return History(
        epoch=table.pop("epoch", []),
        history=table,
        best_epoch=state.best_epoch,
        monitor=monitor,
        best_value=state.best_value if mean_value is None else mean_value,
        averaged=mean_value is not None,
        stopped=stopped,
        seconds=state.seconds,
    )


def _start(
    model: keras.Model, checkpoints: Checkpoints, fresh: TrainingState, resume: bool
) -> TrainingState:
    """The state to start from: a new one, or that of the folder, with its weights restored."""
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


def _describe(model: keras.Model, state: TrainingState, epochs: int, measured: bool) -> str:
    step = f" and {counted(state.step, 'batches')}" if state.step else ""
    begun = f"resuming after epoch {state.epoch}{step}, " if state.epoch or state.step else ""
    xla = "auto" if measured else "on" if model.jit_compile else "off"
    return (
        f"training {model.name}: {begun}{model.count_params():,} parameters, "
        f"{counted(epochs, 'epochs')} of {counted(state.steps_per_epoch, 'batches')}, "
        f"{model.dtype_policy.name}, "
        f"{keras.backend.backend()} backend, XLA {xla}, "
        f"keras {keras.version()}"
    )


def _check(mode: str, monitor: str | None, **counts: int | None) -> None:
    if mode not in ("min", "max"):
        raise ValueError(f'`mode` must be "min" or "max", got {mode!r}.')
    for name, value in counts.items():
        if value is not None and value < 1:
            raise ValueError(f"{option_name(name)} must be 1 or more, got {value}.")
    if counts["patience"] is not None and monitor is None:
        raise ValueError(f"{option_name('patience')} requires validation data or a monitor.")
