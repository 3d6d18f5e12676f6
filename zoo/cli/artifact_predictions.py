"""Predictions of an exported artifact. Those of a LiteRT file need no TensorFlow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from zoo.cli.console import arguments, silent_errors
from zoo.errors import UserError
from zoo.tasks.folder import CONFIG

MANIFEST = "manifest.json"
SEED, TEXT = "seed", "text"  # an input, and the output that is printed


def is_artifact(path: Path) -> bool:
    """Whether a path is an exported artifact rather than a run folder."""
    if (path / CONFIG).exists():
        return False
    return path.is_file() or any((folder / MANIFEST).exists() for folder in (path, path.parent))


class Predictions(Protocol):
    """The predictions of an artifact, for lines with texts or with paths of tables."""

    takes_texts: bool
    takes_pairs: bool

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any], /) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types."""


def predictions_of(path: Path) -> Predictions:
    """The predictions of an artifact that takes texts or series, for lines of texts or of paths.

    Raises:
        UserError: If it is no exported artifact, was changed, or takes anything else.
    """
    import export

    with arguments(), silent_errors():
        predict = export.Predictor(path).load()
    if "series" in predict.config:
        from zoo.cli.artifact_series import (
            ArtifactSeries,  # imports NumPy, which `--help` leaves out
        )

        return ArtifactSeries(predict)
    return ArtifactPredictions(path, predict)


class ArtifactPredictions:
    """The predictions of an artifact that takes texts.

    Args:
        path: The artifact.
        predict: The same as an `export.Predictor`.

    Raises:
        UserError: If it takes anything but texts.
    """

    takes_texts = True

    def __init__(self, path: Path, predict: Any) -> None:
        self._predict = predict
        inputs = self._predict.facts["inputs"]
        self._texts = [name for name, each in inputs.items() if each["dtype"] == "string"]
        self._samples = SEED in inputs
        self.takes_pairs = len(self._texts) == 2
        if others := [name for name in inputs if name not in (*self._texts, SEED)]:
            raise UserError(
                f"{path} takes {', '.join(others)}, and predict gives it texts only: export the "
                "run with texts, or call the artifact with export.Predictor"
            )

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types. Several texts are separated by tabs.

        The prediction for a line is its text, or else all outputs by name.

        Args:
            lines: The lines.
            options: "seed" is that of the first line, if the artifact samples; each further line
                has the next.
        """
        import numpy as np

        count = len(self._texts)
        columns = [line.split("\t") if count > 1 else [line] for line in lines]
        for line, texts in zip(lines, columns, strict=True):
            if len(texts) != count:
                raise UserError(f"expected {count} texts separated by tabs, got {line!r}")
        inputs: dict[str, Any] = dict(zip(self._texts, zip(*columns, strict=True), strict=True))
        if self._samples:
            seeds = np.arange(len(lines)) + options.get(SEED, 0)
            inputs[SEED] = seeds.astype(np.uint32).view(np.int32)
        elif options:
            raise UserError("--seed has no effect: the artifact does not sample")
        with arguments(), silent_errors():  # LiteRT says what it delegates
            outputs = {name: array.tolist() for name, array in self._predict(inputs).items()}
        rows = [dict(zip(outputs, row, strict=True)) for row in zip(*outputs.values(), strict=True)]
        return [
            {"text": line, "prediction": row.get(TEXT, row), "outputs": row}
            for line, row in zip(lines, rows, strict=True)
        ]
