"""A task in its run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from zoo.errors import damage
from zoo.locking import locked
from zoo.options import options_of, values_of
from zoo.preprocessing.base import Preprocessor
from zoo.tasks import folder as run_folder
from zoo.tasks.config import (
    COLUMNS,
    check_config,
    check_files,
    read_config,
    refuse_checkpoints,
    weights_file,
)
from zoo.tasks.ensembles import refuse_ensemble
from zoo.tasks.learning import build
from zoo.tasks.saving import replacing_run
from zoo.training.adapter_files import read_plan, save_adapter
from zoo.training.low_rank import base_dtype_of, prepare_updates, trained_part
from zoo.training.score_scaling import ScoreScaling
from zoo.training.weights import load_weights, save_weights

if TYPE_CHECKING:
    from zoo.tasks.task import Task

T = TypeVar("T", bound="Task")


def save(task: "Task", folder: Path) -> None:
    """Writes a run folder; see `Task.save`."""
    refuse_ensemble(task, "saved")
    with locked(folder):
        if task.folder is None or task.folder.resolve() != folder.resolve():
            refuse_checkpoints(folder)
        save_files(task, folder)
        if task.metrics:
            run_folder.write_metrics(folder, task.metrics, task.evaluated_on)


def save_files(task: "Task", folder: Path, weights: bool = True) -> None:
    """Saves everything except the metrics, in one step.

    Args:
        task: The task.
        folder: The folder.
        weights: Whether to save the weights, too. Otherwise, they are those of the checkpoints.
    """
    facts = {"training": task.training, "files": task.files}
    facts |= {"data": task.data, "examples": task.examples, COLUMNS: task.columns}
    with replacing_run(folder, {**task.config, **facts}) as new:
        save_preprocessor(task.preprocessor, new)
        task.scaling.save(new)
        if task.baselines is not None:
            task.baselines.save(new)
        save_adapter(task.model, new / run_folder.ADAPTER, weights)
        if weights:
            save_weights(task.model, new / run_folder.WEIGHTS)
    task.folder = folder


def _load_weights(task: "Task", path: Path, config: dict[str, Any], check_digests: bool) -> None:
    """Loads the weights of a run; a checkpoint of low-rank updates follows those of the base."""
    if path.name == run_folder.WEIGHTS:
        is_checked = path.name in config.get(run_folder.DIGESTS, {})
        load_weights(task.model, path, check_digest=check_digests and not is_checked)
        return
    part = trained_part(task.model)
    if part is not task.model:
        load_weights(task.model, path.parent / run_folder.BASE.name, check_digest=check_digests)
    load_weights(part, path, check_digest=check_digests)


def save_preprocessor(preprocessor: Preprocessor, folder: Path) -> None:
    """Writes a preprocessor to a run folder."""
    preprocessor.save(folder / preprocessor.subfolder)


def has_other_preprocessor(task: "Task", folder: Path) -> bool:
    """Whether a run folder has another preprocessor than a task, such as another vocabulary."""
    if not (folder / task.preprocessor.subfolder).exists():
        return False
    there = task.parts.input.load(folder, task.settings)
    return there.facts() != task.preprocessor.facts()


def load(kind: type[T], folder: Path, check_digests: bool) -> T:
    """Loads the task of a run folder, with the saved weights or else the best checkpoint.

    Args:
        kind: The class of the task.
        folder: The folder.
        check_digests: See `zoo.load`.

    Raises:
        UserError: If the folder is damaged, or is not a run folder.
    """
    config = read_config(folder)
    if check_digests:
        check_files(folder, config)
    with damage(folder / run_folder.CONFIG):
        task = kind(**config["settings"], **config["model_options"])
        task.examples, task.data = dict(config["examples"]), dict(config["data"])
        task.files = dict(config["files"])
        task.columns = dict(config.get(COLUMNS, {}))
        if config["training"]:  # empty if the task was never trained
            task.training = values_of(options_of(kind.Training, config["training"], kind.name))
        task.folder = folder
        task.metrics, task.evaluated_on = run_folder.read_metrics(folder)
    if check_digests:  # after the values, whose errors say more
        check_config(folder, config)
    preprocessor = task.parts.input.load(folder, task.settings)
    with damage(folder / run_folder.CONFIG):
        build(task, preprocessor)
    adapter = folder / run_folder.ADAPTER
    if adapter.exists():
        prepare_updates(task.model, read_plan(adapter, base_dtype_of(task.training)))
    _load_weights(task, weights_file(folder, config), config, check_digests)
    labels = task.parts.answer.sizes(task.settings).get("num_classes", 0)
    task.scaling = ScoreScaling.load(folder, labels if isinstance(labels, int) else 0)
    task.baselines = task.parts.recipe.baselines.load(folder)
    return task
