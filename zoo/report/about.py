"""The facts of a report besides answers: those of a run folder, or of an artifact."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from zoo import quantities
from zoo.report import run_files
from zoo.serving.called import CalledModel, Facts
from zoo.tasks.advice import Evidence, takes_pretrained
from zoo.tasks.attending import ATTENTION, layers_of
from zoo.tasks.comparison import Comparison, comparison_of
from zoo.tasks.folder import measured_on
from zoo.tasks.measured_on import MeasuredOn
from zoo.training.how_far import how_far

if TYPE_CHECKING:
    from zoo.tasks.task import Task

NOT_OF_AN_ARTIFACT = (
    "the curves, the epochs and the time of the training, and the metrics that `evaluate` kept",
    "the number of parameters",
    "the metrics of baselines that learn from the training data",
)

UNREAD = "attention maps, which are of tokens: the tokenizer does not lie beside the artifact"
UNKNOWN = "attention maps, if the model shows any: the artifact has no signature `attention`"


class About(Protocol):
    """What is known of a model."""

    title: str
    history: Mapping[str, list[float]]
    missing: Sequence[str]  # what the report cannot have, in words
    without_maps: Sequence[str]  # why there are no attention maps, if there are none

    @property
    def best_epoch(self) -> int | None:
        """The epoch whose weights were kept."""

    @property
    def measured_on(self) -> MeasuredOn:
        """The data of `comparison`."""

    def comparison(self) -> Comparison:
        """The metrics that are known without data."""

    def facts(self, task: "Task") -> dict[str, str]:
        """A short description of the model and its training."""

    def evidence(self) -> Evidence:
        """What the training says of what would make the model better."""


class RunFolder:
    """The contents of a run folder, as far as its files exist.

    Args:
        folder: The folder; None for a task that was not saved.
    """

    missing: Sequence[str] = ()
    without_maps: Sequence[str] = ()

    def __init__(self, folder: Path | None) -> None:
        self.title = "" if folder is None else folder.absolute().name
        self.folder = folder or Path(os.devnull)
        self.config = run_files.read_json(self.folder / "config.json")
        self.state = run_files.read_json(self.folder / "checkpoints" / "state.json")
        self.history = run_files.read_history(self.folder / "history.csv")
        self.metrics = run_files.read_json(self.folder / "metrics.json")

    @property
    def best_epoch(self) -> int | None:
        best = self.state.get("best_epoch")
        with run_files.reading(self.folder / "checkpoints" / "state.json"):
            return None if best is None else int(best)

    @property
    def measured_on(self) -> MeasuredOn:
        return measured_on(self.metrics)

    def comparison(self) -> Comparison:
        """The metrics that `evaluate` or training wrote, apart from those of baselines."""
        with run_files.reading(self.folder / "metrics.json"):
            return comparison_of(self.metrics)

    def facts(self, task: "Task") -> dict[str, str]:
        description = {"Task": task.name}
        with run_files.reading(self.folder / "config.json"):
            settings = {**self.config.get("settings", {}), **self.config}
            description |= _model(settings)
            description["Parameters"] = f"{task.model.count_params():,}"
            description |= _text(settings)
        with run_files.reading(self.folder / "checkpoints" / "state.json"):
            description |= self._training()
        return {term: value for term, value in description.items() if value}

    def evidence(self) -> Evidence:
        with run_files.reading(self.folder / "config.json"):
            data: Mapping[str, str] = self.config.get("data", {})
            planned = self.config.get("training", {}).get("epochs")
            pretrained = takes_pretrained(str(self.config.get("task", "")), {**data})
        monitor = self.state.get("monitor")
        return Evidence(
            self.history,
            self.best_epoch or 0,
            monitor if isinstance(monitor, str) else None,
            planned is not None and self.state.get("epoch") == planned,
            takes_pretrained=pretrained,
        )

    def _training(self) -> dict[str, str]:
        if not self.state:
            return {}
        epochs = how_far(self.state, self.config.get("training", {}).get("epochs"))
        best = self.best_epoch if self.best_epoch != self.state.get("epoch") else None
        return {
            "Epochs": f"{epochs}, of which epoch {best} was the best" if best else epochs,
            "Training time": quantities.duration(self.state.get("seconds", 0)),
        }


class Artifact:
    """What an artifact, or a model at an address, says of itself.

    Args:
        model: The artifact.
    """

    measured_on = MeasuredOn()
    best_epoch: int | None = None
    missing: Sequence[str] = NOT_OF_AN_ARTIFACT

    def __init__(self, model: CalledModel) -> None:
        self.title = model.name.rstrip("/").rpartition("/")[2]
        self.history: Mapping[str, list[float]] = {}
        self._model = model
        self.without_maps = _without_maps(model.signatures)

    def comparison(self) -> Comparison:
        """No metrics."""
        return Comparison({})

    def facts(self, task: "Task") -> dict[str, str]:
        config = self._model.config
        with run_files.reading(self._model.name, "the description of a task"):
            settings = {**config.get("settings", {}), **config}
            description = {"Task": task.name, **_model(settings), **_text(settings)}
        description["Artifact"] = self._model.name
        return {term: value for term, value in description.items() if value}

    def evidence(self) -> Evidence:
        """Nothing, since its training is unknown."""
        return Evidence()


def _without_maps(signatures: Mapping[str, Mapping[str, Facts]]) -> list[str]:
    if ATTENTION not in signatures:
        return [UNKNOWN]
    return [UNREAD] if layers_of(signatures[ATTENTION]["outputs"]) else []


def _model(settings: Mapping[str, object]) -> dict[str, str]:
    names = [settings.get(key) for key in ("model", "preset")]
    return {"Model": " · ".join(str(name) for name in names if name)}


def _text(settings: Mapping[str, object]) -> dict[str, str]:
    known = "vocabulary_size" in settings
    return {
        "Tokenizer": str(settings.get("tokenizer", "")),
        "Vocabulary": f"{settings['vocabulary_size']:,}" if known else "",
    }
