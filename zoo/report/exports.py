"""The report's section about exported artifacts, from their manifests."""

import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from zoo import quantities
from zoo.errors import UserError
from zoo.report import formats, html, run_files

MANIFEST = "manifest.json"
RUNTIMES = {"saved_model": "TensorFlow SavedModel", "litert": "LiteRT", "onnx": "ONNX Runtime"}

Row = tuple[list[str], dict[str, str]]  # the cells of a file, and those of its metrics by name


def section(manifests: Iterable[str | os.PathLike]) -> str:
    """Size, latency and metrics of each artifact, and all the checks it passed or failed."""
    shown = [each for path in manifests for each in _artifacts(Path(path))]
    files = [file for rows, _ in shown for file in rows]
    metrics = list(dict.fromkeys(key for _, scores in files for key in scores))
    columns = ["artifact", "runs on", "weights", "verified", "size", "latency of a row"]
    rows = [cells + [scores.get(key, "") for key in metrics] for cells, scores in files]
    return html.section(
        "Exported artifacts",
        "Each artifact was loaded in a process without this library, and its outputs were compared "
        "with those of the original model.",
        html.table(columns + [formats.spell(name) for name in metrics], rows, 2 + len(metrics)),
        *(checks for _, checks in shown),
    )


def _artifacts(path: Path) -> list[tuple[list[Row], str]]:
    """Returns the rows of each artifact of a manifest, or of the one that is given; its checks."""
    path, only = manifest_of(path)
    if not path.exists():
        raise UserError(f"{path} does not exist: export the run first.")
    folder, manifest = path.absolute().parent.name, run_files.read_json(path)
    artifacts = []
    with run_files.reading(path, "a manifest"):
        for name, entry in manifest.get("artifacts", {}).items():
            if only is not None and name != only:
                continue
            name = f"{folder}/{name}" if name.isdigit() else name
            rows = [_row(name, entry, file) for file in _files(entry)]
            artifacts.append((rows, _checks(name, entry.get("checks", []))))
    return artifacts


def manifest_of(path: Path) -> tuple[Path, str | None]:
    """The manifest that describes a path, and the name of the artifact if the path is one.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "films.tflite").write_bytes(b""), (folder / MANIFEST).write_text("{}")
        >>> [manifest_of(folder / name)[1] for name in ("", MANIFEST, "films.tflite")]
        [None, None, 'films.tflite']
    """
    inside, beside = path / MANIFEST, path.parent / MANIFEST
    if path.name == MANIFEST or not beside.exists() or inside.exists():
        return (inside if path.is_dir() else path), None
    return beside, path.name


def _files(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the measurements of the artifact, after those of the files it is compared with."""
    timing = entry.get("timing", {})
    alone = {"file": "float32", "size_mb": entry.get("bytes", 0) / 1e6, **timing}
    return entry.get("files") or [alone]


def _row(name: str, entry: dict[str, Any], file: dict[str, Any]) -> Row:
    """Returns the cells of a file, and those of its metrics."""
    checks = entry.get("checks", [])
    passed = sum(check["passed"] is True for check in checks)
    good = bool(checks) and passed == len(checks)
    verdict = f'<td class="mark">✓ {passed} checks</td>'
    if not good:
        verdict = f'<td class="mark no">✗ {passed} of {len(checks)} checks</td>'
    if file != _files(entry)[-1]:
        verdict = "for comparison"
    latency = file.get("latency_ms")
    scores = {key: formats.rounded(key, value) for key, value in file.get("metrics", {}).items()}
    cells = [
        f"<code>{html.text(name)}</code>",
        RUNTIMES.get(entry.get("format", ""), ""),
        escape(file["file"]),
        verdict,
        quantities.size(file["size_mb"] * 1e6),
        "" if latency is None else f"{latency:.3g} ms",
    ]
    return cells, scores


def _checks(name: str, checks: list[dict[str, Any]]) -> str:
    rows = [
        [
            f'<td class="mark{"" if check["passed"] is True else " no"}">'
            f"{'✓' if check['passed'] is True else '✗'}</td>",
            escape(check["name"]),
            escape(check.get("detail", "")),
        ]
        for check in checks
    ]
    if not rows:
        return ""
    summary = f"Checks of <code>{html.text(name)}</code>"
    table = html.table(["", "check", "result"], rows)
    return f"<details><summary>{summary}</summary>{table}</details>"
