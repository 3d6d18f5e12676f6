"""The check of one artifact against its entry of the manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from . import operators, quantized
from .artifact import format_of
from .artifact_checks import artifact_checks
from .bundle import is_bundle, litert_of
from .bundle_checks import bundle_checks
from .files import NotRegular, read, text_of
from .isolation import imported_library
from .messages import Finding, finding, one_line
from .onnx_files import SUFFIX, onnx_operators
from .probes import LARGEST as LARGEST_PROBES
from .probes import load_probes
from .snapshot import Snapshot, snapshot

OPERATORS: dict[str, Callable[[Any], dict[str, int]]] = {
    "saved_model": operators.saved_model_operators,
    "litert": operators.litert_operators,
    "litertlm": lambda content: operators.litert_operators(litert_of(content)),
    "onnx": onnx_operators,
}
LARGEST_BESIDE = 1 << 28  # bytes of a file beside an artifact; vocabularies are the largest


@dataclass
class Held:
    """What was read of an artifact, and found before it is loaded.

    Args:
        artifact: What is loaded; None if it is missing, or cannot be read.
        probes: The content of the file of its probes.
        beside: The texts of the files beside it, by their paths below the folder that holds it.
            Those of ONNX files are in the artifact.
        checks: The digests, and then the operators.
        operators: How often it has each operator; empty unless the digests are right.
    """

    artifact: Snapshot | None = None
    probes: bytes = b""
    beside: dict[str, str] = field(default_factory=dict)
    checks: list[Finding] = field(default_factory=list)
    operators: dict[str, int] = field(default_factory=dict)

    @property
    def may_be_loaded(self) -> bool:
        """Whether the digests are right, and all operators are allowed."""
        return bool(self.operators) and self.checks[-1]["passed"]


def main(job: dict) -> dict:
    """Checks an artifact.

    Args:
        job: "folder" and "name" of the artifact, "entry", its entry of the manifest, "tolerances",
            those of each kind of quantization, and "time", whether to measure how fast it is.

    Returns:
        "checks", "operators" with their counts, "tolerance" and "timing".
    """
    with held(Path(job["folder"]), job["name"], job["entry"]) as artifact:
        return _checked(artifact, job)


def _checked(read: Held, job: dict) -> dict:
    """Everything that is checked of an artifact that was read."""
    entry, checks = job["entry"], read.checks
    result = {"checks": checks, "operators": read.operators}
    result["timing"] = {}
    if read.artifact is None or not read.may_be_loaded:
        return result
    kind = entry.get("quantize")
    if kind and not quantized.holds(litert_of(read.artifact.content), kind):
        kind = None  # all its numbers are as they were, such as those of very small models
    result["tolerance"] = job["tolerances"][kind or ""]
    entry = {**entry, "tolerance": result["tolerance"]}
    probes = load_probes(read.probes)
    if is_bundle(read.artifact.source):
        checks.extend(bundle_checks(read.artifact.content, probes, entry))
    else:
        more, result["timing"] = artifact_checks(
            read.artifact, probes, entry, time=bool(job.get("time"))
        )
        checks.extend(more)
    imported = imported_library()
    detail = ", ".join(imported[:3]) or "neither Keras nor this library was imported"
    checks.append(finding("isolated", not imported, detail))
    return result


@contextmanager
def held(folder: Path, name: str, entry: dict) -> Iterator[Held]:
    """An artifact and the files beside it, each read once, until the context ends.

    Their digests are those of what was read, and what was read is loaded. Its operators are counted
    only if all digests are right: otherwise it is another artifact.

    Args:
        folder: The folder that holds the artifact and its manifest.
        name: The name of the artifact.
        entry: Its entry of the manifest.
    """
    sums = entry["sha256"]
    with ExitStack() as stack:
        held_artifact = Held()

        def artifact() -> str:
            path = inside(folder, name)
            held_artifact.artifact = stack.enter_context(snapshot(path))
            if (
                isinstance(copy := held_artifact.artifact.source, Path)
                and format_of(copy) == "onnx"
            ):
                held_artifact.beside |= texts_of_onnx(path, copy)
            return held_artifact.artifact.sha256

        def content(file: str, most: int) -> bytes:
            return read(inside(folder, file), most)

        def probes() -> str:
            held_artifact.probes = content(entry["probes"], LARGEST_PROBES)
            return hashlib.sha256(held_artifact.probes).hexdigest()

        def beside(file: str) -> str:
            text = content(file, LARGEST_BESIDE)
            held_artifact.beside[file] = text_of(file, text)
            return hashlib.sha256(text).hexdigest()

        held_artifact.checks = [_digest("artifact", artifact, sums["artifact"])]
        held_artifact.checks.append(_digest("probes", probes, sums["probes"]))
        for file, wanted in entry["beside"].items():
            held_artifact.checks.append(_digest(file, partial(beside, file), wanted))
        if held_artifact.artifact and all(each["passed"] for each in held_artifact.checks):
            held_artifact.operators = _count_operators(
                held_artifact.artifact.source, entry, held_artifact.checks
            )
        yield held_artifact


def texts_of_onnx(path: Path, copy: Path) -> dict[str, str]:
    """The texts in a folder of ONNX files, by their paths.

    Args:
        path: The folder.
        copy: Its copy, which has no empty folders.

    Raises:
        ValueError: If there is a folder in it that is not hidden, or a text is not UTF-8.
    """
    if folders := [x for x in path.iterdir() if x.is_dir() and not x.name.startswith(".")]:
        raise NotRegular(f"{min(folders)} is a folder, not a regular file")
    return {
        f"{path.name}/{file.name}": text_of(file.name, read(file, LARGEST_BESIDE))
        for file in sorted(copy.iterdir())
        if file.suffix != SUFFIX and not file.is_dir()
    }


def inside(folder: Path, name: str) -> Path:
    """A path below a folder; a forged manifest may name files elsewhere."""
    path = folder / name
    if ".." in path.parts or not path.parent.resolve().is_relative_to(folder.resolve()):
        raise FileNotFoundError(name)
    return path


def _digest(what: str, digest: Callable[[], str], wanted: str) -> Finding:
    """Whether what is read has the digest that the manifest says."""
    name = f"sha256 {what}"
    try:
        actual = digest()
    except (FileNotFoundError, NotADirectoryError):
        actual = "missing"
    except (OSError, ValueError) as error:
        return finding(name, False, one_line(error))
    detail = actual[:12] if actual == wanted else f"{actual[:12]}, the manifest says {wanted[:12]}"
    return finding(name, actual == wanted, detail)


def _count_operators(source: bytes | Path, entry: dict, checks: list[Finding]) -> dict[str, int]:
    kind = entry["format"]
    try:
        if format_of(source) != kind:
            raise ValueError(f"it would be loaded as {format_of(source)}, not as {kind}")
        counts = OPERATORS[kind](source)
        if isinstance(source, bytes):
            twice = operators.bytes_kept_twice(litert_of(source))
            checks.append(
                finding("weights stored once", twice == 0, f"{twice} bytes are stored twice")
            )
    except Exception as error:
        checks.append(finding("operators", False, f"cannot be read: {one_line(error)}"))
        return {}
    bad = operators.refused(counts, kind, strings=entry["strings"], xla=entry.get("xla", False))
    detail = f"not allowed: {', '.join(bad)}" if bad else f"operators: {len(counts)}, all allowed"
    if entry.get("xla") and operators.COMPILED not in counts:
        bad, detail = [operators.COMPILED], "no function is compiled by XLA"
    checks.append(finding("operators", not bad, detail))
    return counts
