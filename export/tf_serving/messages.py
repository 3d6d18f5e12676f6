"""Requests to TensorFlow Serving, as its protos and as JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import tensorflow as tf

from export.worker.axes import BATCH
from export.worker.probes import ENCODED, Tensors


def predict_request(model: str, signature: str, inputs: Tensors) -> Any:
    """The `PredictRequest` of gRPC that calls a signature.

    Args:
        model: The name of the model.
        signature: The name of the signature.
        inputs: Its inputs.
    """
    from tensorflow_serving.apis.predict_pb2 import PredictRequest

    request = PredictRequest()
    request.model_spec.name, request.model_spec.signature_name = model, signature
    for name, array in inputs.items():
        request.inputs[name].CopyFrom(tf.make_tensor_proto(array))
    return request


def prediction_log(request: Any, outputs: Tensors) -> Any:
    """The `PredictionLog` of a request, with what it is answered as far as that is known."""
    from tensorflow_serving.apis.prediction_log_pb2 import PredictionLog

    log = PredictionLog()
    log.predict_log.request.CopyFrom(request)
    for name, array in outputs.items():
        log.predict_log.response.outputs[name].CopyFrom(tf.make_tensor_proto(array))
    return log


def rest_request(signature: str, facts: Mapping[str, Any], inputs: Tensors) -> dict[str, Any]:
    """The JSON of a request to `:predict`: rows, or whole columns if an input has no rows.

    Args:
        signature: The name of the signature.
        facts: What the manifest says of it.
        inputs: Its inputs.

    Example:
        >>> facts = {"inputs": {"text": {"axes": ("batch",), "shape": [None]}}}
        >>> rest_request("serving_default", facts, {"text": np.array([b"a", b"b"])})
        {'signature_name': 'serving_default', 'instances': ['a', 'b']}
    """
    columns = {name: _json(array.tolist(), name) for name, array in inputs.items()}
    body: dict[str, Any] = {"signature_name": signature}
    if not has_rows(facts):
        return {**body, "inputs": columns}
    if len(columns) == 1:
        return {**body, "instances": next(iter(columns.values()))}
    rows = zip(*columns.values(), strict=True)
    return {**body, "instances": [dict(zip(columns, row, strict=True)) for row in rows]}


def _json(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_json(each, name) for each in value]
    if not isinstance(value, bytes):
        return value
    if not name.endswith(ENCODED):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return {"b64": base64.b64encode(value).decode()}


def has_rows(facts: Mapping[str, Any]) -> bool:
    """Whether all inputs of a signature have an axis "batch" of any size, which is the first."""
    return all(
        (tensor["axes"] or [None])[0] == BATCH and tensor["shape"][0] is None
        for tensor in facts["inputs"].values()
    )


def rows_of(inputs: Tensors) -> int:
    """The number of rows of inputs that have rows."""
    return len(next(iter(inputs.values())))


def is_plain(inputs: Tensors) -> bool:
    """Whether there is something in every input, and every number is one that JSON has."""
    return all(
        array.size > 0 and (array.dtype.kind != "f" or bool(np.isfinite(array).all()))
        for array in inputs.values()
    )
