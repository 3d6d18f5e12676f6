"""The CTC loss against every alignment, against PyTorch, and at its edges."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.losses import CTCLoss, ctc_loss
from tests.gradients import value_and_gradient
from tests.oracles import ctc as oracle

B, T, L, V = 29, 5, 3, 7
REFERENCE = Path(__file__).parents[1] / "references" / "ctc.npz"


def batch(blank=0, seed=0):
    """Strings of every length, some with repeats, some longer than their frames."""
    random = np.random.default_rng(seed)
    labels = random.choice([k for k in range(V) if k != blank][:3], (B, L)).astype("int32")
    label_lengths, logit_lengths = random.integers(0, L + 1, B), random.integers(0, T + 1, B)
    logits = 2 * random.standard_normal((B, T, V)).astype("float32")
    return labels, logits, label_lengths, logit_lengths


def frames(lengths, size=T):
    return np.arange(size) < np.asarray(lengths)[:, None]


def possible(labels, label_lengths, logit_lengths):
    """Whether a string has an alignment: a repeated label needs a blank between."""
    strings = [y[:n] for y, n in zip(labels, label_lengths, strict=True)]
    return label_lengths + [(y[:-1] == y[1:]).sum() for y in strings] <= logit_lengths


def test_all_sizes_but_the_classes_may_be_unknown():
    labels, lengths = keras.Input((None,), dtype="int32"), keras.Input((), dtype="int32")
    given = [labels, keras.Input((None, V)), lengths, lengths]
    actual = keras.layers.Lambda(lambda x: ctc_loss(*x))(given)
    assert actual.shape == (None,)


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("blank", [0, 3, V - 1])
def test_equals_the_sum_over_all_alignments(blank, jit_compile):
    labels, logits, label_lengths, logit_lengths = batch(blank)
    weights = np.random.default_rng(1).uniform(0.5, 2, B).astype("float32")
    actual = []

    def total(z):
        actual.append(ctc_loss(labels, z, label_lengths, logit_lengths, blank))
        return ops.sum(actual[-1] * weights)

    def exact(z):
        return oracle.ctc_loss(labels, z, label_lengths, frames(logit_lengths), blank)

    value, gradient = value_and_gradient(total, logits, jit_compile)
    np.testing.assert_allclose(value, (weights * exact(logits)).sum(), rtol=1e-6)
    some = possible(labels, label_lengths, logit_lengths)
    assert 3 < some.sum() < B - 3
    np.testing.assert_array_equal(exact(logits) != 0, some & (logit_lengths > 0))
    for seed in range(3):
        direction = np.random.default_rng(seed).normal(size=logits.shape)
        step = 1e-6 * direction
        slope = (weights * (exact(logits + step) - exact(logits - step))).sum() / 2e-6
        np.testing.assert_allclose((gradient * direction).sum(), slope, rtol=1e-5, atol=1e-4)
    assert not gradient[~some].any()
    assert not gradient[~frames(logit_lengths)].any()
    if not jit_compile and keras.backend.backend() == "tensorflow":
        np.testing.assert_allclose(ops.convert_to_numpy(actual[0]), exact(logits), atol=1e-5)


def torch_case(name):
    with np.load(REFERENCE) as file:
        return {key.removeprefix(f"{name}_"): file[key] for key in file if key.startswith(name)}


@pytest.mark.parametrize(("name", "tolerance"), [("short", 1e-6), ("long", 1e-4)])
def test_equals_pytorch(name, tolerance):
    case = torch_case(name)
    given = [case[key] for key in ("labels", "label_lengths", "logit_lengths")]
    if name == "short":
        logits, shown = case["logits"], case["gradient"].shape[1]
        stride = 1
    else:
        shape, stride = (2, 2003, 7), 89
        count = np.arange(np.prod(shape), dtype="float64").reshape(shape)
        logits, shown = (4 * np.sin(count**1.3)).astype("float32"), 23

    def total(z):
        return ops.sum(ctc_loss(given[0], z, *given[1:], blank=int(case["blank"])))

    value, gradient = value_and_gradient(total, logits, jit_compile=True)
    np.testing.assert_allclose(value, case["loss"].sum(), rtol=1e-6)
    assert case["gradient"].shape[1] == shown
    np.testing.assert_allclose(gradient[:, ::stride], case["gradient"], atol=tolerance)


def test_a_repeated_label_needs_a_blank_between():
    logits = np.zeros((2, 3, V), "float32")
    loss = ops.convert_to_numpy(ctc_loss([[1, 1], [1, 1]], logits, [2, 2], [2, 3]))
    np.testing.assert_allclose(loss, [0.0, 3 * np.log(V)], rtol=1e-6)  # 1 - 1 is all there is


@pytest.mark.parametrize("length", [0, L])
def test_no_labels_are_blanks_all_the_way(length):
    logits = batch()[1]
    labels = np.ones((B, length), "int32")
    value, gradient = value_and_gradient(
        lambda z: ops.sum(ctc_loss(labels, z, np.zeros(B, "int32"), np.full(B, T))), logits
    )
    log_p = oracle.log_softmax(logits)
    np.testing.assert_allclose(value, -log_p[:, :, 0].sum(), rtol=1e-6)
    np.testing.assert_allclose(gradient, np.exp(log_p) - np.eye(V)[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("count", [0, 1])
def test_few_frames(count):
    labels, logits, *_ = batch()
    lengths = np.array([0, 1, 1, 2, *[0] * (B - 4)])

    def total(z):
        return ops.sum(ctc_loss(labels, z, lengths, np.full(B, count)))

    value, gradient = value_and_gradient(total, logits[:, :count])
    expected = oracle.ctc_loss(labels, logits[:, :count], lengths, np.ones((B, count)))
    np.testing.assert_allclose(value, expected.sum(), rtol=1e-6)
    assert np.isfinite(gradient).all()


def test_what_is_beyond_the_lengths_has_no_say():
    labels, logits, label_lengths, logit_lengths = batch()
    loss = ops.convert_to_numpy(ctc_loss(labels, logits, label_lengths, logit_lengths))
    labels = np.where(frames(label_lengths, L), labels, [[-1, 99, 0]])
    logits = np.where(frames(logit_lengths)[..., None], logits, np.arange(V) * 1e4)
    again = ctc_loss(labels, logits.astype("float32"), label_lengths, logit_lengths)
    np.testing.assert_array_equal(ops.convert_to_numpy(again), loss)


def test_large_logits():
    labels, logits, label_lengths, logit_lengths = batch()
    logits = logits * np.float32(1e4)
    value, gradient = value_and_gradient(
        lambda z: ops.sum(ctc_loss(labels, z, label_lengths, logit_lengths)), logits
    )
    expected = oracle.ctc_loss(labels, logits, label_lengths, frames(logit_lengths))
    np.testing.assert_allclose(value, expected.sum(), rtol=1e-6)
    assert np.isfinite(gradient).all()


def test_a_class_that_is_ruled_out():
    logits = batch()[1][:2]
    logits[:, :, 2] = -np.inf

    def total(z):
        return ops.sum(ctc_loss([[1, 3], [1, 2]], z, [2, 2], [T, T]))

    value, gradient = value_and_gradient(total, logits)
    np.testing.assert_allclose(value, -oracle.log_likelihood([1, 3], logits[0]), rtol=1e-6)
    assert np.isfinite(gradient).all() and gradient[0].any() and not gradient[1].any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_computes_in_float32(dtype):
    labels, logits, label_lengths, logit_lengths = batch()
    low = ops.cast(logits, dtype)
    loss = ctc_loss(labels, low, label_lengths, logit_lengths)
    assert keras.backend.standardize_dtype(loss.dtype) == "float32"
    exact = ops.convert_to_numpy(ops.cast(low, "float32"))
    expected = oracle.ctc_loss(labels, exact, label_lengths, frames(logit_lengths))
    np.testing.assert_allclose(ops.convert_to_numpy(loss), expected, atol=1e-5)


class Masked(keras.layers.Layer):
    """Passes a mask on as Keras does: implicitly, with its output."""

    def compute_mask(self, inputs, previous_mask=None):
        return inputs[..., 0] > 0

    def call(self, inputs):
        return inputs


@pytest.mark.parametrize("weighted", [False, True])
def test_loss_class_reads_lengths_from_padding_and_mask(weighted):
    labels, logits, label_lengths, _ = batch(blank=3)
    padding = np.where(np.arange(B) % 2, 3, -1)[:, None]  # the blank, or a negative number
    labels = np.where(frames(label_lengths, L), labels, padding)
    weights = np.random.default_rng(1).uniform(0.5, 2, B).astype("float32")
    loss = CTCLoss(blank=3)
    for mask, given in (
        (np.ones((B, T)), ops.convert_to_tensor(logits)),
        (logits[..., 0] > 0, Masked()(ops.convert_to_tensor(logits))),
    ):
        exact = oracle.ctc_loss(labels, logits, label_lengths, mask, blank=3)
        expected = np.average(exact, weights=weights if weighted else None)
        actual = loss(labels, given, weights if weighted else None)
        np.testing.assert_allclose(float(actual), expected, rtol=1e-6)


def test_labels_after_the_first_padding_are_not_read():
    logits = batch()[1][:1]
    loss = CTCLoss()
    assert float(loss([[1, 0, 2]], logits)) == float(loss([[1, 0, 0]], logits))
    assert float(loss([[1, 0, 2]], logits)) != float(loss([[1, 2, 0]], logits))


def test_config_round_trip():
    loss = CTCLoss(blank=4, name="strings")
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    assert isinstance(again, CTCLoss)
    assert again.get_config() == {"name": "strings", "blank": 4}


@pytest.mark.thorough
# JAX takes a minute where nothing is compiled.
@pytest.mark.parametrize("jit_compile", [False, True][keras.backend.backend() == "jax" :])
def test_trains(jit_compile):
    """With batch, frames and labels of unknown size."""
    random = np.random.default_rng(0)
    labels = random.integers(1, V, (8, L))
    inputs = np.repeat(np.eye(V, dtype="float32")[labels], 3, axis=1)
    model = keras.Sequential([keras.Input((None, V)), keras.layers.Dense(V)])
    model.compile(keras.optimizers.Adam(0.1), CTCLoss(), jit_compile=jit_compile)
    history = model.fit(inputs, labels, batch_size=4, epochs=20, verbose=0).history["loss"]
    assert history[-1] < 0.25 * history[0]


@pytest.mark.parametrize(
    ("labels", "logits", "blank", "message"),
    [
        ((3,), (3, 5, 7), 0, r"labels must have the shape \(B, L\).*\(3,\) and \(3, 5, 7\)"),
        ((3, 2), (5, 7), 0, r"logits \(B, T, V\)"),
        ((3, 2), (3, 5, 7), 7, "blank must be a class index from 0 to 6; received 7"),
        ((3, 2), (3, 5, 7), -1, "received -1"),
    ],
)
def test_bad_arguments(labels, logits, blank, message):
    labels, logits = np.ones(labels, "int32"), np.ones(logits, "float32")
    with pytest.raises(ValueError, match=message):
        ctc_loss(labels, logits, [1] * 3, [1] * 3, blank)
    with pytest.raises(ValueError, match=message):
        CTCLoss(blank=blank)(labels, logits)
