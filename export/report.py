"""The report of an export or a verification, and the exception that carries one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

SUFFIX = ".report.json"  # ends the name of the report on an artifact that was refused


@dataclass(frozen=True)
class Check:
    """One check of an artifact.

    Args:
        name: What was checked.
        passed: Whether it passed.
        detail: What was found.
    """

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """What is known of an artifact.

    Args:
        path: The artifact.
        checks: Every check with what was found.
        manifest: Its entry of `manifest.json`: versions, signatures, operators, sha256 and so on.
        files: A row for each file that was measured: size, latency and the task's metrics.
    """

    path: Path
    checks: list[Check]
    manifest: dict[str, Any] = field(default_factory=dict)
    files: list[dict[str, Any]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether there were checks, and all of them passed."""
        return bool(self.checks) and not self.failed

    @property
    def failed(self) -> list[Check]:
        """The checks that did not pass."""
        return [check for check in self.checks if not check.passed]

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, with `passed`."""
        return {**asdict(self), "path": str(self.path), "passed": self.passed}

    def write(self, path: Path) -> None:
        """Writes the report as JSON."""
        path.write_text(json.dumps(self.to_json(), indent=2) + "\n")

    def _repr_html_(self) -> str:
        """The text in a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        rows = [[c.name, "ok" if c.passed else "FAILED", c.detail] for c in self.checks]
        for signature, reasons in self.manifest.get("not_applicable", {}).items():
            rows += [[f"{signature}: invariant to {x}", "n/a", why] for x, why in reasons.items()]
        text = f"{self.path}\n" + table(["check", "result", "detail"], rows)
        if self.files:
            files = [{**row, **row.get("metrics", {})} for row in self.files]
            keys = list(dict.fromkeys(key for row in files for key in row if key != "metrics"))
            cells = [[_cell(row.get(key)) for key in keys] for row in files]
            text += "\n\n" + table([key.replace("_", " ") for key in keys], cells)
            text += latency_note(self.manifest.get("timing", {}))
        return text


def latency_note(timing: Mapping[str, Any]) -> str:
    """A line that says what the latencies of a file are of; empty if they were not measured.

    Example:
        >>> latency_note({"length": 61, "batch_rows": 10, "longest_length": 173055}).strip()
        'latency: of one row (length 61); batch: of 10 rows; longest: of one row (length 173,055)'
    """
    if "length" not in timing:
        return ""

    def row(length: int) -> str:
        return f"of one row (length {length:,})" if length else "of one row"

    parts = [f"latency: {row(timing['length'])}"]
    if "batch_rows" in timing:
        parts.append(f"batch: of {timing['batch_rows']} rows")
    if "longest_length" in timing:
        parts.append(f"longest: {row(timing['longest_length'])}")
    return "\n" + "; ".join(parts)


class VerificationError(Exception):
    """An artifact failed a check and was not written.

    Args:
        report: The report, which has the checks that failed.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        reasons = "; ".join(f"{check.name} ({check.detail})" for check in report.failed)
        super().__init__(f"{report.path.name} was refused: {reasons}")


def accept(report: Report, path: Path) -> None:
    """Refuses an artifact that failed: writes its report beside `path`.

    Raises:
        VerificationError: If a check failed.
    """
    file = path.with_name(f"{path.name}{SUFFIX}")
    if not report.passed:
        try:
            report.write(file)
        except OSError:
            file.unlink(missing_ok=True)
            raise
        raise VerificationError(report)
    file.unlink(missing_ok=True)  # of an earlier attempt


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in which each column is as wide as its longest cell."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
