import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.losses import MaskedCrossentropy, token_crossentropy
from keras_attn.metrics import MaskedAccuracy
from tests.gradients import value_and_gradient
from tests.oracles import losses as oracle

B, T, V = 3, 5, 11


def batch(seed=0, ignored=((0, 3), (0, 4), (2, 1))):
    """Labels and logits; the labels at `ignored` are 0."""
    random = np.random.default_rng(seed)
    labels = random.integers(1, V, (B, T)).astype("int32")
    for position in ignored:
        labels[position] = 0
    return labels, 3 * random.standard_normal((B, T, V)).astype("float32")


def test_by_hand():
    # softmax([0, log 3]) = [1/4, 3/4]; a smoothing of 0.2 makes the target [0.1, 0.9].
    loss = token_crossentropy([1], [[0.0, np.log(3.0)]], label_smoothing=0.2)
    expected = -0.1 * np.log(0.25) - 0.9 * np.log(0.75)
    np.testing.assert_allclose(ops.convert_to_numpy(loss), [expected], rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    smoothing=st.sampled_from([0.0, 0.1, 0.73]),
    weighting=st.sampled_from([None, "token", "sample"]),
    scale=st.sampled_from([1.0, 1e4]),
)
def test_equals_oracle(seed, smoothing, weighting, scale):
    labels, logits = batch(seed)
    logits = logits * np.float32(scale)
    weights = np.random.default_rng(seed + 1).uniform(0.1, 3, (B, T)).astype("float32")
    weights = {None: None, "token": weights, "sample": weights[:, 0]}[weighting]
    loss = MaskedCrossentropy(label_smoothing=smoothing)(labels, logits, weights)
    expected = oracle.masked_crossentropy(labels, logits, smoothing, sample_weight=weights)
    np.testing.assert_allclose(float(loss), expected, rtol=2e-6)


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gradient_equals_oracle(smoothing, jit_compile):
    labels, logits = batch()
    loss = MaskedCrossentropy(label_smoothing=smoothing)
    value, gradient = value_and_gradient(lambda z: loss(labels, z), logits, jit_compile)
    expected = oracle.crossentropy_gradient(labels, logits, smoothing)
    np.testing.assert_allclose(value, oracle.masked_crossentropy(labels, logits, smoothing), 1e-5)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


def test_one_label_for_each_row():
    logits = np.random.default_rng(3).normal(size=(5, 7)).astype("float32")
    labels = np.array([0, 3, 6, 2, 2])
    actual = MaskedCrossentropy(ignore_id=2)(labels, logits)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    expected = -log_p[[0, 1, 2], labels[:3]].mean()
    np.testing.assert_allclose(ops.convert_to_numpy(actual), expected, rtol=1e-6)
    accuracy = MaskedAccuracy(ignore_id=2)
    accuracy.update_state(labels, logits)
    expected = (logits.argmax(axis=-1) == labels)[:3].mean()
    np.testing.assert_allclose(ops.convert_to_numpy(accuracy.result()), expected, rtol=1e-6)


def test_ignored_positions_change_nothing():
    labels, logits = batch()
    loss = MaskedCrossentropy(label_smoothing=0.1)
    changed = logits + np.where(labels == 0, 50.0, 0.0)[..., None].astype("float32") * logits
    assert float(loss(labels, changed)) == float(loss(labels, logits))


def test_ignore_id_outside_the_vocabulary():
    labels, logits = batch()
    labels[labels == 0] = -100
    labels[1, 2] = 0  # an ordinary token now
    loss = MaskedCrossentropy(ignore_id=-100)(labels, logits)
    expected = oracle.masked_crossentropy(labels, logits, ignore_id=-100)
    np.testing.assert_allclose(float(loss), expected, rtol=1e-6)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_nothing_counts(jit_compile):
    _, logits = batch()
    labels = np.zeros((B, T), "int32")
    loss = MaskedCrossentropy(label_smoothing=0.1)
    value, gradient = value_and_gradient(lambda z: loss(labels, z), logits, jit_compile)
    assert value == 0.0
    assert np.array_equal(gradient, np.zeros_like(logits))


class Doubled(keras.layers.Layer):
    """Passes a mask on as Keras does: implicitly, with its output."""

    def compute_mask(self, inputs, previous_mask=None):
        return inputs[..., 0] > 0

    def call(self, inputs):
        return 2 * inputs


@pytest.mark.parametrize("weighted", [False, True])
def test_keras_implicit_mask(weighted):
    labels, logits = batch()
    logits[0, 1, 0] = -1.0  # masked though its label counts
    logits[1, 1, 0] = 1.0
    weights = np.array([0.5, 2.0, 3.0], "float32") if weighted else None
    loss = MaskedCrossentropy()(labels, Doubled()(ops.convert_to_tensor(logits)), weights)
    mask = logits[..., 0] > 0
    expected = oracle.masked_crossentropy(labels, 2 * logits, mask=mask, sample_weight=weights)
    assert 0 < mask[labels != 0].sum() < (labels != 0).sum()
    np.testing.assert_allclose(float(loss), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_computes_in_float32(dtype):
    labels, logits = batch()
    low = ops.cast(logits, dtype)
    exact = ops.convert_to_numpy(ops.cast(low, "float32"))
    loss = token_crossentropy(labels, low, label_smoothing=0.1)
    assert keras.backend.standardize_dtype(loss.dtype) == "float32"
    expected = oracle.token_crossentropy(labels, exact, 0.1)
    np.testing.assert_allclose(ops.convert_to_numpy(loss), expected, rtol=1e-5)


def test_large_token_ids():
    labels = np.array([[70_001, 70_000]], "int32")
    logits = np.zeros((1, 2, 70_003), "float32")
    logits[0, 0, 70_001] = logits[0, 1, 70_000] = 100.0
    assert float(MaskedCrossentropy()(labels, logits)) < 1e-6


def test_config_round_trip():
    loss = MaskedCrossentropy(label_smoothing=0.3, ignore_id=7, name="smoothed")
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    labels, logits = batch()
    assert isinstance(again, MaskedCrossentropy)
    assert again.get_config() == {"name": "smoothed", "label_smoothing": 0.3, "ignore_id": 7}
    assert float(again(labels, logits)) == float(loss(labels, logits))
    assert float(again(labels, logits)) != float(MaskedCrossentropy()(labels, logits))


def test_trains_under_xla():
    labels, inputs = batch()
    model = keras.Sequential([keras.Input((None, V)), keras.layers.Dense(V)])
    model.compile("sgd", MaskedCrossentropy(0.1), jit_compile=True)
    history = model.fit(inputs, labels, batch_size=B, epochs=3, verbose=0).history["loss"]
    assert history[2] < history[0]


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_bad_smoothing(smoothing):
    with pytest.raises(ValueError, match=r"label_smoothing must be in \[0, 1\)"):
        MaskedCrossentropy(label_smoothing=smoothing)


def test_bad_shapes():
    with pytest.raises(ValueError, match=r"labels \(3, 5, 11\) and logits \(3, 5, 11\)"):
        MaskedCrossentropy()(np.ones((B, T, V)), np.ones((B, T, V)))


def test_a_label_outside_of_the_vocabulary_has_no_loss_on_jax():
    if keras.backend.backend() != "jax":
        pytest.skip("TensorFlow raises an error")
    losses = token_crossentropy(np.array([0, 3, 4, 7]), np.ones((4, 4), "float32"))
    assert np.isfinite(losses[:2]).all() and np.isnan(losses[2:]).all()
