"""Check one artifact against its entry of the manifest."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import invariance, operators
from .artifact import Artifact, load
from .axes import UNKNOWN, Spec
from .compare import Distance, alike, distance
from .digest import sha256
from .isolation import imported_library
from .messages import first_line
from .probes import Probe, load_probes
from .timing import timing

Check = dict


def check(name: str, passed: bool, detail: str) -> Check:
    """One line of the report."""
    return {"name": name, "passed": bool(passed), "detail": detail}


def main(job: dict) -> dict:
    """Checks an artifact.

    Args:
        job: "folder" and "name" of the artifact, "entry", its entry of the manifest, and "time",
            whether to measure how fast it is.

    Returns:
        "checks", "operators" with their counts, "timing" and "machine".
    """
    folder, name, entry = Path(job["folder"]), job["name"], job["entry"]
    checks = list(_digests(folder, name, entry))
    counts = _count_operators(folder / name, entry, checks)
    result = {"checks": checks, "operators": counts, "timing": {}, "machine": platform.machine()}
    if not checks[-1]["passed"]:
        return result  # the runtime may not even load it
    try:
        artifact = load(folder / name, entry["strings"])
    except Exception as error:  # whatever the runtime raises is the finding
        checks.append(check("loads", False, first_line(error)))
        return result
    checks.append(_same_signatures(entry["signatures"], artifact))
    if checks[-1]["passed"]:
        probes = load_probes(folder / entry["probes"])
        for signature in entry["signatures"]:
            checks.extend(_signature(signature, probes.get(signature, []), entry, artifact))
        result["timing"] = timing(artifact, probes) if job.get("time") else {}
    found = imported_library()
    checks.append(check("isolated", not found, ", ".join(found[:3]) or "no keras, no keras_attn"))
    return result


def _digests(folder: Path, name: str, entry: dict) -> Iterator[Check]:
    for kind, file in (("artifact", name), ("probes", entry["probes"])):
        found, wanted = sha256(folder / file), entry["sha256"][kind]
        detail = found[:12] if found == wanted else f"{found[:12]}, the manifest says {wanted[:12]}"
        yield check(f"sha256 {kind}", found == wanted, detail)


def _count_operators(path: Path, entry: dict, checks: list[Check]) -> dict[str, int]:
    litert = entry["format"] == "litert"
    try:
        if litert:
            counts = operators.litert_operators(path)
            twice = operators.bytes_kept_twice(path)
            checks.append(check("weights kept once", twice == 0, f"{twice} bytes repeated"))
        else:
            counts = operators.saved_model_operators(path)
    except Exception as error:
        checks.append(check("operators", False, f"cannot be read: {first_line(error)}"))
        return {}
    bad = operators.refused(
        counts, litert=litert, strings=entry["strings"], xla=entry.get("xla", False)
    )
    detail = f"not allowed: {', '.join(bad)}" if bad else f"{len(counts)} kinds, all allowed"
    if entry.get("xla") and operators.COMPILED not in counts:
        bad, detail = [operators.COMPILED], "nothing in it is compiled by XLA"
    checks.append(check("operators", not bad, detail))
    return counts


def _same_signatures(recorded: dict, artifact: Artifact) -> Check:
    """Names, dtypes and the shapes of inputs; a runtime may know less of output shapes."""
    for name in sorted({*recorded, *artifact.signatures}):
        if name not in artifact.signatures or name not in recorded:
            return check("signatures", False, f"{name} is in one of artifact and manifest alone")
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


def _signature(
    signature: str, probes: list[Probe], entry: dict, artifact: Artifact
) -> Iterator[Check]:
    try:
        if not probes:
            yield check(f"{signature}: probes", False, "none to compare with")
            return
        recorded = entry["signatures"][signature]
        inputs, outputs = _specs(recorded["inputs"]), _specs(recorded["outputs"])
        yield from _outputs(signature, probes, entry["tolerance"], artifact, outputs)
        yield from _invariances(signature, probes, entry, artifact, inputs, outputs)
        yield from _strings(signature, probes, artifact)
    except Exception as error:
        yield check(f"{signature}: runs", False, first_line(error))


def _specs(recorded: dict[str, dict]) -> dict[str, Spec]:
    return {
        key: Spec(each["axes"], each["padding"], each["dtype"]) for key, each in recorded.items()
    }


def _outputs(
    signature: str,
    probes: list[Probe],
    allowed: dict,
    artifact: Artifact,
    specs: dict[str, Spec],
) -> Iterator[Check]:
    """One check for each output: the artifact's against the live model's."""
    results = [artifact.run(signature, probe.inputs) for probe in probes]
    exact = allowed["agreement"] == 1
    for name in sorted(probes[0].outputs):
        pairs = [
            (probe.outputs[name], result[name])
            if exact
            else alike(name, probe.outputs, result, specs)
            for probe, result in zip(probes, results, strict=True)
        ]
        wrong = [
            f"shape {actual.shape} instead of {expected.shape}"
            for expected, actual in pairs
            if expected.shape != actual.shape
        ]
        if wrong:
            yield check(f"{signature}: {name}", False, wrong[0])
            continue
        padding = specs.get(name, UNKNOWN).padding
        apart = [distance(*pair, padding) for pair in pairs]
        found = Distance(
            max(each.error for each in apart), float(np.mean([each.agreement for each in apart]))
        )
        yield _verdict(f"{signature}: {name}", found, allowed, pairs[0][0].dtype)


def _verdict(name: str, worst: Distance, allowed: dict, dtype: np.dtype) -> Check:
    if dtype.kind in "fc":
        passed = worst.error <= allowed["error"]
        detail = f"error {worst.error:.1e}, allowed {allowed['error']:.0e}"
    else:
        passed = worst.agreement >= allowed["agreement"]
        detail = f"{worst.agreement:.1%} equal, demanded {allowed['agreement']:.0%}"
    line = check(name, passed, detail)
    if dtype.kind in "iuSb":
        line["agreement"] = worst.agreement
    return line


def _invariances(
    signature: str,
    probes: list[Probe],
    entry: dict,
    artifact: Artifact,
    inputs: dict[str, Spec],
    outputs: dict[str, Spec],
) -> Iterator[Check]:
    for name in entry["invariances"].get(signature, []):
        found = [
            invariance.measure(name, lambda x: artifact.run(signature, x), probe, inputs, outputs)
            for probe in probes
        ]
        measured = [distance for distance in found if distance is not None]
        if not measured:
            continue
        worst = Distance()
        for apart in measured:
            worst = worst.worse(apart)
        detail = f"error {worst.error:.1e}, {worst.agreement:.1%} equal, {len(measured)} probes"
        passed = worst.error <= entry["tolerance"]["error"] and worst.agreement == 1
        yield check(f"{signature}: invariant to {name}", passed, detail)


def _strings(signature: str, probes: list[Probe], artifact: Artifact) -> Iterator[Check]:
    """Text goes in and comes out as UTF-8, and the probes contain the hard cases."""
    texts = [
        text
        for probe in probes
        for array in probe.inputs.values()
        if array.dtype.kind == "S"
        for text in array.ravel()
    ]
    if not texts:
        return
    lacking = [
        case
        for case, held in {
            "an empty text": b"" in texts,
            "text beyond ASCII": any(not text.isascii() for text in texts),
        }.items()
        if not held
    ]
    if lacking:
        yield check(f"{signature}: strings", False, f"the probes lack {' and '.join(lacking)}")
        return
    for probe in probes:
        for array in artifact.run(signature, probe.inputs).values():
            for text in array.ravel() if array.dtype.kind == "S" else ():
                text.decode()  # raises where it is not UTF-8
    longest = max(len(text.decode()) for text in texts)
    yield check(f"{signature}: strings", True, f"{len(texts)} texts, longest {longest} characters")
