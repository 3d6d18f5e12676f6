"""The rows of a sweep, which are kept in `sweep.json` as they are found, and the recommendation."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import keras

from export import manifest
from export.files import sync
from export.report import table
from export.sweep_page import cells, write_page, write_plot
from export.worker import digest, files

FILE = "sweep.json"


@dataclass
class Sweep:
    """What a task costs in several precisions.

    Args:
        folder: The folder with the files.
        facts: What was swept: digests of the weights and the data, and options.
        rows: What was measured of each file, or why it was "refused".
        max_drop: How much worse the first metric may be.
        recommended: The name of the smallest file within `max_drop`; None if there is none.
    """

    folder: Path
    facts: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    max_drop: float | None = None
    recommended: str | None = None

    def row(self, name: str) -> dict[str, Any]:
        """The row of a precision."""
        return next(row for row in self.rows if row["name"] == name)

    def file(self, name: str) -> Path:
        """The file of a precision."""
        return self.folder / f"{name}.tflite"

    def is_finished(self, name: str) -> bool:
        """Whether a precision was measured, and its file is still there, unless it was refused."""
        rows = [row for row in self.rows if row["name"] == name]
        return bool(rows) and ("refused" in rows[0] or self._is_whole(rows[0]))

    def _is_whole(self, row: dict[str, Any]) -> bool:
        file = self.file(row["name"])
        return file.is_file() and digest.sha256(file) == row["sha256"]

    def add(self, row: dict[str, Any]) -> None:
        """Adds a row, or replaces that of the same name, and writes it down."""
        if "refused" not in row:
            row = {**row, "sha256": digest.sha256(self.file(row["name"]))}
        self.rows = [each for each in self.rows if each["name"] != row["name"]] + [row]
        self._write()

    def finish(self, names: Sequence[str], max_drop: float | None, best: str | None) -> None:
        """Puts the rows in order, and writes the table and the plot."""
        order = {name: index for index, name in enumerate(names)}
        self.rows.sort(key=lambda row: order.get(row["name"], len(order)))
        self.max_drop, self.recommended = max_drop, best
        self._write()
        write_page(self.folder / "sweep.md", self.rows, max_drop, best)
        write_plot(self.folder / "sweep.png", self.rows, max_drop, best)

    def to_json(self) -> dict[str, Any]:
        """The sweep as plain data."""
        return {
            **self.facts,
            "max_drop": self.max_drop,
            "recommended": self.recommended,
            "rows": self.rows,
        }

    def _write(self) -> None:
        partial = self.folder / f".{FILE}.partial"
        partial.write_text(json.dumps(self.to_json(), indent=2) + "\n", "utf-8")
        sync(partial)
        os.replace(partial, self.folder / FILE)

    def __str__(self) -> str:
        header, *lines = cells(self.rows)
        text = f"{self.folder}\n" + table(header, lines)
        if self.max_drop is not None:
            text += f"\n\nrecommended: {self.recommended or 'none within'}"
            text += f" (largest drop allowed: {self.max_drop:g})"
        return text


def open_sweep(
    folder: Path, model: keras.Model, data: str | Path, calibration: Any, options: dict[str, Any]
) -> Sweep:
    """The sweep in a folder, as far as it got; a new one if there is none.

    Raises:
        ValueError: If it is of another model, on other data or with other options, or cannot be
            read.
    """
    facts = {
        "weights": manifest.weights_sha256(model),
        "data": digest.sha256(data),
        "calibration": None if calibration is None else digest.sha256(calibration),
        **options,
        "versions": manifest.versions(),
    }
    file = folder / FILE
    try:
        content = json.loads(files.read(file, manifest.LARGEST))
        rows = list(content["rows"])
        known = {key: content.get(key) for key in facts}
        if not all(isinstance(row["name"], str) for row in rows):
            raise TypeError("a name is no text")
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        return Sweep(folder, facts)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{file} is not readable as a sweep: {error}.") from error
    other = [key for key, value in facts.items() if known[key] != json.loads(json.dumps(value))]
    if other:
        raise ValueError(f"{file} is a sweep with other {', '.join(other)}: choose another folder.")
    return Sweep(folder, facts, rows)


def recommend(rows: Sequence[dict[str, Any]], max_drop: float | None) -> str | None:
    """The name of the smallest file whose first metric drops by at most `max_drop`.

    Args:
        rows: The rows of a sweep.
        max_drop: The largest drop; None recommends nothing.

    Example:
        >>> rows = [
        ...     {"name": "float32", "size_mb": 8.0, "drop": 0.0},
        ...     {"name": "int8", "size_mb": 2.0, "drop": 0.1},
        ...     {"name": "dynamic_int4", "size_mb": 1.0, "drop": 3.0},
        ...     {"name": "static_int8", "refused": "loops"},
        ... ]
        >>> recommend(rows, 0.5), recommend(rows, 5), recommend(rows, None)
        ('int8', 'dynamic_int4', None)
    """
    if max_drop is None:
        return None
    within = [row for row in rows if "refused" not in row and row["drop"] <= max_drop]
    return min(within, key=lambda row: row["size_mb"])["name"] if within else None
