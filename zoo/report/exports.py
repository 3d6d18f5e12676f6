"""The report's part on exported artifacts, read from the manifests beside them."""

import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.report import facts, html

RUNTIMES = {"saved_model": "TensorFlow SavedModel", "litert": "LiteRT"}


def section(manifests: Iterable[str | os.PathLike]) -> str:
    """Each artifact's size, speed and score, and everything that was checked of it."""
    entries = [pair for path in manifests for pair in _entries(Path(path))]
    files = [(name, entry, file) for name, entry in entries for file in _files(entry)]
    metrics = list(dict.fromkeys(key for *_, file in files for key in file.get("metrics", {})))
    columns = ["artifact", "runs on", "weights", "verified", "size", "a call takes"]
    rows = [_row(name, entry, file, metrics) for name, entry, file in files]
    return html.section(
        "Exported",
        "Each artifact was loaded by a process that knows nothing of this library, and compared "
        "with the model it came from.",
        html.table(columns + [facts.spell(name) for name in metrics], rows, 2 + len(metrics)),
        *(_checks(name, entry.get("checks", [])) for name, entry in entries),
    )


def _entries(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The artifacts of one manifest, each under a name that tells it from the others."""
    path = path / "manifest.json" if path.is_dir() else path
    if not path.exists():
        raise UserError(f"{path} does not exist: export the run first.")
    artifacts = facts.read_json(path).get("artifacts", {})
    folder = path.absolute().parent.name
    return [
        (f"{folder}/{name}" if name.isdigit() else name, entry) for name, entry in artifacts.items()
    ]


def _files(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The artifact as one measured row, after those it was measured beside."""
    timing = entry.get("timing", {})
    alone = {"file": "float32", "size_mb": entry.get("bytes", 0) / 1e6, **timing}
    return entry.get("files") or [alone]


def _row(name: str, entry: dict[str, Any], file: dict[str, Any], metrics: list[str]) -> list[str]:
    checks = entry.get("checks", [])
    passed = sum(check["passed"] for check in checks)
    good = bool(checks) and passed == len(checks)
    verdict = f'<td class="mark">✓ {passed} checks</td>'
    if not good:
        verdict = f'<td class="mark no">✗ {passed} of {len(checks)} checks</td>'
    if file != _files(entry)[-1]:
        verdict = "for comparison"
    latency = file.get("latency_ms")
    scores = file.get("metrics", {})
    return [
        f"<code>{escape(name)}</code>",
        RUNTIMES.get(entry.get("format", ""), ""),
        escape(file["file"]),
        verdict,
        facts.size(file["size_mb"] * 1e6),
        "" if latency is None else f"{latency:.3g} ms",
        *(facts.rounded(key, scores[key]) if key in scores else "" for key in metrics),
    ]


def _checks(name: str, checks: list[dict[str, Any]]) -> str:
    rows = [
        [
            f'<td class="mark{"" if check["passed"] else " no"}">'
            f"{'✓' if check['passed'] else '✗'}</td>",
            escape(check["name"]),
            escape(check.get("detail", "")),
        ]
        for check in checks
    ]
    if not rows:
        return ""
    summary = f"What was checked of <code>{escape(name)}</code>"
    return (
        f"<details><summary>{summary}</summary>{html.table(['', 'check', 'found'], rows)}</details>"
    )
