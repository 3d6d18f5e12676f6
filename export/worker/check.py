"""Check one artifact against its entry of the manifest."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

from . import operators, quantized
from .artifact import Artifact, format_of, load
from .digest import sha256
from .isolation import imported_library
from .loops import outputs_of_dynamic_loops
from .messages import Check, check, one_line
from .onnx_files import onnx_operators
from .own_tensors import tensors_of_two_names
from .probes import SAMPLES, load_probes
from .signature_checks import signature_checks
from .streaming import streaming_checks
from .timing import timing

OPERATORS = {
    "saved_model": operators.saved_model_operators,
    "litert": operators.litert_operators,
    "onnx": onnx_operators,
}


def main(job: dict) -> dict:
    """Checks an artifact.

    Args:
        job: "folder" and "name" of the artifact, "entry", its entry of the manifest, "tolerances",
            those of each kind of quantization, and "time", whether to measure how fast it is.

    Returns:
        "checks", "operators" with their counts, "tolerance", "timing" and "machine".
    """
    folder, name, entry = Path(job["folder"]), job["name"], job["entry"]
    checks, counts = before_loading(folder, name, entry)
    result = {"checks": checks, "operators": counts, "timing": {}, "machine": platform.machine()}
    if not may_be_loaded(checks, counts):
        return result
    kind = entry.get("quantize")
    if kind and not quantized.holds(folder / name, kind):
        kind = None  # all its numbers are as they were, such as those of very small models
    result["tolerance"] = job["tolerances"][kind or ""]
    entry = {**entry, "tolerance": result["tolerance"]}
    try:
        artifact = load(folder / name, entry["strings"])
    except Exception as error:  # whatever the runtime raises is the finding
        checks.append(check("loads", False, one_line(error)))
        return result
    form = [_same_signatures(entry["signatures"], artifact)]
    form += _one_shape(folder / name) if entry.get("fixed") else []
    checks += form
    if all(each["passed"] for each in form):
        probes = load_probes(folder / entry["probes"])
        for signature in entry["signatures"]:
            calls, samples = probes.get(signature, []), probes.get(SAMPLES + signature, [])
            checks.extend(signature_checks(signature, calls, samples, entry, artifact))
        checks.extend(streaming_checks(entry, probes, artifact))
        result["timing"] = timing(artifact, probes) if job.get("time") else {}
    found = imported_library()
    detail = ", ".join(found[:3]) or "neither Keras nor this library was imported"
    checks.append(check("isolated", not found, detail))
    return result


def before_loading(folder: Path, name: str, entry: dict) -> tuple[list[Check], dict[str, int]]:
    """What has to pass before an artifact may be loaded: digests, and then operators.

    Returns:
        The checks, and how often the artifact has each operator.
    """
    checks = list(_digests(folder, name, entry))
    if not all(each["passed"] for each in checks):
        return checks, {}  # it is another artifact: nothing of it is read
    return checks, _count_operators(folder / name, entry, checks)


def may_be_loaded(checks: list[Check], counts: dict[str, int]) -> bool:
    """Whether the digests are right, so that there are counts of operators, and all are allowed."""
    return bool(counts) and checks[-1]["passed"]


def _digests(folder: Path, name: str, entry: dict) -> Iterator[Check]:
    """The artifact, its probes, and the files that belong beside it, such as its vocabulary."""
    sums = entry["sha256"]
    files = [("artifact", name, sums["artifact"]), ("probes", entry["probes"], sums["probes"])]
    for what, file, wanted in [*files, *((each, each, x) for each, x in entry["beside"].items())]:
        path = (folder / file).resolve()  # a forged manifest may name files elsewhere
        there = path.is_relative_to(folder.resolve()) and path.exists()
        found = sha256(path) if there else "missing"
        detail = found[:12] if found == wanted else f"{found[:12]}, the manifest says {wanted[:12]}"
        yield check(f"sha256 {what}", found == wanted, detail)


def _count_operators(path: Path, entry: dict, checks: list[Check]) -> dict[str, int]:
    kind = entry["format"]
    try:
        if format_of(path) != kind:
            raise ValueError(f"it would be loaded as {format_of(path)}, not as {kind}")
        counts = OPERATORS[kind](path)
        if kind == "litert":
            twice = operators.bytes_kept_twice(path)
            checks.append(
                check("weights stored once", twice == 0, f"{twice} bytes are stored twice")
            )
    except Exception as error:
        checks.append(check("operators", False, f"cannot be read: {one_line(error)}"))
        return {}
    bad = operators.refused(counts, kind, strings=entry["strings"], xla=entry.get("xla", False))
    detail = f"not allowed: {', '.join(bad)}" if bad else f"operators: {len(counts)}, all allowed"
    if entry.get("xla") and operators.COMPILED not in counts:
        bad, detail = [operators.COMPILED], "no function is compiled by XLA"
    checks.append(check("operators", not bad, detail))
    return counts


def _one_shape(path: Path) -> Iterator[Check]:
    """Whether runtimes that take one shape alone find every output."""
    unfilled = outputs_of_dynamic_loops(path)
    detail = f"sizes inside change: {', '.join(unfilled)}" if unfilled else "one shape"
    yield check("loops", not unfilled, detail)
    shared = tensors_of_two_names(path)
    detail = f"one tensor has two names: {', '.join(shared)}" if shared else "one for each name"
    yield check("tensors", not shared, detail)


def _same_signatures(recorded: dict, artifact: Artifact) -> Check:
    """Names, dtypes and the shapes of inputs; a runtime may know less of output shapes."""
    for name in sorted({*recorded, *artifact.signatures}):
        if name not in artifact.signatures or name not in recorded:
            return check("signatures", False, f"{name} is not in both artifact and manifest")
        for side in ("inputs", "outputs"):
            wanted, found = recorded[name][side], artifact.signatures[name][side]
            for key in sorted({*wanted, *found}):
                pair = [specs.get(key, {}).get("dtype") for specs in (wanted, found)]
                if pair[0] != pair[1]:
                    text = f"{name} {side} {key}: dtype {pair[1]} instead of {pair[0]}"
                    return check("signatures", False, text)
                shapes = [specs[key]["shape"] for specs in (wanted, found)]
                if side == "inputs" and shapes[0] != shapes[1]:
                    text = f"{name} inputs {key}: shape {shapes[1]} instead of {shapes[0]}"
                    return check("signatures", False, text)
    return check("signatures", True, ", ".join(recorded))
