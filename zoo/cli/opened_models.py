"""Models that commands open: the artifact of a path, or what a server has at an address."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.console import CheckDigests, arguments, load, silent_errors
from zoo.cli.tasks import one_task
from zoo.errors import UserError
from zoo.serving.called import CalledModel, Facts
from zoo.tasks.folder import CONFIG

if TYPE_CHECKING:
    import numpy as np

    from zoo.tasks.task import Task

MANIFEST = "manifest.json"
SCHEMES = ("http:/", "https:/")  # of addresses; a path has lost one of the slashes


def is_address(source: Path) -> bool:
    """Whether an argument is the address of a server, rather than a path."""
    return str(source).startswith(SCHEMES)


def is_artifact(path: Path) -> bool:
    """Whether an argument is an exported artifact or an address, rather than a run folder."""
    if is_address(path):
        return True
    if (path / CONFIG).exists():
        return False
    return path.is_file() or any((folder / MANIFEST).exists() for folder in (path, path.parent))


class ExportedModel:
    """An exported artifact; a `CalledModel`.

    Args:
        path: A LiteRT file, the folder of a SavedModel, or a folder of ONNX files.

    Raises:
        UserError: If there is no exported artifact, or it was changed.
    """

    takes_requests = False

    def __init__(self, path: Path) -> None:
        import export

        with arguments(), silent_errors():
            self._predictor = export.Predictor(path).load()
        self.name = str(path)

    @property
    def signatures(self) -> Mapping[str, Mapping[str, Facts]]:
        return self._predictor.signatures

    @property
    def config(self) -> Mapping[str, Any]:
        return self._predictor.config

    @property
    def beside(self) -> Mapping[str, str]:
        return self._predictor.beside

    def run(self, signature: str, inputs: Mapping[str, Any]) -> "dict[str, np.ndarray]":
        """Calls a signature; see `CalledModel`."""
        called = replace(self._predictor, signature=signature)
        with arguments(), silent_errors():  # LiteRT says what it delegates
            return called(inputs)


def open_model(source: Path) -> CalledModel:
    """The model of an artifact, or of an address such as http://localhost:8501/v1/models/NAME.

    Raises:
        UserError: If there is none, or the server does not answer.
    """
    if is_address(source):
        from zoo.cli.address import AddressedModel

        return AddressedModel(str(source))
    return ExportedModel(source)


def open_task(source: Path, head: str | None = None, check_digests: CheckDigests = True) -> "Task":
    """The task of a run; or that of an artifact or an address, which computes its answers.

    Args:
        source: A run folder, an artifact or an address.
        head: Name of the task, for a multi-task run.
        check_digests: See `zoo.load`.

    Raises:
        UserError: If it cannot be opened, or an artifact does not describe its task.
    """
    zoo = load("zoo")
    if not is_artifact(source):
        task: Task = one_task(zoo, source, head, check_digests)
        return task
    if head is not None:
        raise UserError("an artifact has its head in it")
    from zoo.tasks.artifact_task import artifact_task

    return artifact_task(open_model(source))
