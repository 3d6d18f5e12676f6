"""Truncated back-propagation: the same outputs, and the gradient of each stretch by itself."""

import functools
import itertools

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.recurrent.attention_cell import AttentionCell
from keras_attn.recurrent.elman import Elman
from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.rnn import RNN
from tests.keras_attn.recurrent.layers import (
    KINDS,
    MASK,
    RNG,
    STATES,
    B,
    T,
    U,
    X,
    assert_close,
    every_kind,
    jittered,
    like_the_others,
    numpy,
    split,
    states_of,
    value_and_gradients,
)

pytestmark = pytest.mark.thorough

K = 3  # 8 steps are two stretches and a shorter one
STRETCHES = range(0, T, K)
WEIGHTS = [RNG.normal(size=(B, T, U)), *RNG.normal(size=(2, B, U))]  # of outputs, last states
MEMORY = RNG.normal(size=(B, 11, 13)).astype("float32")
# On JAX every gradient here is compiled by XLA; on TensorFlow, that of one layer whose gradient is
# written by hand, and of one whose is not.
WAYS = ["loop", "unrolled"]
XLA = keras.backend.backend() == "tensorflow"


@like_the_others
def whole(kind, **options):
    # A masked output is zero, not one that came from the stretch before.
    fixed = {"return_sequences": True, "return_state": True, "zero_output_for_mask": True}
    return jittered(KINDS[kind].ours(U, **fixed, **options), X)


def gradients(layer, inputs, mask=None, jit_compile=False, training=True, **options):
    def call(inputs):
        x, *states = inputs
        return layer(x, initial_state=states, mask=mask, training=training, **options)

    weights = WEIGHTS[: len(inputs)]
    return value_and_gradients(layer, inputs, call, weights, jit_compile)


def gradients_in_stretches(layer, inputs, mask=None, **options):
    """Each stretch starts from the states that the one before it left, as constants."""

    def call(inputs):
        x, *states = inputs
        outputs = []
        for begin in STRETCHES:
            part = slice(begin, begin + K)
            given = {} if mask is None else {"mask": mask[:, part]}
            if begin:
                states = [ops.stop_gradient(state) for state in states]
            output, *states = layer(
                x[:, part], initial_state=states, training=True, **given, **options
            )
            outputs.append(output)
        return [ops.concatenate(outputs, axis=1), *states]

    return value_and_gradients(layer, inputs, call, WEIGHTS[: len(inputs)])


def test_the_gradient_of_elman_is_the_sum_written_by_hand():
    layer = whole("elman", truncate=K)
    x, h, (kernel, recurrent, _) = X, STATES[0], layer.get_weights()
    outputs, last = numpy(layer(x, initial_state=[h]))
    weights = WEIGHTS[0].copy()
    weights[:, -1] += WEIGHTS[1]  # the last state is the last output
    before = np.concatenate([h[:, None], outputs[:, :-1]], axis=1)

    dx, dh = np.zeros(x.shape), np.zeros(h.shape)
    dkernel, drecurrent, dbias = (np.zeros(w.shape) for w in layer.get_weights())
    for t in range(T):
        d = weights[:, t]
        begin = t // K * K
        for s in range(t, begin - 1, -1):
            dz = d * (1 - outputs[:, s] ** 2)
            dx[:, s] += dz @ kernel.T
            dkernel += x[:, s].T @ dz
            drecurrent += before[:, s].T @ dz
            dbias += dz.sum(axis=0)
            d = dz @ recurrent.T
        if begin == 0:
            dh += d

    _, actual = gradients(layer, [x, h])
    by_hand = [dx, dh, dkernel, drecurrent, dbias]
    for ours, expected in zip(split(actual, by_hand), by_hand, strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-4)


@functools.cache
def expected_gradients(kind, masked):
    """Value and gradients in stretches, and with nothing cut."""
    inputs, mask = [X, *states_of(kind)], MASK if masked else None
    return gradients_in_stretches(whole(kind), inputs, mask), gradients(whole(kind), inputs, mask)


@pytest.mark.parametrize(
    ("kind", "way", "masked"),
    [
        *itertools.product(KINDS, WAYS, [False, True]),
        *itertools.product(["lstm", "orthogonal"] if XLA else [], ["xla"], [True]),
    ],
)
def test_the_gradient_is_that_of_each_stretch(kind, way, masked):
    (expected_value, expected), (full_value, full) = expected_gradients(kind, masked)
    inputs, mask = [X, *states_of(kind)], MASK if masked else None
    layer = whole(kind, truncate=K, unroll=way == "unrolled")
    value, actual = gradients(layer, inputs, mask, jit_compile=way == "xla")
    np.testing.assert_allclose(value, expected_value, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(value, full_value, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(actual, expected, atol=2e-4)
    assert np.abs(actual - full).max() > 1e-2, "nothing was cut: a vacuous check"


@like_the_others
def attending(**options):
    cell = AttentionCell(GRUCell(U), Attention(score="additive"))
    fixed = {"return_sequences": True, "return_state": True, "zero_output_for_mask": True}
    return jittered(RNN(cell, **fixed, **options), X, memory=MEMORY)


@functools.cache
def expected_of_attending():
    return gradients_in_stretches(attending(), [X, *STATES], MASK, memory=MEMORY)


@pytest.mark.parametrize("way", [*WAYS, *(["xla"] if XLA else [])])
def test_a_cell_that_attends(way):
    inputs = [X, *STATES]
    layer = attending(truncate=K, unroll=way == "unrolled")
    _, actual = gradients(layer, inputs, MASK, jit_compile=way == "xla", memory=MEMORY)
    _, expected = expected_of_attending()
    np.testing.assert_allclose(actual, expected, atol=2e-4)


@every_kind
@pytest.mark.parametrize("training", [False, True])
def test_the_outputs_are_the_same(kind, training):
    options = {"initial_state": states_of(kind), "mask": MASK, "training": training}
    expected = numpy(whole(kind)(X, **options))
    assert_close(whole(kind, truncate=K)(X, **options), expected, atol=0)


def test_nothing_is_cut_from_what_fits_one_stretch_and_out_of_training():
    inputs = [X, STATES[0]]
    _, full = gradients(whole("gru"), inputs)
    _, actual = gradients(whole("gru", truncate=T), inputs)
    np.testing.assert_array_equal(actual, full)
    _, actual = gradients(whole("gru", truncate=K), inputs, training=False)
    np.testing.assert_allclose(actual, full, atol=1e-4)


def test_going_backwards_the_stretches_are_those_of_the_reversed_sequence():
    inputs = [X, STATES[0]]
    _, actual = gradients(whole("elman", truncate=K, go_backwards=True), inputs)
    _, expected = gradients(whole("elman", truncate=K), [X[:, ::-1], STATES[0]])
    expected = expected.copy()
    expected[: X.size] = expected[: X.size].reshape(X.shape)[:, ::-1].ravel()
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_truncate_must_be_positive():
    with pytest.raises(ValueError, match="truncate must be a positive integer or None; received 0"):
        Elman(U, truncate=0)
