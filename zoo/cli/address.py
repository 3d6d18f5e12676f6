"""A model that a server has, by TensorFlow Serving's REST API."""

import base64
import http.client
import json
import math
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.serving.called import Facts

if TYPE_CHECKING:
    import numpy as np

TOO_LARGE = 413  # the HTTP status
BASE64 = "b64"  # the key of bytes that are no text
SECONDS = 60.0  # for an answer
ROWS, NUMBERS = 256, 1 << 18  # most rows, and about the most numbers, of a request
LARGEST = 1 << 28  # bytes of an answer
ADDRESS = re.compile(r"(https?):/+([^/]+)/v1/models/([^/:]+)(?:/metadata|:predict)?/?")
DTYPES = {"DT_FLOAT": "float32", "DT_DOUBLE": "float64", "DT_HALF": "float16"}


class BeyondLimit(UserError):
    """A call that a server refuses, because it is beyond a limit that it has."""


class AddressedModel:
    """A model that `keras-attn serve` or TensorFlow Serving has; a `CalledModel`.

    Args:
        address: Its address, such as http://localhost:8501/v1/models/reviews.
        seconds: Seconds to wait for an answer.

    Raises:
        UserError: If it is none, or there is no answer.
    """

    takes_requests = True

    def __init__(self, address: str, seconds: float = SECONDS) -> None:
        match = ADDRESS.fullmatch(address)
        if match is None:
            raise UserError(
                f"{address} is no address of a model: give one such as "
                "http://localhost:8501/v1/models/NAME, which `keras-attn serve` prints"
            )
        scheme, host, name = match.groups()
        self.name = f"{scheme}://{host}/v1/models/{name}"
        self._seconds = seconds
        content = self._answer("/metadata").get("metadata", {})
        try:
            definitions = content["signature_def"]["signature_def"]
            self.signatures: Mapping[str, Mapping[str, Facts]] = {
                key: {side: _facts(each[side]) for side in ("inputs", "outputs")}
                for key, each in definitions.items()
            }
        except (KeyError, TypeError, AttributeError):
            raise UserError(f"{self.name} does not describe its signatures") from None
        config = content.get("config", {})
        self.config: Mapping[str, Any] = config if isinstance(config, dict) else {}

    @cached_property
    def beside(self) -> Mapping[str, str]:
        """The files that lie beside it, such as its tokenizer; TensorFlow Serving has none."""
        try:
            files = self._answer("/files").get("files")
        except UserError:  # of a server without this path
            return {}
        known = files.items() if isinstance(files, dict) else ()
        return {name: text for name, text in known if isinstance(text, str)}

    def run(self, signature: str, inputs: Mapping[str, Any]) -> "dict[str, np.ndarray]":
        """Calls a signature; see `CalledModel`."""
        import numpy as np

        if signature not in self.signatures:
            raise UserError(f"{self.name} has no signature {signature}")
        facts = self.signatures[signature]
        arrays = {key: np.asarray(x) for key, x in inputs.items()}
        parts = []
        for part in _parts(arrays, facts["inputs"]):
            named = {key: _plain(x) for key, x in part.items()}
            body = {"signature_name": signature, "inputs": named}
            outputs = self._answer(":predict", body).get("outputs")
            if len(facts["outputs"]) == 1:  # a single output has no name
                outputs = {next(iter(facts["outputs"])): outputs}
            parts.append(self._arrays(outputs, facts["outputs"]))
        return {key: _joined([x[key] for x in parts]) for key in facts["outputs"]}

    def refuses(self, signature: str, inputs: Mapping[str, Any]) -> str:
        """Why a call is beyond a limit of the server; empty if it is answered.

        A server need not take inputs without numbers, such as a graph without edges.

        Raises:
            UserError: If it is refused for another reason, or not answered.
        """
        import numpy as np

        try:
            self.run(signature, inputs)
        except BeyondLimit as error:
            return str(error)
        except UserError as error:
            if all(np.size(each) for each in inputs.values()):
                raise
            return str(error)
        return ""

    def _arrays(self, outputs: Any, facts: Facts) -> "dict[str, np.ndarray]":
        try:
            return {key: _array(outputs[key], each) for key, each in facts.items()}
        except (KeyError, TypeError, ValueError):
            raise UserError(f"{self.name} answered without the outputs of its metadata") from None

    def _answer(self, path: str, body: Any = None) -> dict[str, Any]:
        """The JSON object that the server answers.

        Raises:
            UserError: If it answers with an error, something else, or not in time.
        """
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.name + path, content, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as response:
                answer = json.loads(response.read(LARGEST))
        except urllib.error.HTTPError as error:
            kind = BeyondLimit if error.code == TOO_LARGE else UserError
            raise kind(f"{self.name} answered {error.code}: {_reason(error)}") from None
        except TimeoutError:
            raise UserError(f"{self.name} did not answer in {self._seconds:g} seconds") from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            if isinstance(error, urllib.error.URLError) and isinstance(error.reason, TimeoutError):
                message = f"{self.name} did not answer in {self._seconds:g} seconds"
                raise UserError(message) from None
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise UserError(f"{self.name} does not answer: {reason}: is it served?") from None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise UserError(f"{self.name} answered with something else than a JSON object")
        return answer


