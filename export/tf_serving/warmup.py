"""Requests that TensorFlow Serving runs before it serves a version, and examples for clients."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from export.tf_serving.batching import SIZES
from export.tf_serving.messages import (
    has_rows,
    is_plain,
    predict_request,
    prediction_log,
    rest_request,
    rows_of,
)
from export.worker.axes import BATCH
from export.worker.probes import Probe, bytes_of

FILE = "tf_serving_warmup_requests"  # the name that TensorFlow Serving looks for
MOST = 1000  # records that it takes
EXAMPLES = "requests"


def write_requests(
    extra: Path, model: str, facts: Mapping[str, Any], probes: Mapping[str, list[Probe]]
) -> int:
    """Writes the warm-up, and for each signature a request as JSON and as a `PredictRequest`.

    Args:
        extra: The folder of files of a SavedModel that TensorFlow leaves alone.
        model: The name of the model.
        facts: What the manifest says of it: "signatures", "invariances" and "xla".
        probes: Calls of each signature with their results.

    Returns:
        The number of requests of the warm-up.

    Raises:
        ValueError: If the name of a signature cannot be that of a file, or it has no probe.
    """
    odd = next((name for name in facts["signatures"] if not re.fullmatch(r"[\w.-]+", name)), None)
    if odd:
        raise ValueError(f"serving=True: signature {odd!r} cannot be the name of a file.")
    examples = extra / EXAMPLES
    examples.mkdir()
    most, count = MOST // len(facts["signatures"]), 0
    with tf.io.TFRecordWriter(str(extra / FILE)) as writer:
        for name, recorded in facts["signatures"].items():
            calls = [*_calls(recorded, probes[name])]
            if not calls:
                raise ValueError(f"serving=True: signature {name!r} has no probe with a row.")
            if facts["xla"] and has_rows(recorded) and BATCH in facts["invariances"][name]:
                calls += _of_each_size(calls)
            for call in calls[:most]:
                log = prediction_log(predict_request(model, name, call.inputs), call.outputs)
                writer.write(log.SerializeToString())
                count += 1
            example = min(calls, key=lambda call: (not is_plain(call.inputs), _size(call)))
            request = predict_request(model, name, example.inputs)
            (examples / f"{name}.pb").write_bytes(request.SerializeToString())
            body = json.dumps(rest_request(name, recorded, example.inputs), ensure_ascii=False)
            (examples / f"{name}.json").write_text(body + "\n", "utf-8")
    return count


def _calls(facts: Mapping[str, Any], probes: list[Probe]) -> Iterator[Probe]:
    """The probes, with as many rows as TensorFlow Serving takes with batching, too: a request that
    fails in the warm-up keeps the version from being served."""
    for probe in probes:
        rows = rows_of(probe.inputs) if has_rows(facts) else 1
        if rows > SIZES[-1]:
            yield Probe({name: array[: SIZES[-1]] for name, array in probe.inputs.items()}, {})
        elif rows:
            yield probe


def _of_each_size(calls: list[Probe]) -> list[Probe]:
    """A call for each number of rows, as XLA compiles for each."""
    inputs = calls[0].inputs
    rows = [np.arange(size) % rows_of(inputs) for size in SIZES]
    return [Probe({name: array[each] for name, array in inputs.items()}, {}) for each in rows]


def _size(call: Probe) -> int:
    return sum(map(bytes_of, call.inputs.values()))
