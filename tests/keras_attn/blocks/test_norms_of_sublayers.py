"""Blocks that also normalize outputs of sublayers, or not the input of the first one."""

import numpy as np
import pytest
from keras import ops

from keras_attn import DecoderBlock, EncoderBlock
from keras_attn.blocks.residual import Residual
from tests.oracles.attention import multi_head
from tests.oracles.blocks import feed_forward, normalize

OPTIONS = {"num_heads": 2, "key_dim": 7, "intermediate_dim": 13, "epsilon": 0.01}


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def jittered(block, x, *others):
    block(x, *others)
    block.set_weights([draw(*w.shape, seed=n) for n, w in enumerate(block.weights)])
    return block


@pytest.mark.parametrize("normalization", ["layer", "rms"])
@pytest.mark.parametrize("first_norm", [True, False])
def test_a_block_is_the_formula(normalization, first_norm):
    x = draw(3, 5, 11)
    how = {"output_norm": True, "first_norm": first_norm, "normalization": normalization}
    block = jittered(EncoderBlock(**OPTIONS, pre_norm=True, **how), x)
    feeding, attending = block.feed_forward.get_weights(), block.attention.get_weights()
    size = {"layer": 2, "rms": 1}[normalization]
    norms = [w for residual in block.residuals for w in residual.get_weights()]
    pairs = [norms[i : i + size] for i in range(0, len(norms), size)]
    if not first_norm:
        pairs.insert(0, None)
    before, behind, before_feeding, behind_feeding = pairs
    inputs = normalize(x, before, 0.01) if first_norm else x
    change = multi_head(attending, inputs, inputs)[0]
    h = x + normalize(change, behind, 0.01)
    fed = feed_forward(feeding, normalize(h, before_feeding, 0.01))
    expected = h + normalize(fed, behind_feeding, 0.01)
    np.testing.assert_allclose(ops.convert_to_numpy(block(x)), expected, rtol=1e-4, atol=1e-4)
    again = EncoderBlock.from_config(block.get_config())
    again(x)
    again.set_weights(block.get_weights())
    np.testing.assert_array_equal(again(x), block(x))


def test_a_decoder_block_has_all_of_them():
    x, memory = draw(3, 5, 11), draw(3, 7, 11, seed=1)
    how = {"pre_norm": True, "output_norm": True, "first_norm": False, "normalization": "rms"}
    block = jittered(DecoderBlock(**OPTIONS, **how), x, memory)
    assert [len(each.weights) for each in block.residuals] == [1, 2, 2]
    again = DecoderBlock.from_config(block.get_config())
    again(x, memory)
    again.set_weights(block.get_weights())
    np.testing.assert_array_equal(again(x, memory), block(x, memory))


@pytest.mark.parametrize("option", [{"output_norm": True}, {"input_norm": False}])
def test_they_require_pre_norm(option):
    with pytest.raises(ValueError, match="pre_norm"):
        Residual(**option)
