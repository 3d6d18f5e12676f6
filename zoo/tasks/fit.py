"""The fit of a task: its options and its data, as the batches that it is trained on."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.data.batching.batches import Batches
from zoo.data.held_out import Fold
from zoo.data_statistics import LOGGER, describe
from zoo.locking import locked
from zoo.options import names_of, options_of, values_of
from zoo.registry import MODELS
from zoo.tasks import learning
from zoo.tasks.config import is_run
from zoo.tasks.ensembles import refuse_ensemble
from zoo.tasks.evaluation import baseline_scores
from zoo.tasks.resuming import (
    DATA,
    VALIDATION,
    Given,
    config_to_resume,
    data_of,
    prepare_to_resume,
    record_data,
)
from zoo.tasks.training_run import train_on
from zoo.training.callbacks import EpochCallback
from zoo.training.history import History
from zoo.training.hosts import writes
from zoo.training.low_rank import prepare_updates
from zoo.training.options import FLOAT32, SessionOptions, TrainingOptions, split
from zoo.training.plan import low_rank_plan
from zoo.training.session import check_session
from zoo.training.trackers import tracked

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SHOWN = 12  # metrics of baselines in the log


@dataclass(frozen=True)
class FittingData:
    """Batches of a fit.

    Args:
        batches: The training batches.
        held_out: The validation batches, or None.
        notes: Lines for the log.
        checked: The validation data, or else the training data.
        head: The head as it is trained, such as with weights of its labels.
        baselines: Metrics of baselines on the validation data, by name.
    """

    batches: Batches
    held_out: Batches | None
    notes: list[str]
    checked: Any
    head: Any
    baselines: Mapping[str, float] = field(default_factory=dict)


def fit(
    task: "Task",
    data: Any,
    validation_data: Any,
    given: dict[str, Any],
    adapt: bool,
    callbacks: Sequence[EpochCallback] = (),
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
        callbacks: Told the metrics of each epoch.
    """
    refuse_ensemble(task, "trained")
    training, session = fit_options(task, given)
    check_session(session, training.xla)
    folder = None if session.folder is None else Path(session.folder)
    with locked(folder) if folder is not None and writes() else nullcontext():
        if folder is not None and session.resume:
            prepare_to_resume(task, folder)
        fitting = prepare_fit(task, data, validation_data, training, session, adapt)
        if folder is None or not writes():
            return train_on(task, fitting, training, session, callbacks)
        options = {**task.config["settings"], **task.model_options, **values_of(training)}
        with tracked(session.track, folder, {"task": task.name, **options}) as known:
            told = [*callbacks, *known.callbacks]
            history = train_on(task, fitting, training, session, told)
            known.interrupted = history.stopped == "interrupted"
            return history


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


def prepare_fit(
    task: "Task",
    data: Any,
    validation_data: Any,
    training: TrainingOptions,
    session: SessionOptions,
    adapt: bool,
) -> FittingData:
    """Reads data, adapts the task to it, and tokenizes it into batches; fits the baselines.

    It records in the task which files were read.

    Args:
        task: The task.
        data: The training data, or None for the data of the resumed run.
        validation_data: Validation data, the fraction of the training data to hold out, or None.
        training: Validated training options.
        session: Validated options of the call.
        adapt: Whether to adapt the task to the training data, which are read once for both.

    Raises:
        UserError: If data are missing, invalid, or not those of the resumed run.
    """
    resumed = Path(session.folder) if session.resume and session.folder is not None else None
    before = {} if resumed is None else config_to_resume(resumed)["files"]
    data, validation_data = data_of(before, task.name, data, validation_data)
    for each in (data, validation_data):
        task.parts.format.check_readable(each, task.name)
    if adapt:
        examples = learning.read(task, data)
        learning.adapt(task, examples)
    else:
        examples = learning.read_again(task, data)
    low_rank = low_rank_plan(training)
    if low_rank is not None and low_rank.base_dtype != FLOAT32:
        # Before the reference of preferences scores answers, so that it has these kernels, too.
        prepare_updates(task.model, low_rank)
    examples, held_out_examples, given = _examples(
        task, examples, data, validation_data, training.seed
    )
    notes = record_data(task, given, resumed, session.allow_other_data)
    batches = task.batches(examples, training)
    head = task.parts.recipe.weighted(examples, task.fitted, task.head, training)
    fit_baselines(task, examples)
    notes += [*task.origin, f"training data: {examples}", f"training batches: {batches}"]
    notes += [f"epoch 1: {text}" for text in describe(batches.left_out(shuffle=True))]
    if held_out_examples is None:
        notes += ["no validation data: the weights of the last epoch are kept"]
        return FittingData(batches, None, notes, examples, head)
    held_out = task.batches(held_out_examples, training, held_out=True)
    notes += [f"validation data: {held_out_examples}", f"validation batches: {held_out}"]
    scores = baseline_scores(task, held_out_examples)
    if scores:
        shown = [f"{name} {score:.4g}" for name, score in scores.items()]
        more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
        notes += [f"baselines on the validation data: {', '.join(shown[:SHOWN])}{more}"]
    notes += [f"validation: {text}" for text in describe(held_out.left_out(shuffle=False))]
    return FittingData(batches, held_out, notes, held_out_examples, head, scores)


def fit_baselines(task: "Task", examples: Any) -> None:
    """Fits baselines, with which the model is compared, to the training data."""
    recipe, fitted = task.parts.recipe, task.fitted
    prior = task.parts.answer.prior(examples, task.settings)
    task.scaling = replace(task.scaling, prior=prior)
    task.baselines = recipe.baselines.fit(examples, fitted)
    recipe.start_from(task.baselines, fitted)


def _examples(
    task: "Task", examples: Any, data: Any, validation_data: Any, seed: int
) -> tuple[Any, Any, dict[str, Given]]:
    """Training and validation examples, None without validation data; and their files."""
    given = {DATA: Given(data, examples.files), VALIDATION: Given(validation_data, [])}
    if isinstance(validation_data, float | Fold):
        return *examples.split(validation_data, seed), given
    if validation_data is None:
        return examples, task.parts.format.own_validation(examples), given
    held_out = task.read(validation_data)
    given[VALIDATION] = Given(validation_data, held_out.files)
    return examples, held_out, given
