"""Random-feature attention: its formula, and how near it comes to the softmax's attention."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.random_feature import RandomFeatureAttention, orthogonal_gaussian
from tests.oracles import other_attention as oracle


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


QUERY, VALUE = draw(3, 5, 11), draw(3, 7, 11, seed=2)
MASK = np.array([[1, 0, 1, 1, 0, 1, 1], [0] * 7, [1] * 7], bool)


def built(**options):
    layer = RandomFeatureAttention(2, 7, **options)
    layer.build(QUERY.shape, VALUE.shape)
    layer.set_weights(
        [0.3 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights[:-1])]
        + [layer.get_weights()[-1]]
    )
    return layer


def test_numbers():
    layer = built(num_features=17)
    output = ops.convert_to_numpy(layer(QUERY, VALUE, value_mask=MASK))
    expected = oracle.linear(layer.get_weights(), QUERY, VALUE, key_mask=MASK)
    np.testing.assert_allclose(output, expected, atol=1e-5)
    x = draw(3, 71, 11)  # more than one chunk
    output = ops.convert_to_numpy(layer(x, x, use_causal_mask=True))
    expected = oracle.linear(layer.get_weights(), x, x, causal=True)
    np.testing.assert_allclose(output, expected, atol=1e-5)


def test_steps_give_the_whole_causal_sequence():
    layer = built(num_features=17)
    whole = ops.convert_to_numpy(layer(QUERY, QUERY, use_causal_mask=True))
    state = layer.initial_state(3)
    for t in range(5):
        output, state = layer.step(QUERY[:, t : t + 1], state)
        np.testing.assert_allclose(ops.convert_to_numpy(output)[:, 0], whole[:, t], atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_many_features_come_near_the_softmax_and_few_do_not(causal):
    errors, x = {}, QUERY / 2
    for count in (7, 7 * 512):
        layer = built(num_features=count, seed=3)
        exact = MultiHeadAttention(2, 7)
        exact.build(QUERY.shape, QUERY.shape)
        exact.set_weights(layer.get_weights()[:-1])  # its weights, as they are
        actual = ops.convert_to_numpy(layer(x, x, use_causal_mask=causal))
        expected = ops.convert_to_numpy(exact(x, x, use_causal_mask=causal))
        errors[count] = np.abs(actual - expected).mean() / np.abs(expected).mean()
    assert errors[7 * 512] < 0.03 < 0.1 < errors[7]


def test_products_of_features_have_the_exponential_as_their_mean():
    x, y = 0.7 * draw(2, 5)
    estimates = [
        oracle.random_features(orthogonal_gaussian(5, 5, seed))(np.stack([x, y]))
        for seed in range(4000)
    ]
    actual = np.mean([a @ b for a, b in estimates])
    np.testing.assert_allclose(actual, np.exp(x @ y / np.sqrt(5)), rtol=0.05)


def test_directions_are_orthogonal_in_blocks_and_as_long_as_gaussian_ones():
    directions = orthogonal_gaussian(7, 7 * 200 + 3, seed=1)
    for start in (0, 7):
        block = directions[:, start : start + 7]
        products = block.T @ block
        np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-9)
    np.testing.assert_allclose((directions**2).sum(0).mean(), 7, rtol=0.1)
    np.testing.assert_allclose(directions.mean(1), 0, atol=0.15)
    np.testing.assert_allclose(np.cov(directions), np.eye(7), atol=0.2)


def test_the_seed_fixes_the_features_and_training_leaves_them():
    first, again, other = (built(seed=seed).get_weights()[-1] for seed in (3, 3, 5))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.1
    layer = built()
    assert [tuple(w.shape) for w in layer.non_trainable_weights] == [(7, 256)]
    assert len(layer.trainable_weights) == 8


@pytest.mark.parametrize("policy", ["float32", "float16", "mixed_bfloat16"])
@pytest.mark.parametrize("scale", [10.0, 1000.0])
def test_long_queries_and_keys_give_finite_numbers(policy, scale):
    layer = RandomFeatureAttention(2, 7, num_features=17, dtype=policy)
    output = layer(scale * QUERY, scale * VALUE, value_mask=MASK)
    assert np.isfinite(ops.convert_to_numpy(ops.cast(output, "float32"))).all()
    assert keras.backend.standardize_dtype(output.dtype) == layer.compute_dtype


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="num_features must be a positive integer; received 0"):
        RandomFeatureAttention(2, 7, num_features=0)