def _reason(error: urllib.error.HTTPError) -> str:
    """The message of an error, as TensorFlow Serving writes it."""
    try:
        return str(json.loads(error.read(LARGEST))["error"])[:1000]
    except (ValueError, KeyError, TypeError, OSError):
        return str(error.reason)


def _facts(tensors: Mapping[str, Any]) -> Facts:
    """The facts of tensors, from TensorFlow Serving's metadata."""
    facts = {}
    for name, each in tensors.items():
        sizes = [int(axis["size"]) for axis in each["tensor_shape"].get("dim", ())]
        kind = DTYPES.get(each["dtype"], each["dtype"].removeprefix("DT_").lower())
        facts[name] = {"dtype": kind, "shape": [None if size < 0 else size for size in sizes]}
    return facts


def _parts(
    arrays: "Mapping[str, np.ndarray]", facts: Facts
) -> "Iterator[Mapping[str, np.ndarray]]":
    """The arrays in parts that make no large request, if their first axis is that of rows."""
    sizes = {len(x) if x.ndim else -1 for x in arrays.values()}
    fixed = any(not each["shape"] or each["shape"][0] is not None for each in facts.values())
    rows = sizes.pop() if len(sizes) == 1 else 0
    if rows <= 1 or fixed:
        yield arrays
        return
    numbers = sum(math.prod(x.shape[1:]) for x in arrays.values())
    step = max(1, min(ROWS, NUMBERS // max(1, numbers)))
    for start in range(0, rows, step):
        yield {name: x[start : start + step] for name, x in arrays.items()}


def _plain(array: "np.ndarray") -> Any:
    """An array as JSON types; bytes as text, or as base64 if they are none."""
    if array.ndim > 1:
        return [_plain(x) for x in array]
    if array.dtype.kind not in "OSU":
        return _finite(array)
    return [_text(x) if isinstance(x, bytes) else str(x) for x in array]


def _text(content: bytes) -> Any:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {BASE64: base64.b64encode(content).decode()}


def _array(answer: Any, facts: Mapping[str, Any]) -> "np.ndarray":
    """An output, from lists of JSON, which do not tell the width of what has no rows."""
    import numpy as np

    is_text = facts["dtype"] == "string"
    array = np.array(_decoded(answer) if is_text else answer, object if is_text else facts["dtype"])
    if array.size == 0 and facts["shape"] and array.ndim < len(facts["shape"]):
        return array.reshape(*array.shape, *(size or 0 for size in facts["shape"][array.ndim :]))
    return array


def _decoded(answer: Any) -> Any:
    """Texts of an answer, of which some may be base64."""
    if isinstance(answer, list):
        return [_decoded(each) for each in answer]
    return base64.b64decode(answer[BASE64]) if isinstance(answer, dict) else answer


def _finite(array: "np.ndarray") -> list[Any]:
    """Numbers as JSON has them: null for those that are missing."""
    values: list[Any] = array.tolist()
    return [None if isinstance(x, float) and not math.isfinite(x) else x for x in values]


def _joined(parts: "Sequence[np.ndarray]") -> "np.ndarray":
    """The rows of several calls, filled up with zeros to the longest."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    longest = np.max([part.shape[1:] for part in parts], axis=0, initial=0)
    filled = [
        np.pad(x, [(0, 0), *((0, n - m) for n, m in zip(longest, x.shape[1:], strict=True))])
        for x in parts
    ]
    return np.concatenate(filled)
