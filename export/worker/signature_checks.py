"""Checks of one signature of an artifact: outputs, invariances, text and ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from . import invariance
from .artifact import Artifact
from .axes import UNKNOWN, Spec, sizes_of
from .compare import Distance, distance, in_deviations, overlap
from .messages import Finding, finding, one_line
from .probes import ENCODED, Probe, Tensors, is_text
from .quantization_agreement import agreement_checks
from .rank_checks import rank_check


def signature_checks(
    signature: str, probes: list[Probe], samples: list[Probe], entry: dict, artifact: Artifact
) -> Iterator[Finding]:
    """Checks the outputs, the invariances, the text and the ranks of a signature.

    Args:
        signature: Its name.
        probes: Its probes.
        samples: Many more, of a quantized file.
        entry: The entry of the artifact in the manifest.
        artifact: The artifact.
    """
    try:
        if not probes:
            yield finding(f"{signature}: probes", False, "there are none to compare with")
            return
        recorded = entry["signatures"][signature]
        inputs, outputs = specs_of(recorded["inputs"]), specs_of(recorded["outputs"])
        if entry.get("fixed"):
            yield _one_shape(signature, artifact)
        compared = [*probes, *samples] if entry.get("quantize") else probes
        results = [artifact.run(signature, probe.inputs) for probe in compared]
        # The model was asked without padding, or with outputs of another size of their own.
        if entry.get("fixed") or recorded.get("follows"):
            results = [
                {name: _cut_back(name, array, probe, outputs) for name, array in result.items()}
                for probe, result in zip(compared, results, strict=True)
            ]
        if entry.get("quantize"):
            specs = inputs, outputs
            yield from agreement_checks(signature, compared, results, entry["tolerance"], *specs)
        else:
            yield from output_checks(signature, compared, results, entry["tolerance"], outputs)
        yield from _invariances(signature, probes, entry, artifact, inputs, outputs)
        yield from _strings(signature, probes, artifact)
        asked = _that_ask(inputs, entry)
        if asked:
            yield rank_check(signature, asked, probes[0], artifact)
    except Exception as error:
        yield finding(f"{signature}: runs", False, one_line(error))


def _that_ask(inputs: dict[str, Spec], entry: dict) -> list[str]:
    """The inputs whose rank is asked for: of a LiteRT file, those with a size that is not fixed."""
    litert = entry["format"] == "litert"
    return [
        name
        for name, spec in inputs.items()
        if not litert or any(isinstance(axis, str) for axis in spec.axes or ())
    ]


def specs_of(recorded: dict[str, dict]) -> dict[str, Spec]:
    """What the manifest says of the tensors of a signature, by name."""
    return {
        key: Spec(each["axes"], each["padding"], each["dtype"], each.get("unit"))
        for key, each in recorded.items()
    }


def _one_shape(signature: str, artifact: Artifact) -> Finding:
    """Runtimes that take no other shapes allocate the outputs before they run, too."""
    sides = artifact.signatures[signature].values()
    tensors = {name: spec["shape"] for side in sides for name, spec in side.items()}
    open_ended = [name for name, shape in tensors.items() if shape is None or None in shape]
    detail = ", ".join(open_ended) + " have no fixed shape" if open_ended else "all tensors"
    return finding(f"{signature}: fixed shapes", not open_ended, detail)


def output_checks(
    signature: str,
    probes: list[Probe],
    results: list[Tensors],
    tolerance: dict,
    specs: dict[str, Spec],
) -> Iterator[Finding]:
    """Compares each output of an artifact with the live model's.

    Args:
        signature: The name of the signature.
        probes: Its probes, with the outputs of the live model.
        results: The outputs of the artifact.
        tolerance: The greatest "error" and the least "agreement" that are allowed.
        specs: What is known of the outputs.
    """
    for name in sorted(probes[0].outputs):
        pairs = [
            (probe.outputs[name], result[name])
            for probe, result in zip(probes, results, strict=True)
        ]
        wrong = [
            f"shape {actual.shape} instead of {expected.shape}"
            for expected, actual in pairs
            if expected.shape != actual.shape
        ]
        if wrong:
            yield finding(f"{signature}: {name}", False, wrong[0])
            continue
        spec = specs.get(name, UNKNOWN)
        if spec.unit:
            off = [
                in_deviations(*pair, x.inputs[spec.unit])
                for pair, x in zip(pairs, probes, strict=True)
            ]
            apart = [Distance(error=float(each.max(initial=0.0))) for each in off]
        else:
            apart = [distance(*pair, spec.padding) for pair in pairs]
        overall = Distance(
            max(each.error for each in apart), float(np.mean([each.agreement for each in apart]))
        )
        yield _verdict(f"{signature}: {name}", overall, tolerance, pairs[0][0].dtype)


def _cut_back(name: str, array: np.ndarray, probe: Probe, specs: dict[str, Spec]) -> np.ndarray:
    """An output of the declared shape, without what belongs to the padding of the inputs."""
    axes, expected = specs[name].axes, probe.outputs[name]
    if axes is None:
        return array
    sizes_of({name: axes}, {name: array.shape})  # raises where it has another shape
    shape = zip(axes, expected.shape, strict=True)
    array = array[tuple(slice(None if axis is None else size) for axis, size in shape)]
    shared = overlap(expected, array, specs[name].padding)
    return shared[1] if shared and shared[0].shape == expected.shape else array


def _verdict(name: str, worst: Distance, tolerance: dict, dtype: np.dtype) -> Finding:
    if dtype.kind in "fc":
        passed = worst.error <= tolerance["error"]
        detail = f"error {worst.error:.1e}, allowed {tolerance['error']:.0e}"
    else:
        passed = worst.agreement >= tolerance["agreement"]
        detail = f"{worst.agreement:.1%} equal, required {tolerance['agreement']:.0%}"
    line = finding(name, passed, detail)
    if dtype.kind in "iuSOb":
        line["agreement"] = worst.agreement
    return line


def _invariances(
    signature: str,
    probes: list[Probe],
    entry: dict,
    artifact: Artifact,
    inputs: dict[str, Spec],
    outputs: dict[str, Spec],
) -> Iterator[Finding]:
    for name in entry["invariances"].get(signature, []):
        distances = [
            invariance.measure(name, lambda x: artifact.run(signature, x), probe, inputs, outputs)
            for probe in probes
        ]
        measured = [distance for distance in distances if distance is not None]
        if not measured:
            continue
        worst = Distance()
        for apart in measured:
            worst = worst.worse(apart)
        detail = f"error {worst.error:.1e}, {worst.agreement:.1%} equal, probes: {len(measured)}"
        passed = worst.error <= entry["tolerance"]["error"] and worst.agreement == 1
        yield finding(f"{signature}: invariant to {name}", passed, detail)


def _strings(signature: str, probes: list[Probe], artifact: Artifact) -> Iterator[Finding]:
    """Text goes in and comes out as UTF-8, and the probes contain the hard cases."""
    texts = [
        text
        for probe in probes
        for name, array in probe.inputs.items()
        if is_text(array) and not name.endswith(ENCODED)
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
        yield finding(f"{signature}: strings", False, f"no probe has {' or '.join(lacking)}")
        return
    for probe in probes:
        for array in artifact.run(signature, probe.inputs).values():
            for text in array.ravel() if is_text(array) else ():
                text.decode()  # raises where it is not UTF-8
    longest = max(len(text.decode()) for text in texts)
    yield finding(
        f"{signature}: strings", True, f"texts: {len(texts)}, longest: {longest} characters"
    )
