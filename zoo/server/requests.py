"""Bodies of requests as arrays: TensorFlow Serving's row format and column format."""

import base64
import binascii
import gc
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoo.preprocessing.base import BATCH
from zoo.server.checks import check_length, check_sizes
from zoo.server.joining import divided
from zoo.server.limits import BeyondLimit, RequestError, RequestLimits
from zoo.server.request_tables import in_order
from zoo.server.servable import Arrays, Servable, ServedSignature, Tensor
from zoo.serving.signatures import SERVING_DEFAULT

ROWS, COLUMNS = "instances", "inputs"
BASE64 = "b64"
KNOWN = {"signature_name", ROWS, COLUMNS}


@dataclass(frozen=True)
class Call:
    """A request to a signature.

    Args:
        signature: The signature.
        calls: Arrays for each call of it: one for each row, where it gives the same outputs alone.
        by_row: Whether it is in the row format.
        unused: Names of columns that the model does not take.
    """

    signature: ServedSignature
    calls: list[Arrays]
    by_row: bool
    unused: tuple[str, ...] = ()


def parse(body: bytes) -> dict[str, Any]:
    """The JSON object of a body.

    Raises:
        RequestError: If it is none; NaN and Infinity are not JSON.
    """
    gc.disable()  # looking for cycles, which JSON has none of, would take most of the time
    try:
        content = json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        raise RequestError("JSON is nested too deeply") from None
    except ValueError as error:  # also of UTF-8, and of numbers with thousands of digits
        raise RequestError(f"JSON cannot be read: {str(error)[:200]}") from None
    finally:
        gc.enable()
    if not isinstance(content, dict):
        raise RequestError(f"the body must be a JSON object, got {_kind(content)}")
    return content


def _refuse_constant(name: str) -> None:
    raise RequestError(f"JSON has no {name}; write null for a missing number of a series")


def call_of(servable: Servable, request: Mapping[str, Any], limits: RequestLimits) -> Call:
    """The call that a request to `:predict` asks for.

    Raises:
        RequestError: If the request does not fit the signature, or is above a limit.
    """
    if unknown := request.keys() - KNOWN:
        raise RequestError(f"unknown key {_short(min(unknown))}; a request has {sorted(KNOWN)}")
    name = request.get("signature_name", SERVING_DEFAULT)
    if not isinstance(name, str) or name not in servable.signatures:
        raise RequestError(
            f"Serving signature name: {_short(name)} not found in signature def; "
            f"choose from {', '.join(servable.signatures)}"
        )
    signature = servable.signatures[name]
    limits = replace(limits, ids=limits.ids_of(servable.max_length))
    if (ROWS in request) == (COLUMNS in request):
        raise RequestError(f"a request has either {ROWS!r} or {COLUMNS!r}")
    unused: dict[str, None] = {}
    if COLUMNS in request:
        whole = _columns(signature, request[COLUMNS], limits, unused)
        rows = len(next(iter(whole.values()))) if signature.has_rows else 1
        calls = [whole]
    else:
        instances = request[ROWS]
        if not signature.has_rows:
            raise RequestError(f"the inputs of {name} have no rows: use {COLUMNS!r}")
        if not isinstance(instances, list) or not instances:
            raise RequestError(f"{ROWS!r} must be a list of at least one row")
        rows = len(instances)
        if rows <= limits.rows:
            calls = [_row(signature, each, n, limits, unused) for n, each in enumerate(instances)]
    if rows > limits.rows:
        raise BeyondLimit(f"{rows} rows; a request may have {limits.rows}")
    if signature.fixed_rows and rows > signature.fixed_rows and COLUMNS in request:
        raise RequestError(f"{rows} rows; this model takes {signature.fixed_rows} in a column")
    for arrays in calls:
        check_sizes(signature, arrays, limits)
    if COLUMNS in request:
        calls = divided(signature, whole)
    return Call(signature, calls, ROWS in request, tuple(unused))


def _columns(
    signature: ServedSignature, value: Any, limits: RequestLimits, unused: dict[str, None]
) -> Arrays:
    named, arrays = _named(signature, value, COLUMNS), {}
    for name, tensor in signature.inputs.items():
        where, given = f"input {name!r}", named[name]
        if tensor.columns and len(tensor.axes) == 2:  # the nodes of a graph
            given = in_order(given, tensor.columns, unused, where)
        elif tensor.columns and isinstance(given, list):
            given = [in_order(each, tensor.columns, unused, where) for each in given]
        arrays[name] = array_of(tensor, given, limits, where)
    return arrays


