"""Decoding loops of every kind of head as one LiteRT file of built-in operators."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.position.relative import ShawPositions
from tests.litert import in_litert

if keras.backend.backend() != "tensorflow":
    pytest.skip("LiteRT files are made from TensorFlow", allow_module_level=True)


@pytest.mark.thorough
def test_steps_in_a_file_give_the_whole_causal_sequence():
    import tensorflow as tf

    layers = [
        MultiHeadAttention(4, 6, position="rotary", num_key_value_heads=2, sliding_window=4),
        MultiHeadAttention(4, 6, position="alibi"),
        MultiHeadAttention(4, 6, position=ShawPositions(2), num_key_value_heads=1),
        MultiHeadAttention(4, 6, position=ShawPositions(2), score="additive"),
    ]
    for layer in layers:
        layer.build((None, None, 11), (None, None, 11))
        layer.set_weights([w + 0.1 for w in layer.get_weights()])

    def decode(x):
        """Feeds x to all layers step by step, as a generating model feeds its own output."""
        batch, length = ops.shape(x)[:2]

        def body(index, caches, outputs):
            query = ops.slice(x, (0, index, 0), (batch, 1, 11))
            steps = [
                layer.step(query, cache, index) for layer, cache in zip(layers, caches, strict=True)
            ]
            actual = ops.concatenate([output for output, _ in steps], axis=-1)
            caches = tuple(cache for _, cache in steps)
            return index + 1, caches, ops.slice_update(outputs, (0, index, 0), actual)

        caches = tuple(layer.initial_cache(batch, length) for layer in layers)
        start = (ops.convert_to_tensor(0), caches, ops.zeros((batch, length, 11 * len(layers))))
        return ops.while_loop(lambda index, *_: index < length, body, start)[-1]

    weights = [weight for layer in layers for weight in layer.weights]
    file = in_litert(decode, {"x": tf.TensorSpec((None, None, 11))}, weights)
    for batch, length in [(3, 5), (1, 13)]:
        x = np.random.default_rng(length).normal(size=(batch, length, 11)).astype("float32")
        whole = [ops.convert_to_numpy(layer(x, x, use_causal_mask=True)) for layer in layers]
        np.testing.assert_allclose(file(x=x), np.concatenate(whole, axis=-1), atol=1e-5)
