"""Implements `fit` for every task: options, batches, optimizer, run folder, training."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import keras
from rich.console import Console

from keras_attn.right_padding import right_padding
from zoo.data.batching.batches import Batches, telling_what_failed
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.locking import locked
from zoo.option_names import option_name
from zoo.registry import MODELS
from zoo.tasks.folder import START, WEIGHTS
from zoo.tasks.resuming import (
    DATA,
    VALIDATION,
    Given,
    config_to_resume,
    data_of,
    prepare_to_resume,
    record_data,
)
from zoo.training.distribution import check_distribution
from zoo.training.history import History
from zoo.training.hosts import share_rows, writes
from zoo.training.layerwise import freeze, layer_rates
from zoo.training.optimizer import adam, sgd
from zoo.training.options import DATA as ROWS
from zoo.training.options import SessionOptions, split
from zoo.training.rematerialization import check_remat
from zoo.training.run_log import RunLog
from zoo.training.schedule import learning_rates
from zoo.training.trainer import train


def fit(task: Any, data: Any, validation_data: Any, given: dict[str, Any]) -> History:
    """Trains a task, and leaves its model with the weights of the best epoch.

    Args:
        task: The task.
        data: The training data, or None for the data of the resumed run.
        validation_data: Data to select the best epoch, the fraction of the training data to hold
            out as such, or None.
        given: Training and session options by name. Other training options are those of the resumed
            run, or else the defaults.
    """
    training, session = fit_options(task, given)
    check_distribution(session.distribute, training.xla)
    check_remat(session.remat)
    folder = None if session.folder is None else Path(session.folder)
    with locked(folder) if folder is not None and writes() else nullcontext():
        return _fit(task, data, validation_data, training, session, folder)


def _fit(
    task: Any,
    data: Any,
    validation_data: Any,
    training: Any,
    session: SessionOptions,
    folder: Path | None,
) -> History:
    resumed = folder if session.resume else None
    if resumed is not None:
        prepare_to_resume(task, resumed)
    before = {} if resumed is None else config_to_resume(resumed)["files"]
    data, validation_data = data_of(before, task.name, data, validation_data)
    examples, held_out_examples, given = _examples(task, data, validation_data, training.seed)
    notes = record_data(task, given, resumed, session.allow_other_data)
    batches = task.batches(examples, training)
    task.fit_baselines(examples)
    notes += [*task.origin, f"training data: {examples}", f"training batches: {batches}"]
    notes += [f"epoch 1: {text}" for text in describe(batches.left_out(shuffle=True))]
    held_out = evaluate = None
    if held_out_examples is None:
        notes += ["no validation data: the weights of the last epoch are kept"]
    else:
        held_out = task.batches(held_out_examples, training, held_out=True)
        evaluate = task.validation(held_out)
        notes += [f"validation data: {held_out_examples}", f"validation batches: {held_out}"]
        if scores := task.baseline_scores(held_out_examples):
            shown = ", ".join(f"{name} {score:.4g}" for name, score in scores.items())
            notes += [f"baselines on the validation data: {shown}"]
        notes += [f"validation: {text}" for text in describe(held_out.left_out(shuffle=False))]
    if training.epochs is None:
        training.epochs = task.default_epochs(batches.steps_per_epoch)
    steps = training.epochs * batches.steps_per_epoch // training.accumulate  # of the optimizer
    if not steps:
        raise UserError(
            f"{option_name('accumulate')} must be at most the number of batches, "
            f"{training.epochs * batches.steps_per_epoch}, got {training.accumulate}"
        )
    if training.patience is None and held_out is not None:
        training.patience = task.default_patience()
    if training.learning_rate is None:
        training.learning_rate = task.default_learning_rate()
    if training.warmup is None:
        training.warmup = task.default_warmup(steps)
    if training.freeze is None:
        training.freeze = task.default_freeze()
    task.training, task.metrics = training.values(), {}
    task.set_augmentation(training)
    task.calibrate(None)
    objective = task.objective(training)
    rates = learning_rates(training.schedule, training.learning_rate, training.warmup, steps)
    freeze(task.model, training.freeze)
    rates_of = layer_rates(task.model, training.layer_decay)
    for path, factor in task.rate_factors(training).items():
        rates_of[path] = rates_of.get(path, 1.0) * factor
    validated = held_out is not None
    shared = session.distribute == ROWS and evaluate is None and share_rows(batches, held_out)
    with (
        right_padding(task.model),  # as all batches have it
        telling_what_failed(batches, held_out),
    ):
        history = train(
            task.model,
            lambda epoch, step=0: batches.dataset(epoch, repeat=True, start_step=step),
            epochs=training.epochs,
            steps_per_epoch=batches.steps_per_epoch,
            optimizer=_optimizer(training, rates, rates_of, task.beta_2),
            loss=objective.loss,
            metrics=objective.metrics,
            loss_weights=objective.loss_weights,
            validation=held_out.dataset(shuffle=False) if held_out and not evaluate else None,
            evaluate=evaluate,
            monitor=objective.monitor if validated else None,
            mode=objective.mode if validated else "min",
            patience=training.patience,
            average=training.average,
            max_minutes=session.max_minutes,
            folder=folder,
            started=None if folder is None else lambda: _save_start(task, folder),
            saved=None if folder is None else lambda: task.save_files(folder, weights=False),
            resume=session.resume,
            seed=training.seed,
            jit_compile=task.default_xla() if training.xla == "auto" else training.xla,
            tensorboard=session.tensorboard,
            save_every=session.save_every,
            keep=session.keep,
            distribute=session.distribute,
            shared=shared,
            remat=session.remat,
            verbose=session.verbose,
            notes=notes,
        )
    if held_out is not None and history.best_epoch:
        _calibrate(task, held_out, folder, session.verbose)
    return history


def _calibrate(task: Any, held_out: Batches, folder: Path | None, verbose: bool) -> None:
    """Calibrates the trained weights, and saves the result unless `task.save` is to do so."""
    found = task.calibrate(held_out)
    if found is None or not writes():
        return
    console = Console(stderr=True) if verbose else None
    RunLog(folder and folder / "log.txt", console)(str(found))
    if folder is not None and not (folder / WEIGHTS).exists():  # then there is a checkpoint
        task.save_files(folder, weights=False)


def _optimizer(
    training: Any, rates: Any, rates_of: dict[str, float], beta_2: float
) -> keras.Optimizer:
    """Creates the optimizer.

    Raises:
        UserError: If a training option is not supported by the optimizer.
    """
    if training.optimizer == "adam":
        return adam(
            rates,
            training.clipnorm,
            training.weight_decay,
            rates_of,
            beta_2,
            training.accumulate,
        )
    if training.weight_decay:
        raise UserError("weight_decay is an option of the optimizer adam, not of sgd")
    return sgd(rates, training.clipnorm, rates_of, training.accumulate)


def _examples(
    task: Any, data: Any, validation_data: Any, seed: int
) -> tuple[Any, Any, dict[str, Given]]:
    """Reads training and validation examples, None without validation data; and their files."""
    for each in (data, validation_data):
        task.check_readable(each)
    examples, held_out = task.read(data), None
    given = {
        DATA: Given(data, task.files_of(data, examples)),
        VALIDATION: Given(validation_data, []),
    }
    if isinstance(validation_data, float):
        examples, held_out = examples.split(validation_data, seed)
    elif validation_data is None:
        held_out = task.own_validation(examples)
    else:
        held_out = task.read(validation_data)
        given[VALIDATION] = Given(validation_data, task.files_of(validation_data, held_out))
    return examples, held_out, given


def fit_options(task: Any, given: dict[str, Any]) -> tuple[Any, SessionOptions]:
    """Validates the training and session options.

    Raises:
        UserError: If an option is unknown, a value is not allowed, or `resume` lacks a folder.
    """
    mine, of_session = split(given)
    session = SessionOptions.of(of_session, "fit")
    if session.resume and session.folder is None:
        raise UserError("resume requires the folder of the run")
    before: dict[str, Any] = {}
    if session.resume and session.folder:
        before = config_to_resume(Path(session.folder))["training"]
    # Checks the given options first, so that an error is not attributed to the run's config.
    task.Training.of(mine, f"fit of {task.name}", also=SessionOptions.names())
    of_model = MODELS[task.settings.model].training
    return task.Training.of({**of_model, **before, **mine}, f"fit of {task.name}"), session


def _save_start(task: Any, folder: Path) -> None:
    """Saves what training begins with, so that it can be resumed before its first checkpoint."""
    task.save_files(folder / START)
    task.folder = folder
