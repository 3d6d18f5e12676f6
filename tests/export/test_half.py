"""Matrices of 16 bits in a file that computes in float32."""

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

from export.worker.half import with_half_matrices
from export.worker.litert_model import read_model, type_of

FLOOR, BIAS = 1e-10, 0.1  # 16 bits have neither


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(7, 11)).astype("float32")
    shared[2, 3] = 1e6  # more than 16 bits reach
    return {"shared": shared, "inner": rng.normal(size=(11, 11)).astype("float32") / 7}


@pytest.fixture(scope="module")
def content(matrices, tmp_path_factory):
    """A model whose loop has a constant of its own, and which reads a matrix twice."""

    @tf.function(input_signature=[tf.TensorSpec((None, 7))])
    def model(x):
        power = tf.math.log(tf.maximum(tf.matmul(x, matrices["shared"]) ** 2, FLOOR))
        _, state = tf.while_loop(
            lambda i, state: i < 3,
            lambda i, state: (i + 1, tf.tanh(tf.matmul(state, matrices["inner"]) + BIAS)),
            [0, power],
        )
        return {"power": power, "state": state, "next": tf.matmul(tf.sin(x), matrices["shared"])}

    folder = str(tmp_path_factory.mktemp("model"))
    tf.saved_model.save(tf.Module(), folder, signatures=model.get_concrete_function())
    return tf.lite.TFLiteConverter.from_saved_model(folder).convert()


def by_formula(x, shared, inner):
    state = power = np.log(np.maximum((x @ shared) ** 2, FLOOR))
    for _ in range(3):
        state = np.tanh(state @ inner + BIAS)
    return {"power": power, "state": state, "next": np.sin(x) @ shared}


def computed(content, x):
    run = Interpreter(model_content=content).get_signature_runner()
    return run(x=x)


@pytest.mark.thorough
def test_it_computes_with_rounded_matrices_and_other_numbers_as_they_are(content, matrices):
    x = np.random.default_rng(1).normal(size=(5, 7)).astype("float32")
    x[2] = 0  # whose power is the floor
    rounded = {
        name: np.clip(matrix, -65504, 65504).astype("float16").astype("float64")
        for name, matrix in matrices.items()
    }

    actual = computed(with_half_matrices(content), x)

    expected = by_formula(x.astype("float64"), **rounded)
    for name, numbers in expected.items():
        np.testing.assert_allclose(actual[name], numbers, rtol=1e-5, atol=1e-5, err_msg=name)
    assert actual["power"][2] == pytest.approx(np.full(11, np.log(FLOOR)), abs=1e-4)


def test_each_matrix_is_stored_once_in_half_of_the_bytes(content, matrices):
    model = read_model(with_half_matrices(content))
    stored = [
        (type_of(tensor), tuple(tensor.shape), tensor.buffer)
        for graph in model.subgraphs
        for tensor in graph.tensors
        if model.buffers[tensor.buffer].data is not None
    ]

    halves = {(shape, buffer) for kind, shape, buffer in stored if kind == "FLOAT16"}
    kept = {shape for kind, shape, _ in stored if kind == "FLOAT32"}
    assert sum(int(np.prod(shape)) for shape, _ in halves) == sum(
        matrix.size for matrix in matrices.values()
    )
    assert kept and all(len(shape) < 2 for shape in kept)
