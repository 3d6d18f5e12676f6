"""Every layer gives on PyTorch what it gives on TensorFlow, where PyTorch is installed."""

import importlib.util

import keras
import numpy as np
import pytest

from tests.contract import harness
from tests.contract.cases import CASES
from tests.contract.subprocesses import result, run_once

pytestmark = [
    pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="compares with TensorFlow"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch"),
]


@pytest.mark.parametrize("name", CASES)
def test_outputs(name, shared_folder):
    case, folder = CASES[name], shared_folder / "torch"
    run_once(folder, "tests.contract.compute", "torch", list(CASES))
    with np.load(result(folder, name) / "outputs.npz") as theirs:
        for variant, made in harness.variants(case).items():
            ours = harness.run(case, made.layer, harness.example(case))
            expected = {output: theirs[f"{variant}/{output}"] for output in ours}
            harness.close(ours, expected, 1e-5, f"{name} {variant} on PyTorch")
