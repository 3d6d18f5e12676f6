"""`python -m tests.faults.footprints ARTIFACT` measures what allowed requests take of memory.

It serves an artifact, and sends each signature requests that are made to take much: one long row
and many short ones. A line of JSON is printed: for each signature and kind of request its bytes,
the status of the answer, and by how many MB the peak of the memory grew.
"""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from export.serving import open_artifact
from tests.zoo.server.serving import serving
from zoo.server.limits import RequestLimits
from zoo.server.servable import Servable, ServedSignature, Tensor, served

TOO_LONG = "a row of too many ids"
SHORT = 255  # rows beside the long one
LONG_TEXT, LONG_NUMBERS, IMAGE, NODES = 65_536, 1_000_000, 1_000, 100_000


def png(height: int, width: int) -> dict[str, str]:
    """An image of noise, which cannot be compressed."""
    import tensorflow as tf

    pixels = np.random.default_rng(3).integers(0, 256, (height, width, 3))
    content = tf.io.encode_png(pixels.astype("uint8")).numpy()
    return {"b64": base64.b64encode(content).decode()}


def row(name: str, tensor: Tensor, long: bool, ids: int) -> Any:
    """A row of an input, as long as it may be, or as short.

    Args:
        name: The name of the input.
        tensor: The input.
        long: Whether it is as long as it may be.
        ids: The largest number of token ids of a row.
    """
    if name == "image_bytes":
        return png(IMAGE, IMAGE) if long else png(2, 2)
    if tensor.dtype == "string":
        return "ab " * (LONG_TEXT // 3) if long else "ab"
    whole = tensor.dtype.startswith("int")
    most = ids if tensor.is_ids else RequestLimits().length if whole else LONG_NUMBERS
    size = most if long else 1
    shape = [each if isinstance(each, int) else size for each in tensor.axes[1:]]
    return np.ones(shape, int if whole else float).tolist()


def whole(tensor: Tensor) -> Any:
    """An input without rows, such as the nodes or the edges of a graph."""
    size = RequestLimits().length if tensor.dtype.startswith("int") else NODES
    shape = [each if isinstance(each, int) else size for each in tensor.axes]
    return np.ones(shape, "int32" if tensor.dtype.startswith("int") else "float32").tolist()


def requests(signature: ServedSignature, ids: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requests of one long row and of many short ones, or of a large graph."""
    takes = signature.inputs.items()
    if not signature.has_rows:
        yield "a large graph", {"inputs": {name: whole(tensor) for name, tensor in takes}}
        return
    rows = [
        {name: row(name, tensor, long, ids) for name, tensor in takes} for long in (True, False)
    ]
    yield "long and short rows", {"instances": [rows[0], *[rows[1]] * SHORT]}
    if all(tensor.dtype == "string" for tensor in signature.inputs.values()):
        columns = {name: [rows[0][name], *[rows[1][name]] * SHORT] for name, _ in takes}
        yield "long and short rows in columns", {"inputs": columns}
    yield "a long row", {"instances": [rows[0]]}
    if any(tensor.is_ids for tensor in signature.inputs.values()):
        longer = {name: row(name, tensor, True, ids + 1) for name, tensor in takes}
        yield TOO_LONG, {"instances": [longer]}


def peak() -> float:
    """The greatest memory of this process in MB, since it was asked before."""
    lines = Path("/proc/self/status").read_text().splitlines()
    actual = next(line for line in lines if line.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return int(actual.split()[1]) / 1e3


def main(path: Path) -> None:
    """Serves an artifact, and prints what requests took."""
    signatures = served(open_artifact(path))
    actual, limits = [], RequestLimits(seconds=600)
    ids = limits.ids_of(None)  # more than the length that these models were trained for
    with serving(Servable("served", signatures), limits, max_batch=32) as client:
        for name, signature in signatures.items():
            if signature.fixed_rows:
                continue
            for kind, body in requests(signature, ids):
                content = json.dumps({"signature_name": name, **body}).encode()
                small = {key: row(key, x, False, ids) for key, x in signature.inputs.items()}
                if signature.has_rows:
                    first = {"signature_name": name, "instances": [small]}
                    client.ask("/v1/models/served:predict", first)
                peak()
                before = peak()
                status, _ = client.ask("/v1/models/served:predict", content)
                grown = round(peak() - before, 1)
                actual.append([name, kind, len(content), status, grown])
    print(json.dumps(actual))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
