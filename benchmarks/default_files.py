"""Files that `benchmarks.defaults` trains and evaluates on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Rows = Sequence[Any]


@dataclass(frozen=True)
class Files:
    """Files to train, validate and evaluate on; without a file to validate, data say it.

    `validation` may be a share of the rows, `options` are those that the data need in training, and
    `scored` are options of `evaluate`.
    """

    train: Path
    validation: Path | float | None
    test: Path
    scored: tuple[str, ...] = field(default=(), kw_only=True)
    options: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def to_train(self) -> list[str]:
        """The options of `train`."""
        held_out = [] if self.validation is None else ["--validation", str(self.validation)]
        return ["--data", str(self.train), *held_out, *self.options]

    @property
    def to_evaluate(self) -> list[str]:
        """The options of `evaluate`."""
        return ["--data", str(self.test), *self.scored]


@dataclass(frozen=True)
class FilesOfTasks:
    """The files of several tasks that one model learns, by name."""

    tasks: Mapping[str, Files]

    @property
    def to_train(self) -> list[str]:
        """The options of `train`."""
        files = self.tasks.items()
        data = [("--data", f"{name}={each.train}") for name, each in files]
        held_out = [("--validation", f"{name}={each.validation}") for name, each in files]
        return [word for words in (*data, *held_out) for word in words]

    @property
    def to_evaluate(self) -> list[str]:
        """The options of `evaluate`."""
        return [
            word for name, each in self.tasks.items() for word in ("--data", f"{name}={each.test}")
        ]


def tables(out: Path, header: Sequence[str], *parts: Rows) -> Files:
    """Writes tables to train, validate and evaluate on, with a header and a line for each row."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"{name}.tsv" for name in ("train", "val", "test")]
    for path, rows in zip(paths, parts, strict=True):
        lines = ["\t".join(cell.replace("\t", " ") for cell in row) for row in (header, *rows)]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return Files(*paths)
