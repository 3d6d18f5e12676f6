"""Steps written out one by one: the same numbers, and no loop where the length is known."""

import keras
import numpy as np
import pytest

from tests.keras_attn.recurrent.layers import (
    KINDS,
    MASK,
    B,
    D,
    T,
    U,
    X,
    assert_close,
    every_kind,
    jittered,
    like_the_others,
    numpy,
    states_of,
)

pytestmark = pytest.mark.thorough


@like_the_others
def whole(kind, unroll):
    options = {"return_sequences": True, "return_state": True, "unroll": unroll}
    return jittered(KINDS[kind].ours(U, **options), X)


def pair(kind):
    return whole(kind, unroll=False), whole(kind, unroll=True)


@every_kind
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_numbers(kind, training, masked):
    loop, unrolled = pair(kind)
    options = {"initial_state": states_of(kind), "mask": MASK if masked else None}
    expected = numpy(loop(X, training=training, **options))
    assert_close(unrolled(X, training=training, **options), expected, atol=1e-6)


@every_kind
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("unroll", [False, True])
def test_a_sequence_of_one_step_and_one_of_none(kind, training, unroll):
    layer, states = whole(kind, unroll), states_of(kind)
    outputs, *last = numpy(layer(X[:, :1], initial_state=states, training=training))
    assert outputs.shape == (B, 1, U)
    np.testing.assert_array_equal(outputs[:, 0], last[0])
    outputs, *last = numpy(layer(X[:, :0], initial_state=states, training=training))
    assert outputs.shape == (B, 0, U)
    assert_close(last, states, atol=0)
    layer.zero_output_for_mask = True
    outputs, *last = layer(X[:, :0], initial_state=states, mask=MASK[:, :0], training=training)
    assert outputs.shape == (B, 0, U)
    assert_close(last, states, atol=0)


def test_a_length_that_is_not_known_is_looped_over():
    loop, unrolled = pair("lstm")
    x = keras.Input((None, D))
    model = keras.Model(x, unrolled(x))
    assert_close(model(X), numpy(loop(X)), atol=1e-6)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="a TensorFlow graph")
@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_the_graph_has_a_loop_only_where_it_is_not_unrolled(unroll, training):
    import tensorflow as tf

    layer = whole("gru", unroll)
    call = tf.function(lambda x: layer(x, training=training))
    graph = call.get_concrete_function(tf.TensorSpec((None, T, D), tf.float32)).graph
    assert any("While" in operation.type for operation in graph.get_operations()) is not unroll
