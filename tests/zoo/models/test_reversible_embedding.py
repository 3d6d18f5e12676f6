import keras
import numpy as np
import pytest
from keras import ops

from tests.gradients import value_and_gradient
from zoo.models.reversible_embedding import ReversibleEmbedding, logits_of

RNG = np.random.default_rng(3)
TABLE = RNG.normal(size=(13, 5)).astype("float32")
STATES = RNG.normal(size=(2, 3, 5)).astype("float32")
UPSTREAM = RNG.normal(size=(2, 3, 13)).astype("float32")


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16", "mixed_float16"])
def test_ids_and_logits_are_those_of_keras(policy, tied):
    options = {"tie_weights": tied, "dtype": policy}
    ours = ReversibleEmbedding(13, 5, **options)
    theirs = keras.layers.ReversibleEmbedding(13, 5, reverse_dtype="float32", **options)
    for layer in (ours, theirs):
        layer.build()
        layer.set_weights([TABLE] if tied else [TABLE, TABLE.T[::-1]])
    ids = np.array([[12, 0, 7]])
    x = ops.cast(STATES, ours.compute_dtype)
    for actual, expected in (
        (ours(ids), theirs(ids)),
        (ours(x, reverse=True), theirs(x, reverse=True)),
    ):
        assert actual.dtype == expected.dtype
        actual, expected = (np.array(ops.cast(y, "float32")) for y in (actual, expected))
        np.testing.assert_allclose(actual, expected, rtol=1e-6)


@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("of", ["states", "embeddings"])
def test_gradients_in_sixteen_bits_are_those_of_the_product(of, xla):
    """To the rounding of bfloat16; that of float32 logits would differ by it, too."""
    upstream = ops.convert_to_tensor(UPSTREAM)
    expected = {
        "states": UPSTREAM @ TABLE,
        "embeddings": np.einsum("btv,btd->vd", UPSTREAM, STATES),
    }[of]

    def loss(given):
        x = given if of == "states" else ops.convert_to_tensor(STATES)
        table = given if of == "embeddings" else ops.convert_to_tensor(TABLE)
        x, table = (ops.cast(each, "bfloat16") for each in (x, table))
        return ops.sum(logits_of(x, table) * upstream)

    _, actual = value_and_gradient(loss, STATES if of == "states" else TABLE, xla)
    difference = np.linalg.norm(actual - expected) / np.linalg.norm(expected)
    assert 1e-4 < difference < 1e-2
