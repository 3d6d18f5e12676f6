"""The penalty of heads that look alike."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.regularizers import HeadDiversity
from tests.gradients import value_and_gradient
from tests.oracles import other_attention as oracle


def shares(seed=1):
    table = np.random.default_rng(seed).random((3, 2, 5, 7))
    return (table / table.sum(-1, keepdims=True)).astype("float32")


def test_numbers():
    weights = shares()
    weights[1, :, 2:] = 0  # masked queries
    weights[2] = 0
    actual = HeadDiversity(0.3)(weights)
    np.testing.assert_allclose(actual, oracle.head_diversity(weights, 0.3), rtol=1e-5)


def test_by_hand():
    apart = np.eye(2, 3, dtype="float32").reshape(1, 2, 1, 3)
    assert float(HeadDiversity()(apart)) == 0
    alike = np.broadcast_to(apart[:, :1], (1, 2, 1, 3))
    assert float(HeadDiversity(0.5)(alike)) == 1  # [[0, 1], [1, 0]] squared and halved
    spread = np.full((1, 1, 1, 4), 0.25, "float32")
    assert float(HeadDiversity()(spread)) == 0.75**2


def test_neither_batch_nor_length_changes_a_layer_s_penalty():
    weights = shares()

    def penalty(weights):
        layer = keras.layers.Activation("linear", activity_regularizer=HeadDiversity(0.3))
        layer(weights)
        return float(layer.losses[0])

    whole = penalty(weights)
    assert penalty(np.concatenate([weights, weights])) == pytest.approx(whole, rel=1e-5)
    assert penalty(np.concatenate([weights, weights], axis=2)) == pytest.approx(whole, rel=1e-5)
    padded = np.concatenate([weights, 0 * weights], axis=2)
    assert penalty(padded) == pytest.approx(whole, rel=1e-5)


def test_gradient_is_zero_for_masked_queries():
    weights = shares()
    weights[1, :, 2:] = 0
    _, gradient = value_and_gradient(HeadDiversity(), weights)
    assert (gradient[1, :, 2:] == 0).all() and gradient[0].all()
    step = np.zeros_like(weights)
    step[0, 1, 2, 3] = 1e-3
    slope = [oracle.head_diversity(weights.astype(float) + s * step) for s in (1, -1)]
    np.testing.assert_allclose(gradient[0, 1, 2, 3], (slope[0] - slope[1]) / 2e-3, rtol=1e-3)


def test_half_precision_is_summed_in_float32():
    weights = ops.cast(shares(), "float16")
    actual = HeadDiversity()(weights)
    assert keras.backend.standardize_dtype(actual.dtype) == "float32"
    np.testing.assert_allclose(
        actual, oracle.head_diversity(ops.convert_to_numpy(weights)), rtol=1e-5
    )


def model_of(strength, jit_compile=False, **options):
    """A model whose attention weights are no output."""
    keras.utils.set_random_seed(3)
    x = keras.Input((5, 11))
    penalty = HeadDiversity(strength) if strength else None
    attention = MultiHeadAttention(2, 7, attention_regularizer=penalty, **options)
    model = keras.Model(x, attention(x, x))
    model.compile(keras.optimizers.Adam(0.02), loss="mse", jit_compile=jit_compile)
    return model


INPUTS = np.random.default_rng(1).normal(size=(13, 5, 11)).astype("float32")


def maps_of(model):
    _, maps = model.layers[-1](INPUTS, INPUTS, return_attention_scores=True)
    return ops.convert_to_numpy(maps)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_the_penalty_is_part_of_the_loss_of_training(jit_compile):
    plain, penalized = model_of(0), model_of(3.0, jit_compile)
    expected = float(plain.train_on_batch(INPUTS, INPUTS))
    expected += oracle.head_diversity(maps_of(penalized), 3.0) / 13
    actual = float(penalized.train_on_batch(INPUTS, INPUTS))
    assert actual == pytest.approx(expected, rel=1e-4)
    assert actual > 2
    untrained = model_of(3.0)
    assert float(untrained.test_on_batch(INPUTS, INPUTS)) == pytest.approx(
        float(model_of(0).test_on_batch(INPUTS, INPUTS)), rel=1e-6
    )


def test_training_with_it_drives_heads_apart_and_it_is_saved(tmp_path):
    def penalty_after(strength):
        model = model_of(strength)
        model.fit(INPUTS, INPUTS, epochs=30, verbose=0)
        return oracle.head_diversity(maps_of(model)) / 13, model

    plain, _ = penalty_after(0)
    apart, model = penalty_after(3.0)
    assert apart < 0.7 * plain
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras").layers[-1]
    assert again.attention_regularizer.get_config() == {"strength": 3.0}


def test_padding_does_not_count_in_a_block():
    attention = MultiHeadAttention(2, 7, attention_regularizer=HeadDiversity())
    block = EncoderBlock(attention=attention, intermediate_dim=5)
    mask = np.arange(5) < np.array([5, 3, 1])[:, None]

    def penalty(x, mask):
        block(x, padding_mask=mask, training=True)
        return float(block.losses[0])

    alone = [penalty(INPUTS[i : i + 1, :n], None) for i, n in enumerate((5, 3, 1))]
    assert penalty(INPUTS[:3], mask) == pytest.approx(sum(alone) / 3, rel=1e-5)


def test_there_is_no_flash_attention_with_it():
    with pytest.raises(ValueError, match="no attention_regularizer"):
        MultiHeadAttention(2, 8, flash_attention=True, attention_regularizer=HeadDiversity())


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="strength must be 0 or greater; received -1"):
        HeadDiversity(-1)
    with pytest.raises(ValueError, match=r"axes \(B, H, T, S\); received shape \(3, 7\)"):
        HeadDiversity()(np.ones((3, 7)))
