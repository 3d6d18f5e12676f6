"""Blocks of given sublayers as LiteRT files: whole sequences, also in int8, and decoding loops."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import EncoderBlock, FeedForward, LinearAttention, LocalAttention
from keras_attn import RandomFeatureAttention as RandomFeature
from tests.litert import converted, in_litert

if keras.backend.backend() != "tensorflow":
    pytest.skip("LiteRT files are made from TensorFlow", allow_module_level=True)

pytestmark = pytest.mark.thorough
ATTENTIONS = {
    "local": lambda: LocalAttention(2, 4, window=3),
    "linear": lambda: LinearAttention(2, 4),
    "random": lambda: RandomFeature(2, 4, num_features=9),
}


@pytest.fixture(scope="module", params=ATTENTIONS)
def block(request):
    feed_forward = FeedForward(16, "swiglu", use_bias=False)
    options = {"feed_forward": feed_forward, "normalization": "rms", "pre_norm": True}
    made = EncoderBlock(attention=ATTENTIONS[request.param](), **options)
    made.build((None, None, 8))
    rng = np.random.default_rng(0)
    made.set_weights([w + 0.3 * rng.normal(size=w.shape) for w in made.get_weights()])
    return made


def draw(batch, length):
    return np.random.default_rng(length).normal(size=(batch, length, 8)).astype("float32")


def whole(block, x):
    return ops.convert_to_numpy(block(x, use_causal_mask=True))


def test_whole_sequences_in_float32_and_int8(block):
    import tensorflow as tf
    from ai_edge_litert.interpreter import Interpreter

    specs = {"x": tf.TensorSpec((None, None, 8))}
    weights = [w.value for w in block.weights]
    files = converted(lambda x: {"y": block(x, use_causal_mask=True)}, specs, weights, ["int8"])
    for kind, tolerance in ((None, 1e-5), ("int8", 0.15)):
        run = Interpreter(model_content=files[kind]).get_signature_runner("serving_default")
        for batch, length in ((3, 5), (1, 37)):
            x = draw(batch, length)
            actual, expected = run(x=x)["y"], whole(block, x)
            np.testing.assert_allclose(actual, expected, atol=tolerance * np.abs(expected).max())


def test_steps_in_a_file_give_the_whole_causal_sequence(block):
    import tensorflow as tf

    def decode(x):
        batch, length = ops.shape(x)[:2]
        cache = block.initial_cache(batch, length)

        def body(index, outputs, *cache):
            query = ops.slice(x, (0, index, 0), (batch, 1, 8))
            cache = keras.tree.pack_sequence_as(block.initial_cache(1, 1), list(cache))
            output, cache = block.step(query, cache, index)
            outputs = ops.slice_update(outputs, (0, index, 0), output)
            return index + 1, outputs, *keras.tree.flatten(cache)

        start = (ops.convert_to_tensor(0), ops.zeros_like(x), *keras.tree.flatten(cache))
        return ops.while_loop(lambda index, *_: index < length, body, start)[1]

    file = in_litert(decode, {"x": tf.TensorSpec((None, None, 8))}, block.weights)
    for batch, length in ((3, 5), (1, 13)):
        x = draw(batch, length)
        np.testing.assert_allclose(file(x=x), whole(block, x), atol=2e-5)


def test_a_prompt_read_at_once_in_a_file(block):
    """Several steps in one call, of which the first `count` count, and one more."""
    import tensorflow as tf

    def read(x, count):
        batch = ops.shape(x)[0]
        cache = block.initial_cache(batch, 99)
        first, cache = block.step(x, cache, 0, count=count)
        last, _ = block.step(ops.slice(x, (0, count, 0), (batch, 1, 8)), cache, count)
        return ops.concatenate([first, last], axis=1)

    specs = {"x": tf.TensorSpec((None, None, 8)), "count": tf.TensorSpec((), tf.int32)}
    file = in_litert(read, specs, block.weights)
    for batch, length in ((3, 7), (1, 23)):
        x, count = draw(batch, length), length - 2
        actual, expected = file(x=x, count=np.int32(count)), whole(block, x)
        np.testing.assert_allclose(actual[:, :count], expected[:, :count], atol=2e-5)
        np.testing.assert_allclose(actual[:, -1], expected[:, count], atol=2e-5)
