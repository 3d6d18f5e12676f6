"""The report's section about exported artifacts, from their manifests."""

import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.report import facts, html

RUNTIMES = {"saved_model": "TensorFlow SavedModel", "litert": "LiteRT"}


def section(manifests: Iterable[str | os.PathLike]) -> str:
    """Size, latency and metrics of each artifact, and all the checks it passed or failed."""
    entries = [pair for path in manifests for pair in _entries(Path(path))]
    files = [(name, entry, file) for name, entry in entries for file in _files(entry)]
    metrics = list(dict.fromkeys(key for *_, file in files for key in file.get("metrics", {})))
    columns = ["artifact", "runs on", "weights", "verified", "size", "latency"]
    rows = [_row(name, entry, file, metrics) for name, entry, file in files]
    return html.section(
        "Exported artifacts",
        "Each artifact was loaded in a process without this library, and its outputs were compared "
        "with those of the original model.",
        html.table(columns + [facts.spell(name) for name in metrics], rows, 2 + len(metrics)),
        *(_checks(name, entry.get("checks", [])) for name, entry in entries),
    )


def _entries(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Returns the artifacts of one manifest, each under a unique name."""
    path = path / "manifest.json" if path.is_dir() else path
    if not path.exists():
        raise UserError(f"{path} does not exist: export the run first.")
    artifacts = facts.read_json(path).get("artifacts", {})
    folder = path.absolute().parent.name
    return [
        (f"{folder}/{name}" if name.isdigit() else name, entry) for name, entry in artifacts.items()
    ]


def _files(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the measurements of the artifact, after those of the files it is compared with."""
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
    summary = f"Checks of <code>{escape(name)}</code>"
    table = html.table(["", "check", "result"], rows)
    return f"<details><summary>{summary}</summary>{table}</details>"
