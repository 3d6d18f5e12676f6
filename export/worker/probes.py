"""Probes: inputs with the outputs the live model gave, kept in one npz file.

The file needs no pickle: a string array is stored as UTF-8 bytes. An array's key is
`signature/probe number/in or out/tensor name`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

Tensors = dict[str, np.ndarray]


class Probe(NamedTuple):
    """One call of a signature: what goes in and what has to come out."""

    inputs: Tensors
    outputs: Tensors


def plain(array) -> np.ndarray:
    """`array` in NumPy, text in it as UTF-8 bytes."""
    array = np.asarray(array)
    if array.dtype.kind not in "OU":
        return array
    encoded = [text.encode() if isinstance(text, str) else text for text in array.ravel()]
    return np.array(encoded, dtype=np.bytes_).reshape(array.shape)


def save_probes(path: str | Path, probes: Mapping[str, list[Probe]]) -> None:
    """Write the probes of every signature to `path`."""
    arrays = {
        f"{signature}/{number}/{side}/{name}": plain(array)
        for signature, calls in probes.items()
        for number, call in enumerate(calls)
        for side, tensors in zip(("in", "out"), call, strict=True)
        for name, array in tensors.items()
    }
    with Path(path).open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def load_probes(path: str | Path) -> dict[str, list[Probe]]:
    """Read what `save_probes` wrote."""
    probes: dict[str, list[Probe]] = {}
    with np.load(path, allow_pickle=False) as arrays:
        for key in arrays.files:
            signature, number, side, name = key.split("/", 3)
            calls = probes.setdefault(signature, [])
            while len(calls) <= int(number):
                calls.append(Probe({}, {}))
            (calls[int(number)].inputs if side == "in" else calls[int(number)].outputs)[name] = (
                arrays[key]
            )
    return probes
