"""Probes: inputs with the outputs of the live model, stored in an npz file.

The file needs no pickle: text is stored as UTF-8 bytes. The key of an array is
`<signature>/<number of the probe>/<in or out>/<tensor>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

Tensors = dict[str, np.ndarray]
ENCODED = "_bytes"  # ends the names of inputs that are files, such as images, and no text
SAMPLES = "samples of "  # with a signature's name, the probes that only a quantized file is run on


class Probe(NamedTuple):
    """One call of a signature: its inputs, and the outputs that are expected."""

    inputs: Tensors
    outputs: Tensors


def plain(array) -> np.ndarray:
    """The NumPy array of anything like an array, with text as UTF-8 bytes."""
    array = np.asarray(array)
    if array.dtype.kind not in "OU":
        return array
    encoded = [text.encode() if isinstance(text, str) else text for text in array.ravel()]
    return np.array(encoded, dtype=np.bytes_).reshape(array.shape)


def save_probes(path: str | Path, probes: Mapping[str, list[Probe]]) -> None:
    """Writes the probes of each signature to `path`."""
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
    """Reads what `save_probes` wrote."""
    probes: dict[str, list[Probe]] = {}
    # NumPy does not close a file of its own that is no archive.
    with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        for key in arrays.files:
            signature, number, side, name = key.split("/", 3)
            calls = probes.setdefault(signature, [])
            while len(calls) <= int(number):
                calls.append(Probe({}, {}))
            (calls[int(number)].inputs if side == "in" else calls[int(number)].outputs)[name] = (
                arrays[key]
            )
    return probes
