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
from zoo.server.limits import Limits
from zoo.server.servable import Servable, ServedSignature, Tensor, served

SHORT = 255  # rows beside the long one
LONG_TEXT, LONG_IDS, LONG_NUMBERS, IMAGE = 65_536, 8_192, 1_000_000, 1_000


def png(height: int, width: int) -> dict[str, str]:
    """An image of noise, which cannot be compressed."""
    import tensorflow as tf

    pixels = np.random.default_rng(3).integers(0, 256, (height, width, 3))
    content = tf.io.encode_png(pixels.astype("uint8")).numpy()
    return {"b64": base64.b64encode(content).decode()}


def row(name: str, tensor: Tensor, long: bool) -> Any:
    """A row of an input, as long as it may be, or as short."""
    if name == "image_bytes":
        return png(IMAGE, IMAGE) if long else png(2, 2)
    if tensor.dtype == "string":
        return "ab " * (LONG_TEXT // 3) if long else "ab"
    whole = tensor.dtype.startswith("int")
    size = (LONG_IDS if whole else LONG_NUMBERS) if long else 1
    shape = [each if isinstance(each, int) else size for each in tensor.axes[1:]]
    return np.ones(shape, int if whole else float).tolist()


def requests(signature: ServedSignature) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requests of one long row and of many short ones."""
    takes = signature.inputs.items()
    rows = [{name: row(name, tensor, long) for name, tensor in takes} for long in (True, False)]
    yield "long and short rows", {"instances": [rows[0], *[rows[1]] * SHORT]}
    if all(tensor.dtype == "string" for tensor in signature.inputs.values()):
        columns = {name: [rows[0][name], *[rows[1][name]] * SHORT] for name, _ in takes}
        yield "long and short rows in columns", {"inputs": columns}
    yield "a long row", {"instances": [rows[0]]}


def peak() -> float:
    """The greatest memory of this process in MB, since it was asked before."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = next(line for line in lines if line.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return int(found.split()[1]) / 1e3


def main(path: Path) -> None:
    """Serves an artifact, and prints what requests took."""
    signatures = served(open_artifact(path))
    found = []
    with serving(Servable("served", signatures), Limits(seconds=600), max_batch=32) as client:
        for name, signature in signatures.items():
            if not signature.has_rows or signature.fixed_rows:
                continue
            for kind, body in requests(signature):
                content = json.dumps({"signature_name": name, **body}).encode()
                small = {key: row(key, x, long=False) for key, x in signature.inputs.items()}
                client.ask(
                    "/v1/models/served:predict", {"signature_name": name, "instances": [small]}
                )
                peak()
                before = peak()
                status, _ = client.ask("/v1/models/served:predict", content)
                grown = round(peak() - before, 1)
                found.append([name, kind, len(content), status, grown])
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
