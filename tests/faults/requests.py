"""`python -m tests.faults.requests ARTIFACT` serves an artifact, and calls it as `callers` does."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from export.serving import open_artifact
from export.worker.probes import Tensors
from tests.faults.callers import Failed, attack
from tests.zoo.server.serving import Client, serving
from zoo.server.limits import RequestLimits
from zoo.server.responses import columns
from zoo.server.servable import Servable, served

NEAR = 1e-4  # rows that are computed with those of other requests are rounded in other ways


def ask(client: Client, signature: str, inputs: Tensors) -> dict[str, Any]:
    """The outputs of a request, named as in the request if there are several."""
    given = {name: columns({name: array}) for name, array in inputs.items()}
    body = {"signature_name": signature, "inputs": given}
    status, answer = client.ask("/v1/models/served:predict", body)
    if status >= 500:
        raise Failed(answer)
    if status != 200:
        raise ValueError(answer)
    actual = answer["outputs"]
    return actual if isinstance(actual, dict) else {"": actual}


def same(actual: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether two answers are equal, apart from rounding."""
    return actual.keys() == expected.keys() and all(
        near(np.asarray(each), np.asarray(expected[name])) for name, each in actual.items()
    )


def near(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype.kind == other.dtype.kind == "f":
        return one.shape == other.shape and np.allclose(one, other, NEAR, NEAR)
    return np.array_equal(one, other)


def main(path: Path) -> None:
    """Serves an artifact, and prints what came of the requests."""
    servable = Servable("served", served(open_artifact(path)))
    with serving(servable, RequestLimits(seconds=600)) as client:
        attack(path, lambda: lambda *call: ask(client, *call), same)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
