"""Operations counted from graphs, beside counts by hand and by XLA."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# In a process of its own, since the module chooses Keras's backend.
COUNTED = """
import jax, numpy as np
from jax import lax, numpy as jnp
from benchmarks.training_flops import Operations, of_translator, operations, training_operations
from zoo.models.create import create_model

def of(function, *arguments):
    return operations(jax.make_jaxpr(function)(*arguments))

def of_xla(function, *arguments):
    return jax.jit(function).lower(*arguments).compile().cost_analysis()["flops"]

a, b = np.ones((2, 3, 5), "float32"), np.ones((2, 5, 7), "float32")
assert of(jnp.matmul, a, b) == Operations(2 * 2 * 3 * 5 * 7, 0)
assert of(jnp.matmul, a, b).total == of_xla(jnp.matmul, a, b)
x, kernel = np.ones((1, 11, 3), "float32"), np.ones((4, 3, 5), "float32")
def convolve(x, kernel):
    axes = ("NWC", "WIO", "NWC")
    return lax.conv_general_dilated(x, kernel, (1,), "VALID", dimension_numbers=axes)
assert of(convolve, x, kernel) == Operations(2 * 8 * 5 * 4 * 3, 0)
assert of(lambda x: jnp.tanh(x).sum(), np.ones(13)) == Operations(0, 26)
w = np.ones((5, 5), "float32")
def repeated(x):
    return lax.scan(lambda c, _: (jnp.tanh(c @ w), None), x, None, length=7)[0]
assert of(repeated, np.ones((3, 5), "float32")) == Operations(7 * 2 * 3 * 5 * 5, 7 * 3 * 5)
assert of_xla(repeated, np.ones((3, 5), "float32")) < 7 * 2 * 3 * 5 * 5 / 2  # one step only
def branch(x):
    return lax.cond(x[0, 0] > 0, lambda x: x @ w @ w, lambda x: x @ w, x)
assert of(branch, np.ones((3, 5), "float32")).products == 2 * 2 * 3 * 5 * 5

# A Transformer: each product forward, and one for each of its factors backward.
B, S, T, V, D, F, H, N = 3, 5, 7, 23, 8, 13, 2, 2
model = create_model("transformer", source_vocabulary_size=V, target_vocabulary_size=V,
                     num_layers=N, hidden_dim=D, num_heads=H, intermediate_dim=F, dropout=0.0)
rng = np.random.default_rng(3)
ids = {"source": rng.integers(4, V, (B, S), "int32"), "target": rng.integers(4, V, (B, T), "int32")}
inputs = {f"{k}_ids": x for k, x in ids.items()} | {f"{k}_mask": x > 0 for k, x in ids.items()}
def attention(queries, keys):
    return 2 * D * D * queries + 2 * D * D * keys + 2 * queries * keys * D
encoder = attention(S, S) + 2 * D * F * S
decoder = attention(T, T) + attention(T, S) + 2 * D * F * T
forward = 2 * B * (N * (encoder + decoder) + T * D * V)
assert training_operations(model, inputs, ids["target"]).products == 3 * forward

one, two = (of_translator("rnn_seq2seq", 2, 7, n, 31)[1].products for n in (5, 10))
three = of_translator("rnn_seq2seq", 2, 7, 15, 31)[1].products
assert three - two == two - one > 0  # every step of the decoder counts alike
print("all is as counted by hand")
"""


@pytest.mark.thorough
def test_counts_are_those_by_hand():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("KERAS_BACKEND", None)
    ran = subprocess.run(
        [sys.executable, "-c", COUNTED], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0 and "as counted by hand" in ran.stdout, ran.stderr[-3000:]
