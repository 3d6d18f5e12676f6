"""Arrays as JSON, in TensorFlow Serving's formats."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoo.server.requests import BASE64
from zoo.server.servable import Arrays, Servable, Tensor


def predictions(calls: Sequence[Arrays]) -> list[Any]:
    """The `predictions` of the row format; a single output has no name."""
    return [
        _unnamed({name: _value(name, array[row]) for name, array in outputs.items()})
        for outputs in calls
        for row in range(len(next(iter(outputs.values()))))
    ]


def columns(outputs: Arrays) -> Any:
    """The `outputs` of the column format; a single output has no name."""
    return _unnamed({name: _value(name, array) for name, array in outputs.items()})


def _unnamed(named: dict[str, Any]) -> Any:
    return next(iter(named.values())) if len(named) == 1 else named


def _value(name: str, array: Any) -> Any:
    if isinstance(array, bytes | str):
        return _text(name, array)
    array = np.asarray(array)
    if array.dtype.kind in "OSU":
        return _texts(name, array.tolist())
    if array.dtype.kind == "f" and not np.isfinite(array).all():  # JSON has no NaN
        holes = array.astype(object)
        holes[~np.isfinite(array)] = None
        return holes.tolist()
    return array.tolist()


def _texts(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(name, each) for each in value]
    return _text(name, value)


def _text(name: str, value: bytes | str) -> Any:
    encoded = value.encode() if isinstance(value, str) else value
    if name.endswith("_bytes"):
        return {BASE64: base64.b64encode(encoded).decode()}
    return encoded.decode(errors="replace")


def status(servable: Servable) -> dict[str, Any]:
    """The answer to `GET /v1/models/NAME`."""
    fine = {"error_code": "OK", "error_message": ""}
    version = {"version": servable.version, "state": "AVAILABLE", "status": fine}
    return {"model_version_status": [version]}


def metadata(servable: Servable) -> dict[str, Any]:
    """The answer to `GET /v1/models/NAME/metadata`, with the description of the task."""
    definitions = {
        name: {
            "inputs": {key: _tensor(key, each) for key, each in signature.inputs.items()},
            "outputs": {key: _tensor(key, each) for key, each in signature.outputs.items()},
            "method_name": "tensorflow/serving/predict",
            "defaults": {},
        }
        for name, signature in servable.signatures.items()
    }
    spec = {"name": servable.name, "signature_name": "", "version": servable.version}
    config = {name: value for name, value in servable.config.items() if name != "data"}
    return {
        "model_spec": spec,
        "metadata": {"signature_def": {"signature_def": definitions}, "config": config},
    }


def _tensor(name: str, tensor: Tensor) -> dict[str, Any]:
    sizes = [str(-1 if size is None else size) for size in tensor.sizes]
    dims = [{"size": size, "name": ""} for size in sizes]
    kind = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(tensor.dtype)
    return {
        "dtype": f"DT_{kind or tensor.dtype.upper()}",
        "tensor_shape": {"dim": dims, "unknown_rank": False},
        "name": name,
    }
