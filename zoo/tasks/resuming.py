"""The state that a resumed run takes from before: its options, its data and its weights."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from zoo.data.readers.files import name_of
from zoo.errors import UserError
from zoo.tasks.config import is_run, read_config, to_resume
from zoo.tasks.fingerprint import fingerprint
from zoo.tasks.folder import ADAPTER, BASE, STATE, WEIGHTS
from zoo.tasks.provenance import digests, file_names, files_of, of_checkpoint
from zoo.tasks.storing import has_other_preprocessor
from zoo.training.adapter_files import read_plan
from zoo.training.checkpoint import Checkpoints
from zoo.training.low_rank import base_dtype_of, prepare_updates
from zoo.training.weights import load_weights
from zoo.untrusted import sha256

if TYPE_CHECKING:
    from zoo.tasks.task import Task

DATA, VALIDATION, SHA256 = "data", "validation_data", "sha256"  # in the files of a config
NAMES = {DATA: "training data", VALIDATION: "validation data"}


class Given(NamedTuple):
    """Data to train on or to validate with, and the files that belong to them.

    Args:
        data: Data in the form that `fit` takes.
        read: The files that were read of folders, and those that the data name.
    """

    data: Any
    read: list[Path]


def config_to_resume(folder: Path) -> dict[str, Any]:
    """The config of the run to resume.

    Raises:
        UserError: If there is no run.
    """
    if not is_run(folder):
        raise UserError(f"{folder} contains no run to resume: train without resume")
    return read_config(to_resume(folder))


def prepare_to_resume(task: "Task", folder: Path) -> None:
    """Loads the initial weights of a run that has no checkpoint yet, or the base of its updates.

    Raises:
        UserError: If the run has another preprocessor, such as another vocabulary.
    """
    run = to_resume(folder)
    if has_other_preprocessor(task, run):
        raise UserError(
            f"the run in {folder} has another vocabulary: resume zoo.load({str(run)!r}) with fit, "
            "or train into a new folder"
        )
    if (run / ADAPTER).exists():
        base_dtype = base_dtype_of(read_config(run)["training"])
        prepare_updates(task.model, read_plan(run / ADAPTER, base_dtype))
    if run != folder:
        load_weights(task.model, run / WEIGHTS)
    elif (folder / BASE).exists():
        load_weights(task.model, folder / BASE)


def data_of(
    before: Mapping[str, Any], name: str, data: Any, validation_data: Any
) -> tuple[Any, Any]:
    """Training and validation data; by default those of the resumed run.

    Args:
        before: The files of the config of the resumed run; empty for a new run.
        name: Name of the task.
        data: The training data, or None.
        validation_data: The validation data, or None.

    Raises:
        UserError: If there is no training data, or the validation data was in memory.
    """
    if data is None:
        data = files_of(before.get(DATA))
        if data is None:
            reason = "was in memory: pass it again" if before else "is missing"
            raise UserError(f"the training data of {name} {reason}")
    if validation_data is None:
        validation_data = files_of(before.get(VALIDATION))
        if validation_data is None and _fingerprints(before).get(VALIDATION) is not None:
            raise UserError(f"the validation data of {name} was in memory: pass it again")
    return data, validation_data


def record_data(
    task: "Task", given: Mapping[str, Given], folder: Path | None, allow_other_data: bool
) -> list[str]:
    """Sets the files and the digests of a task's data, which its run and its model card tell.

    Args:
        task: The task.
        given: The data, by `DATA` and `VALIDATION`.
        folder: The folder of the run that is resumed, or None.
        allow_other_data: Whether the data may be other than before.

    Returns:
        Lines for the log.

    Raises:
        UserError: If the data is other than that of the resumed run, and may not be.
    """
    digest = cache(sha256)  # of a file that both data have, too
    prints = {name: fingerprint(*each, digest) for name, each in given.items()}
    training = digests(*given[DATA], digest)
    files = {name: file_names(each.data) for name, each in given.items()}
    before = {} if folder is None else config_to_resume(folder)
    task.files = {**files, SHA256: prints}
    if folder is None:
        task.data = of_checkpoint(task.data) | training
        return []
    task.data = dict(before["data"])
    then = _prints_of(before, prints, training)
    other = [name for name in given if None not in (then[name], prints[name])]
    other = [name for name in other if then[name] != prints[name]]
    if not other:
        return []
    if not allow_other_data:
        raise UserError(
            f"{_in_words(given, other)} {'is' if len(other) == 1 else 'are'} not what the run in "
            f"{folder} was trained with: resume with the same data, or, if the weights should "
            "come from both, use allow_other_data=True or --allow-other-data"
        )
    since = _start_in_words(folder)
    for name in other:
        new = training if name == DATA and training else {NAMES[name]: prints[name]}
        if not (name == DATA and training):
            task.data.setdefault(NAMES[name], then[name])
        task.data |= {f"{key} ({since})": str(value) for key, value in new.items()}
    return [f"other {NAMES[name]} {since}: {name_of(given[name].data)}" for name in other]


def _prints_of(
    before: Mapping[str, Any], now: Mapping[str, Any], training: Mapping[str, str]
) -> dict[str, Any]:
    """The fingerprints of the data of a run.

    Older versions kept the digests of files of training data only: if these are the same files, in
    any order, the data is that of now.

    Raises:
        UserError: If they are damaged.
    """
    if SHA256 not in before["files"]:
        files = before["data"].keys() - of_checkpoint(before["data"]).keys()
        then = sorted(before["data"][name] for name in files)
        differs = then and training and then != sorted(training.values())
        return {**now, DATA: "of other files"} if differs else dict(now)
    fingerprints = _fingerprints(before["files"])
    return {name: fingerprints.get(name) for name in now}


def _fingerprints(files: Mapping[str, Any]) -> dict[str, Any]:
    fingerprints = files.get(SHA256, {})
    if not isinstance(fingerprints, dict):
        raise UserError(f"the digests of the data are damaged: {fingerprints!r:.80}")
    return fingerprints


def _in_words(given: Mapping[str, Given], other: list[str]) -> str:
    """The data that changed, with their names."""
    return " and ".join(f"the {NAMES[name]} ({name_of(given[name].data)})" for name in other)


def _start_in_words(folder: Path) -> str:
    """Where a run goes on, in words."""
    checkpoints = Checkpoints(folder / STATE.parent, writes=False)
    if not checkpoints.exists():
        return "from epoch 1"
    state = checkpoints.read_state()
    return f"from epoch {state.epoch + 1}" + (f", batch {state.step + 1}" if state.step else "")
