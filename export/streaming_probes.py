"""Probes of signatures that are called step by step: states that earlier calls returned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from export.signatures import LiveSignature
from export.worker.probes import Probe, Tensors
from export.worker.streaming import ENDED

FIRST, STEPS = 3, 4  # of so many probes of the signature that begins, so many steps


def following_probes(signature: LiveSignature, first: Sequence[Probe]) -> list[Probe]:
    """The probes of a signature that follows another one, with what the live function returns.

    Args:
        signature: The signature.
        first: The answered probes of the signature that it follows.
    """
    return [
        probe
        for begun in first[:FIRST]
        for probe in islice(_steps(signature, begun.outputs), STEPS)
    ]


def _steps(signature: LiveSignature, outputs: Tensors) -> Iterator[Probe]:
    inputs = {name: outputs[name] for name in signature.inputs}
    while True:
        outputs_of_step = signature.run(inputs)
        yield Probe(inputs, outputs_of_step)
        if outputs_of_step[ENDED].all():
            return
        inputs = inputs | {
            name: outputs_of_step[name] for name in inputs if name in outputs_of_step
        }


def followed(signatures: Iterable[LiveSignature]) -> set[str]:
    """The names of the signatures that others follow."""
    return {each.parts.follows for each in signatures} - {""}
