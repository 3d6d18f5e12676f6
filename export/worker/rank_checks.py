"""Checks that a signature refuses inputs with an axis less or more than it declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .artifact import Artifact
from .messages import Finding, finding
from .probes import Probe, Tensors, is_text


def rank_check(signature: str, names: list[str], probe: Probe, artifact: Artifact) -> Finding:
    """Calls a signature with some of its inputs in another rank; an answer is a failure.

    Args:
        signature: The name of the signature.
        names: The names of these inputs.
        probe: One of its probes.
        artifact: The artifact.
    """
    answered = [
        f"{name} of {axes} axes"
        for name, axes, inputs in _of_other_ranks(names, probe.inputs)
        if _answers(artifact, signature, inputs)
    ]
    detail = f"takes {', '.join(answered)}" if answered else f"inputs: {len(names)}"
    return finding(f"{signature}: refuses other ranks", not answered, detail)


def _of_other_ranks(names: list[str], inputs: Tensors) -> Iterator[tuple[str, int, Tensors]]:
    for name in names:
        array = inputs[name]
        others = [array[None]]
        if array.ndim:
            nothing: Any = b"" if is_text(array) else 0
            others.append(np.full(array.shape[1:], nothing, array.dtype))
        for other in others:
            yield name, other.ndim, {**inputs, name: other}


def _answers(artifact: Artifact, signature: str, inputs: Tensors) -> bool:
    try:
        artifact.run(signature, inputs)
    except Exception:  # whatever the runtime raises is a refusal
        return False
    return True
