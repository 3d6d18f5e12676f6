"""What the kernels of a block start from, and dropout inside its feed-forward network."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward

WIDTH, MEMORY_WIDTH = 101, 103
KINDS = {EncoderBlock: 1, DecoderBlock: 2}  # attentions in each


def normal(stddev):
    return keras.initializers.RandomNormal(stddev=stddev)


def kernels_of(kind, **options):
    """The kernels of a new block by path; all have ten thousand numbers or more."""
    layer = kind(intermediate_dim=211, num_heads=2, key_dim=53, **options)
    shapes = [(None, None, width) for width in (WIDTH, MEMORY_WIDTH)]
    layer.build(*shapes[: KINDS[kind]])
    return {w.path: ops.convert_to_numpy(w) for w in layer.weights if w.path.endswith("kernel")}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("residual", [0.005, None])
def test_standard_deviations(kind, residual):
    options = {"kernel_initializer": normal(0.02)}
    if residual:
        options["residual_initializer"] = normal(residual)
    kernels = kernels_of(kind, **options)
    into_residual = [path for path in kernels if path.endswith("output/kernel")]
    assert len(kernels) == 4 * KINDS[kind] + 2 and len(into_residual) == KINDS[kind] + 1
    for path, kernel in kernels.items():
        expected = residual if residual and path in into_residual else 0.02
        np.testing.assert_allclose(kernel.std(), expected, rtol=0.05, err_msg=path)
        assert abs(kernel.mean()) < 0.05 * expected


@pytest.mark.parametrize("kind", KINDS)
def test_glorot_by_default(kind):
    for path, kernel in kernels_of(kind).items():
        fans = (WIDTH, 211) if "feed_forward" in path else (WIDTH, 106)
        if "cross_attention" in path and ("key" in path or "value" in path):
            fans = (MEMORY_WIDTH, 106)
        limit = np.sqrt(6 / sum(fans))
        assert 0.99 * limit < np.abs(kernel).max() <= limit, path


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_kernels_are_drawn_alike(kind):
    """One instance for all: an initializer gives the same numbers whenever it is called."""
    one = normal(0.02)
    kernels = kernels_of(kind, kernel_initializer=one, residual_initializer=one)
    starts = [tuple(kernel.ravel()[:7]) for kernel in kernels.values()]
    assert len(set(starts)) == len(starts)


def test_initializers_of_a_loaded_block():
    block = EncoderBlock(2, 29, kernel_initializer=normal(0.02), residual_initializer=normal(0.01))
    again = EncoderBlock.from_config(block.get_config())
    assert again.get_config() == block.get_config()
    for layer in (again.feed_forward, again):
        assert (layer.kernel_initializer.stddev, layer.residual_initializer.stddev) == (0.02, 0.01)
    assert EncoderBlock(2, 29).get_config()["residual_initializer"] is None


def test_an_output_kernel_that_is_not_there():
    options = {"aggregate": "concat", "output_kernel_initializer": "zeros"}
    with pytest.raises(ValueError, match="output_kernel_initializer requires aggregate='project'"):
        MultiHeadAttention(2, 7, **options)


def test_the_rate_of_dropout_after_the_activation():
    layer = FeedForward(1009, "relu", dropout=0.3)
    layer.build((None, None, 1))
    # One unit of input makes 1009 ones, of which the sum is taken.
    layer.set_weights([np.ones((1, 1009)), np.zeros(1009), np.ones((1009, 1)), np.zeros(1)])
    x = np.ones((1, 101, 1), "float32")
    sums = ops.convert_to_numpy(layer(x, training=True))
    kept = np.round(sums * 0.7)
    np.testing.assert_allclose(sums * 0.7, kept, atol=1e-2)
    np.testing.assert_allclose(kept.mean(), 0.7 * 1009, rtol=0.01)
    np.testing.assert_allclose(ops.convert_to_numpy(layer(x)), 1009)