def _row(
    signature: ServedSignature,
    value: Any,
    index: int,
    limits: RequestLimits,
    unused: dict[str, None],
) -> Arrays:
    named, arrays = _named(signature, value, f"instance {index}"), {}
    for name, tensor in signature.inputs.items():
        where, given = f"input {name!r} of instance {index}", named[name]
        if tensor.columns:
            given = in_order(given, tensor.columns, unused, where)
        arrays[name] = array_of(tensor, [given], limits, where)
    return arrays


def _named(signature: ServedSignature, value: Any, where: str) -> Mapping[str, Any]:
    """The values by name; a single input needs no name."""
    inputs = signature.inputs
    if not isinstance(value, dict) or (len(inputs) == 1 and set(value) == {BASE64}):
        if len(inputs) > 1:
            raise RequestError(f"{where}: expected an object with {', '.join(inputs)}")
        return {next(iter(inputs)): value}
    if len(inputs) == 1 and set(value) != set(inputs):
        (only,) = inputs
        if inputs[only].columns:  # the columns of a series
            return {only: value}
    if set(value) != set(inputs):
        got = ", ".join(_short(name) for name in sorted(value)[:8]) or "nothing"
        raise RequestError(f"{where}: expected {', '.join(inputs)}, got {got}")
    return value


def array_of(tensor: Tensor, value: Any, limits: RequestLimits, where: str) -> np.ndarray:
    """A JSON value as an array of the dtype and the rank of an input.

    Raises:
        RequestError: If it is another, or too large; the message begins with `where`.
    """
    flat, shape = _flattened(value, tensor, limits, where)
    if tensor.dtype == "string":
        array = np.empty(len(flat), object)
        array[:] = [text_of(each, where) for each in flat]
    elif tensor.dtype == "bool":
        if any(not isinstance(each, bool) for each in flat):
            raise RequestError(f"{where} must be true or false")
        array = np.array(flat, bool)
    else:
        array = _numbers(tensor, flat, where)
    return array.reshape(shape)


def _flattened(
    value: Any, tensor: Tensor, limits: RequestLimits, where: str
) -> tuple[list[Any], tuple[int, ...]]:
    """The values of nested lists in order, and their shape."""
    flat, shape, rank = [value], [], len(tensor.axes)
    for axis, name in enumerate(tensor.axes):
        if not all(isinstance(each, list) for each in flat):
            raise RequestError(f"{where} must have rank {rank}, got rank {axis}")
        lengths = {len(each) for each in flat}
        if len(lengths) > 1:
            raise RequestError(f"{where}: the lists of axis {axis} must have the same length")
        size = lengths.pop() if lengths else 0
        if name == BATCH and size > limits.rows:
            raise BeyondLimit(f"{size} rows; a request may have {limits.rows}")
        if name != BATCH and tensor.dtype.startswith("int"):
            check_length(tensor, size, limits, where)
        shape.append(size)
        flat = [each for part in flat for each in part]
    if any(isinstance(each, list) for each in flat):
        raise RequestError(f"{where} must have rank {rank}, got more")
    return flat, tuple(shape)


def text_of(value: Any, where: str) -> bytes:
    """The bytes of a text, or of `{"b64": ...}`.

    Raises:
        RequestError: If it is neither; the message begins with `where`.
    """
    if isinstance(value, str):
        return value.encode(errors="replace")  # halves of surrogate pairs
    if isinstance(value, dict) and set(value) == {BASE64} and isinstance(value[BASE64], str):
        try:
            lines = value[BASE64].split()  # as base64 and MIME write it
            return base64.b64decode("".join(lines), validate=True)
        except (binascii.Error, ValueError):
            raise RequestError(f"{where} is not base64") from None
    raise RequestError(f"{where} must be a string or {{'b64': ...}}, got {_kind(value)}")


def _numbers(tensor: Tensor, flat: list[Any], where: str) -> np.ndarray:
    real = tensor.dtype.startswith("float")
    allowed: set[type] = {int, float} if real else {int}
    if real and "NaN" in tensor.meaning:
        allowed.add(type(None))
    if not {*map(type, flat)} <= allowed:
        wrong = next(each for each in flat if type(each) not in allowed)
        what = "numbers" if real else "integers"
        raise RequestError(f"{where} must be {what}, got {_kind(wrong)}")
    numbers = [each for each in flat if each is not None]
    limit: Any = np.finfo(tensor.dtype) if real else np.iinfo(tensor.dtype)
    # Numbers of Python, which may be compared with integers that no float can hold.
    least, most = (limit.min.item(), limit.max.item()) if real else (limit.min, limit.max)
    if numbers and (max(numbers) > most or min(numbers) < least):
        raise RequestError(f"{where} has a number beyond {tensor.dtype}")
    if len(numbers) < len(flat):
        flat = [float("nan") if each is None else each for each in flat]
    return np.array(flat, tensor.dtype)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return names.get(type(value), "null" if value is None else "a number")


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, default=str)[:80]
