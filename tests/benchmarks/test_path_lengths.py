"""Sequential operations and longest paths, counted from graphs of which they are known."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# In a process of its own, since the module chooses Keras's backend.
COUNTED = """
import jax, numpy as np
from jax import numpy as jnp
from benchmarks.path_lengths import counted, dependencies, depth, layers, scan_steps

x = np.ones(7, "float32")
def tanhs(x):
    return jnp.tanh(jnp.tanh(x)) + jnp.tanh(x)
def carried(x):  # a chain of three operations a step, over 7 steps, and one before
    return jax.lax.scan(lambda c, y: (jnp.tanh(jnp.sin(c)) * y, c), x[0] * 2, x)[0]
def mapped(x):  # steps that do not wait for each other
    return jax.lax.scan(lambda c, y: (c, jnp.tanh(jnp.sin(y))), (), x)[1]
assert depth(jax.make_jaxpr(tanhs)(x)) == 3
assert depth(jax.make_jaxpr(jax.jit(tanhs))(x)) == 3
assert depth(jax.make_jaxpr(jnp.cumsum)(np.ones(9))) == 4
slicing = depth(jax.make_jaxpr(lambda x: x[0] * 2)(x))
assert depth(jax.make_jaxpr(carried)(x)) == slicing + 7 * 4, depth(jax.make_jaxpr(carried)(x))
assert depth(jax.make_jaxpr(mapped)(x)) == 3
assert depth(jax.make_jaxpr(carried)(x), scan_steps) == 7
try:
    depth(jax.make_jaxpr(lambda x: jax.lax.while_loop(lambda c: c < 3, lambda c: c + 1, x))(1))
except ValueError as error:
    assert "while loop is not known" in str(error)
else:
    raise AssertionError

every = layers()
n = 17
near = abs(np.subtract.outer(np.arange(n), np.arange(n)))
full, causal = np.ones((n, n), bool), np.tri(n, dtype=bool)
expected = {"self": full, "restricted": near <= 8, "linear": full, "recurrent": causal,
            "convolutional, kernel": near <= 1,
            "convolutional, causal": causal & (near <= 2)}
for name, layer in every.items():
    wanted = next(value for key, value in expected.items() if name.startswith(key))
    layer(0)(np.ones((1, 8, 8), "float32"))
    np.testing.assert_array_equal(dependencies(layer(0), n), wanted, err_msg=name)
for n in (11, 17, 29):
    paths = {name: counted(layer, n)["longest path"] for name, layer in every.items()}
    log = 3 if n <= 27 else 4
    assert list(paths.values()) == [1, -(-(n - 1) // 8), 1, n, n - 1, log], (n, paths)
one, two = ({name: counted(layer, n)["sequential operations"] for name, layer in every.items()}
            for n in (11, 22))
for name in every:
    assert (two[name] - one[name]) / one[name] > 0.9 if "GRU" in name else two[name] == one[name]
print("all is as counted by hand")
"""


@pytest.mark.thorough
def test_counts_are_those_of_known_graphs():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("KERAS_BACKEND", None)
    ran = subprocess.run(
        [sys.executable, "-c", COUNTED], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0 and "as counted by hand" in ran.stdout, ran.stderr[-3000:]
