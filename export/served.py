"""Verification of a model that a server has, with the probes of the artifact that it serves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from export import manifest
from export.locate import locate
from export.report import Check, Report
from export.signing import check_signature
from export.texts import in_strings, with_strings
from export.tolerances import TOLERANCES
from export.worker.artifact import Artifact
from export.worker.artifact_checks import same_signatures
from export.worker.axes import BATCH
from export.worker.check import inside
from export.worker.files import read
from export.worker.messages import finding, one_line
from export.worker.probes import LARGEST, SAMPLES, Probe, Tensors, load_probes, plain
from export.worker.signature_checks import signature_checks

SIDES = ("inputs", "outputs")
LIMITS = "limits of the server"


class Served(Protocol):
    """A model that is called at its address.

    Attributes:
        name: Its address.
        signatures: By name, the dtype and shape of each tensor under "inputs" and "outputs".
    """

    @property
    def name(self) -> str: ...
    @property
    def signatures(self) -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]]: ...
    def run(self, signature: str, inputs: Mapping[str, Any], /) -> dict[str, np.ndarray]:
        """Calls a signature with arrays by name; texts are arrays of strings."""

    def refuses(self, signature: str, inputs: Mapping[str, Any], /) -> str:
        """Why a call is beyond a limit of the server; empty if it is answered."""


def verify_served(path: str | Path, served: Served, public_key: str | Path | None = None) -> Report:
    """Verifies that a server answers as the model did from which an artifact was exported.

    The artifact is not loaded: its probes are sent, and the answers must be those that lie beside
    it, in the tolerances of its format. The signatures must be those of its manifest, rows alone
    must give what they give in a batch, and inputs of another rank must be refused. Probes that
    are beyond a limit of the server, such as its longest text, are left out and counted.

    Args:
        path: The artifact that is served, with its manifest and its probes.
        served: The model that the server has.
        public_key: A PEM file; see `verify`.

    Returns:
        A `Report`; `report.passed` says whether every check passed.

    Raises:
        ValueError: If there is no artifact at `path` with a valid manifest, or the artifact is a
            bundle for LiteRT-LM.
    """
    folder, name = locate(Path(path))
    content = manifest.content_of(folder)
    entry = manifest.find(folder, name, content)
    if entry is None:  # it has changed since it was located
        raise ValueError(f"{folder / manifest.FILE} does not list {name}.")
    if entry["format"] == "litertlm":
        raise ValueError(f"{name} is a bundle for LiteRT-LM, which is not served by signatures.")
    artifact, asked = folder / name, Check("address", True, served.name)
    signed = [] if public_key is None else [check_signature(folder, content, Path(public_key))]
    if not all(each.passed for each in signed):
        return Report(artifact, signed)
    try:
        stored = read(inside(folder, entry["probes"]), LARGEST)
        digest = hashlib.sha256(stored).hexdigest()
        checks = [asked, *signed, _same_digest(digest, entry["sha256"]["probes"])]
    except (OSError, ValueError) as error:
        unread = Check("sha256 probes", False, one_line(error))
        return Report(artifact, [asked, *signed, unread], entry)
    if not checks[-1].passed:
        return Report(artifact, checks, entry)
    # Tolerances are those of the code, whatever the manifest says.
    limits = TOLERANCES[entry.get("quantize") or None]._asdict()
    checks += _checks(load_probes(stored), entry, limits, served)
    return Report(artifact, checks, entry)


def _same_digest(actual: str, wanted: str) -> Check:
    same = actual == wanted
    detail = actual[:12] if same else f"{actual[:12]}, the manifest says {wanted[:12]}"
    return Check("sha256 probes", same, detail)


def _checks(
    probes: Mapping[str, list[Probe]],
    entry: dict[str, Any],
    tolerance: dict[str, float],
    served: Served,
) -> list[Check]:
    """The checks of the signatures that are served."""

    def run(signature: str, inputs: Tensors) -> Tensors:
        return {key: plain(each) for key, each in served.run(signature, inputs).items()}

    signatures = {
        name: {side: {key: dict(x) for key, x in each[side].items()} for side in SIDES}
        for name, each in served.signatures.items()
    }
    # A server gives texts that an artifact has in bytes as strings.
    recorded = {
        name: {**each, **{side: with_strings(each[side]) for side in SIDES}}
        for name, each in entry["signatures"].items()
    }
    # Padding makes rows longer than a server may take; the export has checked it.
    held = {name: [x for x in each if x == BATCH] for name, each in entry["invariances"].items()}
    entry = {**entry, "tolerance": tolerance, "signatures": recorded, "invariances": held}
    artifact = Artifact(run, signatures)
    lines = [same_signatures(recorded, artifact)]
    if lines[0]["passed"]:
        for signature in recorded:
            calls, samples = (
                [Probe(*map(in_strings, each)) for each in probes.get(start + signature, [])]
                for start in ("", SAMPLES)
            )
            lines.extend(_of_signature(signature, calls, samples, entry, artifact, served))
        if all(each["name"].endswith(LIMITS) for each in lines[1:]):
            lines.append(finding("probes", False, "all are beyond the limits of the server"))
    return [Check(line["name"], line["passed"], line["detail"]) for line in lines]


def _of_signature(
    signature: str,
    probes: list[Probe],
    samples: list[Probe],
    entry: dict[str, Any],
    artifact: Artifact,
    served: Served,
) -> list[dict[str, Any]]:
    try:
        refused = [served.refuses(signature, probe.inputs) for probe in probes]
    except Exception as error:  # whatever is answered is the finding
        return [finding(f"{signature}: runs", False, one_line(error))]
    taken = [probe for probe, reason in zip(probes, refused, strict=True) if not reason]
    beyond = [reason for reason in refused if reason]
    lines = []
    if beyond:
        detail = f"{len(beyond)} of {len(probes)} probes are left out: {beyond[0]}"
        lines = [finding(f"{signature}: {LIMITS}", True, detail)]
    if taken or not beyond:
        lines += signature_checks(signature, taken, samples, entry, artifact)
    return lines
