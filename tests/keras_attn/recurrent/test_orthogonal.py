"""The orthogonal cell: its matrix, what training does to it, and gradients of 1,000 steps."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.recurrent.elman_cell import ElmanCell
from keras_attn.recurrent.orthogonal import OrthogonalCell, orthogonal_matrix, random_rotations
from keras_attn.recurrent.rnn import RNN
from tests.gradients import value_and_gradient
from tests.keras_attn.recurrent.layers import U, X, jittered, numpy
from tests.litert import in_litert
from tests.oracles import recurrent as oracle

STEPS, WIDTH = 1000, 13


def skew_of_norm(norm, size=11):
    parameter = np.random.default_rng(size).normal(size=(size, size))
    return norm * parameter / np.linalg.norm(parameter - parameter.T, ord=2)


def assert_orthogonal(matrix, atol):
    matrix = numpy(matrix).astype("float64")
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(len(matrix)), atol=atol)
    assert np.linalg.det(matrix) > 0


@pytest.mark.parametrize("size", [1, 2, 11])
@pytest.mark.parametrize("norm", [0.0, 0.5, 3.2, 10.0, 40.0])
def test_the_matrix_is_the_exponential(size, norm):
    parameter = skew_of_norm(norm, size) if size > 1 else np.full((1, 1), norm)
    matrix = numpy(orthogonal_matrix(parameter.astype("float32")))
    np.testing.assert_allclose(
        matrix, oracle.rotation(parameter), rtol=1e-6, atol=2e-6 * max(norm, 1)
    )
    assert_orthogonal(matrix, 1e-6)


def test_the_matrix_is_orthogonal_even_where_the_series_is_not_exact():
    assert_orthogonal(orthogonal_matrix(skew_of_norm(70.0).astype("float32")), 1e-4)


def test_at_first_pairs_of_units_turn():
    parameter = numpy(random_rotations((5, 5)))
    assert list(zip(*np.nonzero(parameter), strict=True)) == [(0, 1), (2, 3)]
    assert np.abs(parameter).max() <= np.pi
    assert_orthogonal(orthogonal_matrix(parameter), 1e-6)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_rounds_the_finished_matrix(policy):
    layer = RNN(OrthogonalCell(U, dtype=policy), dtype=policy)
    jittered(layer, X)
    with keras.src.backend.AutocastScope(layer.compute_dtype):
        actual = layer.cell.loop_weights()["kernel"]
    exact = oracle.rotation(layer.get_weights()[1].astype("float64"))
    assert keras.backend.standardize_dtype(actual.dtype) == layer.compute_dtype
    np.testing.assert_array_equal(
        numpy(ops.cast(actual, "float32")),
        numpy(ops.cast(ops.cast(exact.astype("float32"), layer.compute_dtype), "float32")),
    )


def test_it_stays_orthogonal_through_1000_optimizer_steps():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(STEPS, 5, 3)).astype("float32")
    y = rng.normal(size=(STEPS, WIDTH)).astype("float32")  # noise, so that weights never rest
    model = keras.Sequential([keras.Input((5, 3)), RNN(OrthogonalCell(WIDTH))])
    before = model.get_weights()[1]
    model.compile(keras.optimizers.Adam(0.01), "mse", steps_per_execution=100)
    model.fit(x, y, batch_size=1, verbose=0)
    assert int(model.optimizer.iterations) == STEPS
    assert np.linalg.norm(model.get_weights()[1] - before) > 0.5
    assert_orthogonal(model.layers[0].cell.loop_weights()["kernel"], 1e-4)


def gradient_norms(cell, radius=None):
    """Of the last state's gradient at each of 1,000 inputs, relative to that at the last one."""
    layer = RNN(cell)
    layer.build((1, STEPS, WIDTH))
    rng = np.random.default_rng(7)
    matrix = rng.normal(size=(WIDTH, WIDTH))
    if radius:
        matrix *= radius / np.abs(np.linalg.eigvals(matrix)).max()
    layer.set_weights([np.eye(WIDTH), matrix, np.zeros(WIDTH)])
    x, direction = rng.normal(size=(1, STEPS, WIDTH)), rng.normal(size=WIDTH).astype("float32")

    def loss(x):
        return ops.sum(layer(x, training=True) * direction)

    # Small, so that tanh of a state that grows is not at its limits from the first steps on.
    _, gradient = value_and_gradient(loss, 1e-3 * x.astype("float32"), jit_compile=True)
    norms = np.linalg.norm(gradient[0].astype("float64"), axis=-1)
    return norms / norms[-1]


@pytest.mark.parametrize("activation", ["linear", "tanh"])
def test_the_gradient_of_elman_decays_where_the_spectral_radius_is_below_one(activation):
    norms = gradient_norms(ElmanCell(WIDTH, activation=activation), radius=0.95)
    assert norms[-100] < 0.1 and 0 < norms[0] < 1e-15


def test_the_gradient_of_elman_explodes_where_the_spectral_radius_is_above_one():
    norms = gradient_norms(ElmanCell(WIDTH, activation="linear"), radius=1.05)
    assert norms[-100] > 10 and 1e15 < norms[0] < np.inf


@pytest.mark.parametrize("activation", ["linear", "modrelu"])
def test_the_gradient_of_the_orthogonal_cell_keeps_its_norm(activation):
    norms = gradient_norms(OrthogonalCell(WIDTH, activation=activation))
    np.testing.assert_allclose(norms, 1, rtol=0.01)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="made from TensorFlow")
def test_a_litert_file_runs_it_at_any_length():
    import tensorflow as tf

    layer = RNN(OrthogonalCell(U), return_sequences=True)
    jittered(layer, np.ones((1, 2, 3), "float32"))
    file = in_litert(lambda x: layer(x), {"x": tf.TensorSpec((None, None, 3))}, layer.weights)
    for shape in [(2, 5, 3), (1, 23, 3)]:
        given = np.random.default_rng(shape[1]).normal(size=shape).astype("float32")
        np.testing.assert_allclose(file(x=given), numpy(layer(given)), atol=1e-5)
