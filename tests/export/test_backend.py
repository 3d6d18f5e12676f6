"""Models of the JAX backend: they are told how they can be exported, and that works."""

import os
import subprocess
import sys
from pathlib import Path

import keras
import pytest

import export

ROOT = Path(__file__).parents[2]
ON_JAX = """
import sys
import keras
import export
from keras_attn import LSTM

ids = keras.Input((None,), dtype="int32")
x = LSTM(5)(keras.layers.Embedding(11, 3)(ids))
model = keras.Model(ids, keras.layers.Dense(2)(x))
for write, path in ((export.saved_model, "served"), (export.litert, "model.tflite")):
    try:
        write(model, path)
    except ValueError as error:
        print(error)
model.save("model.keras")
"""


@pytest.mark.long
def test_a_model_on_jax_is_saved_and_exported_on_tensorflow(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ON_JAX],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for line in done.stdout.splitlines():
        assert "this process runs 'jax'" in line and ".keras file" in line and "run folder" in line
        assert "KERAS_BACKEND=tensorflow" in line
    assert done.stdout.count("\n") == 2 and os.listdir(tmp_path) == ["model.keras"]

    model = keras.models.load_model(tmp_path / "model.keras")
    assert export.litert(model, tmp_path / "model.tflite").passed
