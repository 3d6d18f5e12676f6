"""Texts in bytes as strings: how clients in Python see an artifact that has no strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from export.worker.probes import Tensors

BYTES, LENGTHS = "_bytes", "_lengths"  # the ends of the names of the two tensors of a text
Facts = Mapping[str, Mapping[str, Any]]  # of the inputs, or of the outputs, of a signature


def texts_in(tensors: Mapping[str, Any]) -> list[str]:
    """The names of the texts that are there as bytes and lengths.

    Example:
        >>> texts_in({"text_bytes": {}, "text_lengths": {}, "image_bytes": {}})
        ['text']
    """
    stems = [name.removesuffix(BYTES) for name in tensors if name.endswith(BYTES)]
    return [stem for stem in stems if stem + LENGTHS in tensors]


def with_strings(tensors: Facts) -> dict[str, Mapping[str, Any]]:
    """The same tensors with a string in place of each pair of bytes and lengths."""
    stems, strings = texts_in(tensors), {}
    for stem in stems:
        whole = tensors[stem + BYTES]
        first = {part: whole[part] and whole[part][:1] for part in ("axes", "shape")}
        strings[stem] = {**whole, **first, "dtype": "string", "padding": None, "values": None}
    hidden = {stem + end for stem in stems for end in (BYTES, LENGTHS)}
    return strings | {name: each for name, each in tensors.items() if name not in hidden}


def in_strings(tensors: Tensors) -> Tensors:
    """The same arrays with texts in place of each pair of bytes and lengths."""
    texts = {
        stem: _decoded(tensors[stem + BYTES], tensors[stem + LENGTHS]) for stem in texts_in(tensors)
    }
    hidden = {stem + end for stem in texts for end in (BYTES, LENGTHS)}
    return {**texts, **{name: each for name, each in tensors.items() if name not in hidden}}


def call_with_strings(
    facts: Mapping[str, Facts], run: Callable[[Tensors], Tensors], inputs: Tensors
) -> Tensors:
    """Calls a signature with strings for each text that it takes in bytes.

    Args:
        facts: What the manifest says of its "inputs" and "outputs".
        run: Function that calls it.
        inputs: Arrays by name, texts as arrays of UTF-8 bytes (B,).

    Returns:
        Arrays by name, texts likewise.
    """
    given = dict(inputs)
    for name in texts_in(facts["inputs"]):
        size = facts["inputs"][name + BYTES]["shape"][1]
        given[name + BYTES], given[name + LENGTHS] = _encoded(given.pop(name), size)
    outputs = dict(run(given))
    for name in texts_in(facts["outputs"]):
        outputs[name] = _decoded(outputs.pop(name + BYTES), outputs.pop(name + LENGTHS))
    return outputs


def _decoded(rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Texts from numbers of bytes, and their lengths."""
    texts = [bytes(row[:n].astype(np.uint8)) for row, n in zip(rows, lengths, strict=True)]
    return np.array(texts, object)


def _encoded(texts: np.ndarray, size: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Texts as numbers of bytes, and their lengths; what is beyond a fixed size is cut."""
    size = size or max([1, *map(len, texts)])
    rows = np.zeros((len(texts), size), np.int32)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = np.frombuffer(text, np.uint8)[:size]
    return rows, np.array([len(text) for text in texts], np.int32)
