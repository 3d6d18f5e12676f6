"""LSTM, GRU and Elman against PyTorch's, forward and backward: numbers of its own layers."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import GRU, LSTM, Elman

FILE = np.load(Path(__file__).parents[2] / "references" / "recurrent.npz")
LAYERS = {
    "lstm": (LSTM, {}, (0, 1, 2, 3)),  # i f g o, as here
    "gru": (GRU, {"reset_after": True}, (1, 0, 2)),  # r z n there, z r h here
    "elman": (Elman, {}, (0,)),
}


def ours(kind, name):
    """A weight of PyTorch's, (gates U, inputs) or (gates U), in the order and shape of ours."""
    gates = np.split(FILE[f"{kind}_{name}"], len(LAYERS[kind][2]), axis=0)
    return np.concatenate([gates[i] for i in LAYERS[kind][2]], axis=0).T


def weights(kind):
    biases = ours(kind, "input_bias"), ours(kind, "recurrent_bias")
    bias = np.stack(biases) if kind == "gru" else sum(biases)
    return [ours(kind, "input_kernel"), ours(kind, "recurrent_kernel"), bias]


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_outputs_and_states(kind, training):
    layer_class, options, _ = LAYERS[kind]
    layer = layer_class(11, return_sequences=True, return_state=True, **options)
    x = FILE[f"{kind}_x"].astype("float32")
    layer.build(x.shape)
    layer.set_weights(weights(kind))
    count = 2 if kind == "lstm" else 1
    first = [ops.convert_to_tensor(FILE[f"{kind}_first_{i}"], "float32") for i in range(count)]
    outputs, *last = layer(x, initial_state=first, training=training)
    np.testing.assert_allclose(
        ops.convert_to_numpy(outputs), FILE[f"{kind}_outputs"], rtol=1e-6, atol=2e-6
    )
    for i, state in enumerate(last):
        np.testing.assert_allclose(
            ops.convert_to_numpy(state), FILE[f"{kind}_last_{i}"], rtol=1e-6, atol=2e-6
        )


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="takes TensorFlow's gradient")
@pytest.mark.parametrize("kind", LAYERS)
def test_gradients(kind):
    import tensorflow as tf

    layer_class, options, _ = LAYERS[kind]
    layer = layer_class(11, return_sequences=True, **options)
    x = tf.constant(FILE[f"{kind}_x"], tf.float32)
    layer.build(x.shape)
    layer.set_weights(weights(kind))
    count = 2 if kind == "lstm" else 1
    first = [tf.constant(FILE[f"{kind}_first_{i}"], tf.float32) for i in range(count)]
    with tf.GradientTape() as tape:
        tape.watch([x, *first])
        outputs = layer(x, initial_state=first, training=True)
        total = tf.reduce_sum(outputs * tf.constant(FILE[f"{kind}_upstream"], tf.float32))
    actual = tape.gradient(total, [x, *first, *layer.trainable_weights])
    if kind == "gru":
        actual[-1] = actual[-1][0]  # of its two biases that of the input
    expected = [FILE[f"{kind}_d_x"], *(FILE[f"{kind}_d_first_{i}"] for i in range(count))]
    expected += [ours(kind, f"d_{name}") for name in ("input_kernel", "recurrent_kernel")]
    expected.append(ours(kind, "d_input_bias"))
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
