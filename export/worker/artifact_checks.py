"""The checks of an artifact that is loaded: its form, its signatures, and how fast it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .aliased_tensors import tensors_of_two_names
from .artifact import Artifact, load
from .loops import outputs_of_dynamic_loops
from .messages import Finding, finding, one_line
from .probes import SAMPLES, Probe
from .signature_checks import signature_checks, specs_of
from .snapshot import Snapshot
from .streaming import streaming_checks
from .timing import timing


def artifact_checks(
    held: Snapshot, probes: dict[str, list[Probe]], entry: dict, *, time: bool
) -> tuple[list[Finding], dict[str, Any]]:
    """The checks, and how fast the artifact is.

    Args:
        held: The artifact.
        probes: The probes of each signature.
        entry: The entry of the artifact in the manifest.
        time: Whether to measure how fast it is.
    """
    try:
        artifact = load(held.source, entry["strings"])
    except Exception as error:  # whatever the runtime raises is the finding
        return [finding("loads", False, one_line(error))], {}
    checks = [same_signatures(entry["signatures"], artifact)]
    checks += _one_shape(held.content) if entry.get("fixed") else []
    if not all(each["passed"] for each in checks):
        return checks, {}
    for signature in entry["signatures"]:
        calls, samples = probes.get(signature, []), probes.get(SAMPLES + signature, [])
        checks.extend(signature_checks(signature, calls, samples, entry, artifact))
    checks.extend(streaming_checks(entry, probes, artifact))
    if not time:
        return checks, {}
    specs = {name: specs_of(each["inputs"]) for name, each in entry["signatures"].items()}
    return checks, timing(artifact, probes, specs)


def _one_shape(content: bytes) -> Iterator[Finding]:
    """Whether runtimes that take one shape alone find every output."""
    unfilled = outputs_of_dynamic_loops(content)
    detail = f"sizes inside change: {', '.join(unfilled)}" if unfilled else "one shape"
    yield finding("loops", not unfilled, detail)
    shared = tensors_of_two_names(content)
    detail = f"one tensor has two names: {', '.join(shared)}" if shared else "one for each name"
    yield finding("tensors", not shared, detail)


def same_signatures(recorded: dict, artifact: Artifact) -> Finding:
    """Names, dtypes and the shapes of inputs; a runtime may know less of output shapes."""
    for name in sorted({*recorded, *artifact.signatures}):
        if name not in artifact.signatures or name not in recorded:
            return finding("signatures", False, f"{name} is not in both artifact and manifest")
        for side in ("inputs", "outputs"):
            wanted, actual = recorded[name][side], artifact.signatures[name][side]
            for key in sorted({*wanted, *actual}):
                pair = [specs.get(key, {}).get("dtype") for specs in (wanted, actual)]
                if pair[0] != pair[1]:
                    text = f"{name} {side} {key}: dtype {pair[1]} instead of {pair[0]}"
                    return finding("signatures", False, text)
                shapes = [specs[key]["shape"] for specs in (wanted, actual)]
                if side == "inputs" and shapes[0] != shapes[1]:
                    text = f"{name} inputs {key}: shape {shapes[1]} instead of {shapes[0]}"
                    return finding("signatures", False, text)
    return finding("signatures", True, ", ".join(recorded))
