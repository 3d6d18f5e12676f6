"""A decoding loop over the cache as a LiteRT file: built-in operators, any batch and length."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from tests.litert import in_litert

if keras.backend.backend() != "tensorflow":
    pytest.skip("LiteRT files are made from TensorFlow", allow_module_level=True)


def decode(layer, x):
    """Feeds x step by step, as a generating model feeds its own output."""
    batch, length = ops.shape(x)[:2]

    def body(index, keys, values, outputs):
        query = ops.slice(x, (0, index, 0), (batch, 1, 11))
        output, (keys, values) = layer.step(query, (keys, values), index)
        return index + 1, keys, values, ops.slice_update(outputs, (0, index, 0), output)

    start = (ops.convert_to_tensor(0), *layer.initial_cache(batch, length), ops.zeros_like(x))
    return ops.while_loop(lambda index, *_: index < length, body, start)[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("score", ["scaled_dot", "additive"])
def test_steps_in_a_file_give_the_whole_causal_sequence(score):
    import tensorflow as tf

    layer = MultiHeadAttention(2, 7, score=score)
    layer.build((None, None, 11), (None, None, 11))
    layer.set_weights([w + 0.1 for w in layer.get_weights()])
    specs = {"x": tf.TensorSpec((None, None, 11))}
    file = in_litert(lambda x: decode(layer, x), specs, layer.weights)
    for batch, length in [(3, 5), (1, 13)]:
        x = np.random.default_rng(length).normal(size=(batch, length, 11)).astype("float32")
        expected = ops.convert_to_numpy(layer(x, x, use_causal_mask=True))
        np.testing.assert_allclose(file(x=x), expected, atol=1e-5)
