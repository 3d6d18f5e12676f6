"""How far a quantized file may stray."""

from types import SimpleNamespace

import numpy as np
import pytest

from export.tolerances import get_tolerance
from export.worker.probes import Probe
from export.worker.signature_checks import output_checks

RANDOM = np.random.default_rng(3)
WRITTEN = RANDOM.integers(4, 1000, (10, 7))
OTHERWISE = RANDOM.integers(4, 1000, (10, 7))


@pytest.mark.parametrize(
    ("kind", "rows", "passed"),
    [(None, 10, True), (None, 9, False), ("float16", 6, True), ("float16", 4, False)]
    + [("int8", 3, True), ("int8", 1, False), ("int8", 0, False)],
)
def test_enough_tokens_are_those_of_the_model(kind, rows, passed):
    """Some rows as the model writes them, and the rest at random."""
    found = np.where(np.arange(10)[:, None] < rows, WRITTEN, OTHERWISE)
    probe = Probe({"token_ids": WRITTEN}, {"token_ids": WRITTEN})
    artifact = SimpleNamespace(run=lambda name, inputs: {"token_ids": found})
    tolerance = get_tolerance(kind)._asdict()
    (line,) = output_checks("tokens", [probe], tolerance, artifact, {})
    assert line["passed"] == passed and line["agreement"] == pytest.approx(rows / 10, abs=0.02)
