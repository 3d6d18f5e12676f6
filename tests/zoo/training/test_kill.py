import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.zoo.training.small_run import STEPS, build_model, run

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[3]


def test_a_killed_run_resumes_to_the_numbers_of_an_uninterrupted_one(tmp_path):
    """SIGKILL in the fifth batch of epoch 3, in another process; XLA, dropout, Adam, average."""
    killed = subprocess.run(
        [sys.executable, "-m", "tests.zoo.training.small_run", tmp_path, str(2 * STEPS + 4)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert state["epoch"] == 2

    settings = {"average": 2, "jit_compile": True}
    resumed, whole = build_model(), build_model()
    history = run(resumed, folder=tmp_path, resume=True, **settings)
    expected = run(whole, **settings)
    assert history.epoch == [1, 2, 3, 4]
    assert history.averaged == expected.averaged
    for name in ("loss", "val_loss", "val_accuracy", "learning_rate"):
        np.testing.assert_allclose(
            history.history[name], expected.history[name], rtol=1e-6, err_msg=name
        )
    for now, then in zip(resumed.weights, whole.weights, strict=True):
        np.testing.assert_allclose(now.numpy(), then.numpy(), rtol=0, atol=1e-7)
