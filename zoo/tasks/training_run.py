"""The training of a task on batches: its plan, its run folder, and what follows."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keras_attn.right_padding import right_padding
from zoo.data.batching.batches import Batches, telling_what_failed
from zoo.data.labels import LabelRows
from zoo.data_statistics import discarding
from zoo.errors import UserError
from zoo.metrics.labels import LabelPredictions
from zoo.options import values_of
from zoo.serving.programs import Programs
from zoo.tasks.advice import BEGINS, Evidence, advice, takes_pretrained
from zoo.tasks.comparison import Comparison
from zoo.tasks.evaluation import judge
from zoo.tasks.folder import BASE, START, WEIGHTS
from zoo.tasks.measured_on import MeasuredOn
from zoo.tasks.measuring import label_rows
from zoo.tasks.parts.preview import PreviewRow
from zoo.tasks.self_check import ROWS as ROWS_TO_CHECK
from zoo.tasks.self_check import doubts
from zoo.tasks.storing import save_files
from zoo.tasks.validation_comparison import compared, keep, of_best_epoch
from zoo.tasks.views import preview
from zoo.training.calibration import Tuned
from zoo.training.callbacks import EpochCallback
from zoo.training.data import TrainingData
from zoo.training.history import History
from zoo.training.hosts import share_rows, writes
from zoo.training.low_rank import trained_part
from zoo.training.options import DATA as ROWS
from zoo.training.options import SessionOptions, TrainingOptions
from zoo.training.plan import Defaults, plan_training
from zoo.training.run_log import RunLog
from zoo.training.score_scaling import ScoreScaling
from zoo.training.session import Hooks
from zoo.training.trainer import train
from zoo.training.updating_line import console_of, line_of_notebook
from zoo.training.weights import save_weights

if TYPE_CHECKING:
    from zoo.tasks.fit import FittingData
    from zoo.tasks.task import Task

UNTUNED = ScoreScaling()
LABELED_ROWS = 500  # maximum number of validation rows whose labels are compared


def train_on(
    task: "Task",
    fitting: "FittingData",
    training: TrainingOptions,
    session: SessionOptions,
    callbacks: Sequence[EpochCallback] = (),
) -> History:
    """Trains a task on batches by a plan, calibrates it, and checks what it predicts.

    Args:
        task: The task, which is adapted to the data.
        fitting: The batches.
        training: Validated training options.
        session: Validated options of the call.
        callbacks: Told the metrics of each epoch.
    """
    batches, held_out = fitting.batches, fitting.held_out
    recipe, fitted = task.parts.recipe, task.fitted
    evaluate = None if held_out is None else recipe.validation(held_out, fitted)
    plan = plan_training(
        training,
        _defaults(task, fitting.head, training),
        batches.steps_per_epoch,
        held_out is not None,
    )
    task.training = {**values_of(training), **plan.resolved}
    task.metrics, task.evaluated_on = {}, MeasuredOn()
    masks = recipe.masks(fitted, training)
    if masks is not None:
        task.model.augment.masks = masks
    _tune(task)
    shared = session.distribute == ROWS and evaluate is None and share_rows(batches, held_out)
    data = TrainingData(
        dataset=lambda epoch, step=0: batches.dataset(epoch, repeat=True, start_step=step),
        validation=held_out.dataset(shuffle=False) if held_out and not evaluate else None,
        evaluate=evaluate,
        shared=shared,
        notes=fitting.notes,
    )
    with (
        right_padding(task.model),  # as all batches have it
        telling_what_failed(batches, held_out),
    ):
        keeps_start = recipe.keeps_start(training)
        hooks = _hooks(task, session.folder, keeps_start)
        hooks = replace(hooks, callbacks=callbacks)
        history = train(task.model, data, plan, session, hooks)
    if held_out is not None and history.best_epoch:
        _calibrate(task, held_out, session)
    if held_out is not None and history.best_epoch:
        keep(task, of_best_epoch(fitting, history))
    if session.verbose and writes() and history.stopped != "interrupted":
        comparison = compared(task, fitting, history)
        if held_out is not None and comparison.of_baselines():
            keep(task, comparison)
        rows = _checked_rows(task, fitting.checked)
        some = "" if comparison.rows is None else f", {comparison.rows} rows:"
        on = "on some training rows:" if held_out is None else f"validation{some}"
        beside = [f"{on} {line}" for line in comparison.lines()]
        labeled = held_out is not None and isinstance(fitting.checked, LabelRows)
        measured = len(fitting.checked) if labeled else 0
        told = advice(_evidence(task, fitting, history, comparison))
        history = replace(history, advice=tuple(told))
        helpful = [f"{BEGINS}{line}" for line in told]
        doubted = doubts(rows, history, comparison, measured, task.training["learning_rate"])
        for line in (*beside, *doubted, *helpful):
            _log(session)(line)
    return history


def _defaults(task: "Task", head: Any, training: TrainingOptions) -> Defaults:
    """What the recipe of a task decides of its training."""
    recipe, fitted = task.parts.recipe, task.fitted
    return Defaults(
        objective=recipe.objective_of(fitted, head, training),
        epochs=recipe.default_epochs,
        warmup=recipe.default_warmup,
        learning_rate=recipe.learning_rate(fitted, task.pretrained is not None, training),
        rates=recipe.rate_factors(fitted, training),
        beta_2=recipe.beta_2,
        patience=recipe.default_patience,
        freeze=recipe.default_freeze(fitted),
        jit_compile=recipe.default_xla(),
    )


def _checked_rows(task: "Task", examples: Any) -> list[PreviewRow]:
    """Some rows with predictions; none of prepared data, which has no inputs."""
    with suppress(UserError), discarding():
        return preview(task, examples, ROWS_TO_CHECK)
    return []


def _evidence(
    task: "Task", fitting: "FittingData", history: History, comparison: Comparison
) -> Evidence:
    """What is known of a training that just ended."""
    held_out = fitting.held_out is not None
    return Evidence(
        history.history,
        history.best_epoch,
        history.monitor if held_out else None,
        history.stopped == "finished",
        comparison if held_out else Comparison({}),
        _label_rows(task, fitting.checked) if held_out else None,
        takes_pretrained(task.name, task.data),
    )


def _label_rows(task: "Task", examples: Any) -> LabelPredictions | None:
    """Answers to some rows, if each has one label; none of prepared data, which has no inputs."""
    with suppress(UserError), discarding():
        if len(examples) > LABELED_ROWS:
            _, examples = examples.split(LABELED_ROWS / len(examples))
        judged = judge(task, examples, task.runner(), {})
        return label_rows(judged.get("", {}))
    return None


def _log(session: SessionOptions) -> RunLog:
    folder = None if session.folder is None else Path(session.folder)
    console = console_of(line_of_notebook()) if session.verbose else None
    return RunLog(folder and folder / "log.txt", console)


def _calibrate(task: "Task", held_out: Batches, session: SessionOptions) -> None:
    """Calibrates the trained weights, and saves the result unless `task.save` is to do so."""
    calibration = task.parts.answer.calibration(task.fitted, held_out)
    if calibration is None:
        return
    _tune(task, calibration)
    if not writes():
        return
    folder = None if session.folder is None else Path(session.folder)
    _log(session)(str(calibration))
    if folder is not None and not (folder / WEIGHTS).exists():  # then there is a checkpoint
        save_files(task, folder, weights=False)


def _tune(task: "Task", tuned: Tuned = UNTUNED) -> None:
    """Scales the scores as a `Tuned` says; without one, they are those of the model."""
    task.scaling = replace(
        task.scaling,
        temperature=tuned.temperature,
        threshold=tuned.threshold,
        temperatures={**tuned.temperatures},
        thresholds={**tuned.thresholds},
    )
    task.programs = Programs()  # those before contain what was tuned


def _hooks(task: "Task", folder: str | None, keeps_start: bool) -> Hooks:
    """Saves what belongs to the model: before the first checkpoint, and after each.

    Args:
        task: The task.
        folder: The folder of the run; None if there is none.
        keeps_start: Whether a run that is resumed needs the weights that it began with.
    """
    if folder is None:
        return Hooks()
    run = Path(folder)

    def save_start() -> None:
        save_files(task, run / START)
        if keeps_start or trained_part(task.model) is not task.model:
            save_weights(task.model, run / BASE)
        task.folder = run

    return Hooks(started=save_start, saved=lambda: save_files(task, run, weights=False))
