"""Fitting of a task: its options, data, plan and run folder, for `train`."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rich.console import Console

from keras_attn.right_padding import right_padding
from zoo.data.batching.batches import Batches, telling_what_failed
from zoo.data_statistics import LOGGER, discarding
from zoo.errors import UserError
from zoo.locking import locked
from zoo.options import names_of, options_of, values_of
from zoo.registry import MODELS
from zoo.serving.programs import Programs
from zoo.tasks.config import is_run
from zoo.tasks.fitting_data import FittingData, read_data
from zoo.tasks.folder import START, WEIGHTS
from zoo.tasks.parts.preview import PreviewRow
from zoo.tasks.resuming import config_to_resume, prepare_to_resume
from zoo.tasks.self_check import ROWS as ROWS_TO_CHECK
from zoo.tasks.self_check import doubts
from zoo.tasks.storing import save_files
from zoo.tasks.validation_comparison import compared
from zoo.tasks.views import preview
from zoo.training.data import TrainingData
from zoo.training.history import History
from zoo.training.hosts import share_rows, writes
from zoo.training.options import DATA as ROWS
from zoo.training.options import SessionOptions, TrainingOptions, split
from zoo.training.plan import Defaults, plan_training
from zoo.training.run_log import RunLog
from zoo.training.session import Hooks, check_session
from zoo.training.trainer import train

if TYPE_CHECKING:
    from zoo.tasks.task import Task

NONE: Mapping[str, float] = MappingProxyType({})


def fit(
    task: "Task", data: Any, validation_data: Any, given: dict[str, Any], adapt: bool
) -> History:
    """Trains a task, and leaves its model with the weights of the best epoch.

    Args:
        task: The task.
        data: The training data, or None for the data of the resumed run.
        validation_data: Data to select the best epoch, the fraction of the training data to hold
            out as such, or None.
        given: Training and session options by name. Other training options are those of the resumed
            run, or else the defaults.
        adapt: Whether to adapt the task to the training data first.
    """
    training, session = fit_options(task, given)
    check_session(session, training.xla)
    folder = None if session.folder is None else Path(session.folder)
    with locked(folder) if folder is not None and writes() else nullcontext():
        if folder is not None and session.resume:
            prepare_to_resume(task, folder)
        fitting = read_data(task, data, validation_data, training, session, adapt)
        return _fit(task, fitting, training, session)


def fit_options(task: "Task", given: dict[str, Any]) -> tuple[TrainingOptions, SessionOptions]:
    """Validates the training and session options; without a run to resume, a new one begins.

    Raises:
        UserError: If an option is unknown, or a value is not allowed.
    """
    mine, of_session = split(given)
    session = options_of(SessionOptions, of_session, "fit")
    before: dict[str, Any] = {}
    if session.resume and session.folder is not None:
        folder = Path(session.folder)
        if is_run(folder):
            before = config_to_resume(folder)["training"]
        else:
            LOGGER.warning("%s contains no run to resume: a new one begins", folder)
            session = replace(session, resume=False)
    # Checks the given options first, so that an error is not attributed to the run's config.
    options_of(task.Training, mine, f"fit of {task.name}", also=names_of(SessionOptions))
    of_model = MODELS[task.settings.model].training_defaults(task.name)
    training = options_of(task.Training, {**of_model, **before, **mine}, f"fit of {task.name}")
    return training, session


def _fit(
    task: "Task", fitting: FittingData, training: TrainingOptions, session: SessionOptions
) -> History:
    batches, held_out = fitting.batches, fitting.held_out
    recipe, fitted = task.parts.recipe, task.fitted
    evaluate = None if held_out is None else recipe.validation(held_out, fitted)
    plan = plan_training(
        training, _defaults(task, training), batches.steps_per_epoch, held_out is not None
    )
    task.training, task.metrics = {**values_of(training), **plan.resolved}, {}
    masks = recipe.masks(fitted, training)
    if masks is not None:
        task.model.augment.masks = masks
    _tune(task)
    shared = session.distribute == ROWS and evaluate is None and share_rows(batches, held_out)
    data = TrainingData(
        batches=lambda epoch, step=0: batches.dataset(epoch, repeat=True, start_step=step),
        validation=held_out.dataset(shuffle=False) if held_out and not evaluate else None,
        evaluate=evaluate,
        shared=shared,
        notes=fitting.notes,
    )
    with (
        right_padding(task.model),  # as all batches have it
        telling_what_failed(batches, held_out),
    ):
        history = train(task.model, data, plan, session, _hooks(task, session.folder))
    if held_out is not None and history.best_epoch:
        _calibrate(task, held_out, session)
    if session.verbose and writes() and history.stopped != "interrupted":
        comparison = compared(task, fitting, history)
        rows = _checked_rows(task, fitting.checked)
        beside = [f"validation {line}" for line in comparison.lines()]
        for line in (*beside, *doubts(rows, history, comparison)):
            _log(session)(line)
    return history


def _defaults(task: "Task", training: TrainingOptions) -> Defaults:
    """What the recipe of a task decides of its training."""
    recipe, fitted = task.parts.recipe, task.fitted
    return Defaults(
        objective=recipe.objective(task.head, training),
        epochs=recipe.default_epochs,
        warmup=recipe.default_warmup,
        learning_rate=recipe.default_learning_rate(fitted, task.pretrained is not None),
        rates=recipe.rate_factors(fitted, training),
        beta_2=recipe.beta_2,
        patience=recipe.default_patience,
        freeze=recipe.default_freeze(task.settings),
        jit_compile=recipe.default_xla(),
    )


def _checked_rows(task: "Task", examples: Any) -> list[PreviewRow]:
    """Some rows with predictions; none of prepared data, which has no inputs."""
    with suppress(UserError), discarding():
        return preview(task, examples, ROWS_TO_CHECK)
    return []


def _log(session: SessionOptions) -> RunLog:
    folder = None if session.folder is None else Path(session.folder)
    return RunLog(folder and folder / "log.txt", Console(stderr=True) if session.verbose else None)


def _calibrate(task: "Task", held_out: Batches, session: SessionOptions) -> None:
    """Calibrates the trained weights, and saves the result unless `task.save` is to do so."""
    calibration = task.parts.answer.calibration(task.fitted, held_out)
    if calibration is None:
        return
    _tune(task, calibration.temperature, calibration.threshold, calibration.temperatures)
    if not writes():
        return
    folder = None if session.folder is None else Path(session.folder)
    _log(session)(str(calibration))
    if folder is not None and not (folder / WEIGHTS).exists():  # then there is a checkpoint
        save_files(task, folder, weights=False)


def _tune(
    task: "Task",
    temperature: float = 1.0,
    threshold: float | None = None,
    temperatures: Mapping[str, float] = NONE,
) -> None:
    """Scales the scores as a `Tuned` says; without arguments, they are those of the model."""
    task.scaling = replace(
        task.scaling, temperature=temperature, threshold=threshold, temperatures={**temperatures}
    )
    task.programs = Programs()  # those before contain what was tuned


def _hooks(task: "Task", folder: str | None) -> Hooks:
    """Saves what belongs to the model: before the first checkpoint, and after each."""
    if folder is None:
        return Hooks()
    run = Path(folder)

    def save_start() -> None:
        save_files(task, run / START)
        task.folder = run

    return Hooks(started=save_start, saved=lambda: save_files(task, run, weights=False))
