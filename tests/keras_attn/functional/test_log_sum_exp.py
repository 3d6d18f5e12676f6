import keras
import numpy as np
import pytest

from keras_attn import gpu
from keras_attn.functional.log_sum_exp import log_sum_exp
from tests.gradients import value_and_gradient

ROWS = {
    "ordinary": np.random.default_rng(1).normal(size=(3, 5, 307)) * 4,
    "large": np.random.default_rng(2).normal(size=(2, 53)) * 1e4,
    "close to overflow": np.array([[3e38, -3e38, 3e38], [-3e38, -3.1e38, -3e38]]),
    "masked": np.array([[-np.inf, 2.0, -np.inf], [-np.inf, -np.inf, 3.0]]),
    "one number": np.array([[5.0], [-7.0]]),
}


@pytest.fixture(params=["any device", "GPU"])
def device(request, monkeypatch):
    """The other devices compute as a GPU does, and JAX compares."""
    if request.param == "GPU":
        if keras.backend.backend() != "jax":
            pytest.skip("GPUs are for JAX")
        monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)


@pytest.mark.parametrize("rows", ROWS)
def test_equals_numpy(device, rows):
    x = ROWS[rows]
    actual = log_sum_exp(keras.ops.convert_to_tensor(x, "float32"))
    highest = x.max(-1, keepdims=True)
    expected = np.log(np.exp(x - highest).sum(-1)) + highest[..., 0]
    np.testing.assert_allclose(keras.ops.convert_to_numpy(actual), expected, rtol=3e-7)


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("rows", ["ordinary", "masked"])
def test_its_gradient_is_the_softmax(device, rows, jit_compile):
    x = ROWS[rows].astype("float32")
    upstream = np.random.default_rng(3).normal(size=x.shape[:-1]).astype("float32")
    _, gradient = value_and_gradient(
        lambda x: keras.ops.sum(log_sum_exp(x) * upstream), x, jit_compile
    )
    powers = np.exp(ROWS[rows] - ROWS[rows].max(-1, keepdims=True))
    expected = upstream[..., None] * powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(gradient, expected, rtol=2e-5, atol=1e-8)


def test_parts_of_a_row_may_be_merged_in_any_order(monkeypatch):
    """GPUs merge what no first value was merged with."""
    if keras.backend.backend() != "jax":
        pytest.skip("GPUs are for JAX")
    from jax import lax

    merges = []

    def in_pairs(operands, start, merge, axes):
        merges.append(merge)
        return [each[..., -1] for each in lax.associative_scan(merge, operands, axis=-1)]

    monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)
    monkeypatch.setattr(lax, "reduce", in_pairs)
    x = keras.ops.convert_to_tensor(ROWS["masked"], "float32")
    np.testing.assert_allclose(log_sum_exp(x), [2.0, 3.0], rtol=1e-6)
    assert merges


def test_what_is_not_a_number_shows(device):
    x = keras.ops.convert_to_tensor([[1.0, float("nan"), 2.0], [1.0, 2.0, 3.0]])
    assert np.isnan(keras.ops.convert_to_numpy(log_sum_exp(x))).tolist() == [True, False]


def test_no_rows(device):
    assert tuple(log_sum_exp(keras.ops.zeros((0, 7))).shape) == (0,)
