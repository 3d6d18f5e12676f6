"""The comparison of the forms of text of a task: strings, bytes, and those of MediaPipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from export.mediapipe_protocol import MediaPipeTask
from export.protocol import Calls
from export.report import Check
from export.signatures import LiveSignature
from export.task import task_probes
from export.texts import BYTES, LENGTHS
from export.worker.probes import Tensors


def compare_text_forms(
    strings: Sequence[LiveSignature], in_bytes: Sequence[LiveSignature], calls: Calls
) -> Iterator[Check]:
    """Compares what a task reads from, and writes as, bytes and strings.

    Both forms of each probe must have the same features, and what the model computes from these the
    same text.

    Args:
        strings: The signatures with texts as strings.
        in_bytes: Those with texts in bytes.
        calls: The probes.
    """
    texts, encoded = task_probes(calls, strings), task_probes(calls, in_bytes)
    named = {each.name: each for each in strings}
    for other in in_bytes:
        one = named[other.name]
        if one.parts.preprocess is None or set(one.inputs) == set(other.inputs):
            continue
        pairs = zip(texts[one.name], encoded[other.name], strict=True)
        differences = [_compare(one, other, *pair) for pair in pairs]
        wrong = next((each for each in differences if each), "")
        yield Check(
            f"{other.name}: bytes and strings agree",
            not wrong,
            wrong or f"probes: {len(differences)}",
        )


def compare_with_mediapipe(task: MediaPipeTask) -> Check:
    """Whether MediaPipe and the task read the inputs of all probes alike."""
    misread = task.misread()
    detail = f"not {misread[0]!r:.60}" if misread else ""
    return Check("MediaPipe reads the task's inputs", not misread, detail)


def _compare(
    strings: LiveSignature, in_bytes: LiveSignature, texts: Tensors, encoded: Tensors
) -> str:
    """What differs; nothing if the forms agree."""
    read_strings: Any = strings.parts.preprocess
    read_bytes: Any = in_bytes.parts.preprocess
    one, other = read_strings(**texts), read_bytes(**encoded)
    for name in strings.features:
        if not np.array_equal(np.asarray(one[name]), np.asarray(other[name])):
            return f"'{name}' differs"
    outputs = in_bytes.parts.infer(**{name: other[name] for name in in_bytes.features})
    if strings.parts.postprocess is None or in_bytes.parts.postprocess is None:
        return ""
    expected = strings.parts.postprocess(dict(outputs), one)
    results = in_bytes.parts.postprocess(dict(outputs), other)
    for name, text in expected.items():
        if name + BYTES in results:
            rows, lengths = (np.asarray(results[name + end]) for end in (BYTES, LENGTHS))
            written = [
                bytes(row[:length].tolist()).decode(errors="replace").encode()
                for row, length in zip(rows, lengths, strict=True)
            ]
            if written != np.asarray(text).tolist():
                return f"'{name}' differs"
    return ""
