"""A model whose layers were quantized gives the same outputs once saved and loaded."""

import keras
import numpy as np
import pytest
from keras import Sequential, ops
from keras.layers import Dense, Dropout

from keras_attn import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    GatedConv1D,
    LinearAttention,
    LocalAttention,
    MultiHeadAttention,
    MultiStepAttention,
    RandomFeatureAttention,
)

LAYERS = {
    "multi-head": lambda x: MultiHeadAttention(2, 4)(x, x),
    "gated": lambda x: MultiHeadAttention(2, 4, use_gate=True, num_key_value_heads=1)(x, x),
    "local": lambda x: LocalAttention(2, 3, window=2)(x, x),
    "linear": lambda x: LinearAttention(2, 3)(x, x),
    "random features": lambda x: RandomFeatureAttention(2, 3, num_features=5)(x, x),
    "multi-step": lambda x: MultiStepAttention()(x, x, x, x),
    "feed-forward": lambda x: FeedForward(13)(x),
    "gated feed-forward": lambda x: FeedForward(13, "swiglu", use_bias=False)(x),
    "gated convolution": lambda x: GatedConv1D(5, 3)(x),
    "encoder": lambda x: EncoderBlock(num_heads=2, intermediate_dim=13)(x),
    "given": lambda x: EncoderBlock(feed_forward=FeedForward(13), num_heads=2)(x),
    "given of Keras": lambda x: EncoderBlock(
        attention=LinearAttention(2, 3), feed_forward=keras.layers.Dense(8)
    )(x),
    "given sequence": lambda x: EncoderBlock(
        num_heads=2, feed_forward=Sequential([Dense(13, "relu"), Dropout(0.1), Dense(8)])
    )(x),
    "given sequence in a sequence": lambda x: DecoderBlock(
        num_heads=2, feed_forward=Sequential([Sequential([Dense(13, "relu")]), Dense(8)])
    )(x, x),
    "decoder": lambda x: DecoderBlock(num_heads=2, intermediate_dim=13)(x, x),
}


@pytest.mark.quick(len(LAYERS))
@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize` method:UserWarning")
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize("mode", ["int8", "int4", "float8"])
def test_outputs(tmp_path, layer, mode):
    inputs = keras.Input((None, 8))
    model = keras.Model(inputs, layer(inputs))
    x = np.random.default_rng(0).normal(size=(2, 3, 8)).astype("float32")
    before = ops.convert_to_numpy(model(x))
    model.quantize(mode)
    quantized = ops.convert_to_numpy(model(x))
    assert 0 < np.abs(quantized - before).max() < {"int8": 0.1, "int4": 1, "float8": 1}[mode]
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(ops.convert_to_numpy(loaded(x)), quantized)
    kernels = [w for w in loaded.weights if w.path.endswith("kernel")]
    types = {keras.backend.standardize_dtype(w.dtype) for w in kernels}
    assert ("int8" in types) == (mode != "float8")
