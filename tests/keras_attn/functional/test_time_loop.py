"""The loops over time: what they compute, at every length, and their gradients."""

import contextlib
import functools
import math

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.functional.saving_loop import saving_loop
from keras_attn.functional.time_loop import CHUNK, chunk_size, slice_updates, time_loop
from keras_attn.functional.unrolled_loop import unrolled_loop
from tests.gradients import value_and_gradient

LENGTHS = [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3]


def numpy(x):
    return np.asarray(ops.convert_to_numpy(x))


def leaky_sum(inputs, states):
    """s' = s / 2 + x, given out as s' and as the pair (s', x)."""
    total = states[0] / 2 + inputs[0]
    return [total, ops.concatenate([total, inputs[0]], axis=-1)], [total]


def expected(x, first, times):
    total, totals = first, {}
    for t in times:
        totals[t] = total = total / 2 + x[t]
    return np.stack([totals[t] for t in range(len(x))]), total


@pytest.mark.quick(2)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    "way", ["time_loop", "inference", "unrolled_loop", "saving_loop", "reverse"]
)
def test_numbers(length, way):
    rng = np.random.default_rng(length)
    x = rng.normal(size=(length, 3, 2)).astype("float32")
    first = rng.normal(size=(3, 2)).astype("float32")
    arguments = leaky_sum, [ops.convert_to_tensor(x)], [ops.convert_to_tensor(first)], [2, 4]
    inference = functools.partial(time_loop, training=False)
    loops = {"time_loop": time_loop, "inference": inference, "unrolled_loop": unrolled_loop}
    if loop := loops.get(way):
        (totals, pairs), (last,) = loop(*arguments)
    else:
        (totals, pairs), (last,) = saving_loop(*arguments, reverse=way == "reverse")
    times = range(length)[:: -1 if way == "reverse" else 1]
    expected_totals, expected_last = expected(x, first, times)
    np.testing.assert_allclose(numpy(totals), expected_totals, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        numpy(pairs), np.concatenate([expected_totals, x], -1), rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(numpy(last), expected_last, rtol=1e-6, atol=1e-6)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="others write in place")
@pytest.mark.parametrize("slices", [False, True])
@pytest.mark.parametrize("length", [1, 17, 255, 256, 257, 1000, 1023, 1025])
def test_long_sequences_of_unknown_length_at_inference(length, slices):
    """As TensorFlow copies what it writes to, T^1.5 rows are written of T steps, not T^2."""
    import tensorflow as tf

    x = np.random.default_rng(length).normal(size=(length, 2, 2)).astype("float32")

    @tf.function(input_signature=[tf.TensorSpec((None, None, 2))], autograph=False)
    def run(x):
        with slice_updates() if slices else contextlib.nullcontext():
            return time_loop(leaky_sum, [x], [tf.zeros((2, 2))], [2, 4], training=False)

    (totals, _), (last,) = run(x)
    expected_totals, expected_last = expected(x, np.zeros((2, 2), "float32"), range(length))
    np.testing.assert_allclose(totals, expected_totals, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(last, expected_last, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [1, 256, 289, 10_000, 250_000])
def test_chunks_grow_with_the_square_root_of_the_length(length):
    for size in (chunk_size(length), int(ops.convert_to_numpy(chunk_size(ops.array(length))))):
        assert size == max(CHUNK, math.isqrt(length))


@pytest.mark.parametrize("loop", [time_loop, saving_loop])
def test_a_sequence_of_no_steps_leaves_the_states(loop):
    first = ops.ones((3, 2))
    (totals, pairs), (last,) = loop(leaky_sum, [ops.zeros((0, 3, 2))], [first], [2, 4])
    assert (tuple(totals.shape), tuple(pairs.shape)) == ((0, 3, 2), (0, 3, 4))
    np.testing.assert_array_equal(numpy(last), numpy(first))


@pytest.mark.quick(2)
@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("length", [3, 2 * CHUNK + 3])
@pytest.mark.parametrize("training", [True, False])
def test_gradient_of_outputs_and_last_states(length, xla, training):
    rng = np.random.default_rng(length)
    x, weights = rng.normal(size=(2, length, 3, 2)).astype("float32")

    def loss(x):
        first = [ops.zeros((3, 2))]
        (totals, _), (last,) = time_loop(leaky_sum, [x], first, [2, 4], training=training)
        return ops.sum(totals * weights) + ops.sum(ops.square(last))

    _, gradient = value_and_gradient(loss, x, jit_compile=xla)
    _, last = expected(x, np.zeros((3, 2)), range(length))
    upstream = weights.astype(np.float64)
    upstream[-1] += 2 * last
    by_hand, _ = expected(upstream, np.zeros((3, 2)), reversed(range(length)))
    np.testing.assert_allclose(gradient, by_hand, atol=1e-4)


@pytest.mark.quick(2)
@pytest.mark.parametrize("loop", [time_loop, unrolled_loop])
@pytest.mark.parametrize("xla", [False, True])
def test_the_gradient_of_each_stretch_is_its_own(loop, xla):
    length, stretch = 2 * CHUNK + 3, 7
    x, weights = np.random.default_rng(5).normal(size=(2, length, 3, 2)).astype("float32")
    both = np.concatenate([np.ones((1, 3, 2), "float32"), x])  # the first state, then the inputs

    def loss(both):
        (totals, _), _ = loop(leaky_sum, [both[1:]], [both[0]], [2, 4], truncate=stretch)
        return ops.sum(totals * weights)

    value, gradient = value_and_gradient(loss, both, jit_compile=xla)
    totals, _ = expected(x, both[0], range(length))
    np.testing.assert_allclose(value, (totals * weights).sum(), rtol=1e-4)
    by_hand = np.zeros(both.shape)
    for t in range(length):
        begin = t - t % stretch
        for s in range(begin, t + 1):
            by_hand[1 + s] += weights[t] / 2.0 ** (t - s)
        by_hand[0] += weights[t] / 2.0 ** (t + 1) if begin == 0 else 0
    np.testing.assert_allclose(gradient, by_hand, atol=1e-5)


def test_a_mask_may_be_among_the_inputs():
    mask = ops.convert_to_tensor(np.array([[[True]], [[False]], [[True]]]))

    def count(inputs, states):
        return [states[0]], [ops.where(inputs[0], states[0] + 1, states[0])]

    (before,), (last,) = time_loop(count, [mask], [ops.zeros((1, 1))], [1])
    assert numpy(before).ravel().tolist() == [0.0, 1.0, 1.0]
    assert numpy(last).item() == 2.0
