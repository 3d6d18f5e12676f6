"""CTC decoders against all strings, against a search over dictionaries, and as LiteRT files."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.functional.ctc_beam import ctc_beam_search
from keras_attn.functional.ctc_greedy import ctc_greedy_decode
from tests.litert import in_litert
from tests.oracles import ctc as oracle

BACKEND = keras.backend.backend()


def draw(batch, frames, classes, seed=0, scale=2.0):
    random = np.random.default_rng(seed)
    return (scale * random.standard_normal((batch, frames, classes))).astype("float32")


def strings(labels, lengths):
    """As tuples, checking that the rest is padding is left to the caller."""
    labels, lengths = ops.convert_to_numpy(labels), ops.convert_to_numpy(lengths)
    rows, sizes = labels.reshape(-1, labels.shape[-1]), lengths.reshape(-1)
    return [tuple(row[:n].tolist()) for row, n in zip(rows, sizes, strict=True)]


def padding(labels, lengths):
    labels, lengths = ops.convert_to_numpy(labels), ops.convert_to_numpy(lengths)
    return labels[np.arange(labels.shape[-1]) >= lengths[..., None]]


@pytest.mark.parametrize("blank", [0, 2])
def test_greedy_collapses_the_best_alignment(blank):
    logits = draw(31, 13, 3)
    lengths = np.arange(31) % 14
    labels, sizes, log_p = ctc_greedy_decode(logits, lengths, blank)
    best = [x[:n].argmax(-1) for x, n in zip(logits, lengths, strict=True)]
    assert strings(labels, sizes) == [oracle.collapse(path, blank) for path in best]
    assert (padding(labels, sizes) == blank).all()
    exact = [oracle.log_softmax(x[:n]).max(-1).sum() for x, n in zip(logits, lengths, strict=True)]
    np.testing.assert_allclose(ops.convert_to_numpy(log_p), exact, atol=1e-5)


@pytest.mark.parametrize("blank", [0, 1])
def test_beams_for_every_prefix_give_every_string(blank):
    logits, lengths = draw(5, 4, 3), np.array([4, 3, 2, 1, 0])
    labels, sizes, log_p = map(
        ops.convert_to_numpy, ctc_beam_search(logits, lengths, beams=32, blank=blank)
    )
    assert (padding(labels, sizes) == blank).all()
    for row, length in enumerate(lengths):
        exact = oracle.all_strings(logits[row, :length], blank)
        count = len(exact)
        actual = dict(zip(strings(labels[row], sizes[row])[:count], log_p[row], strict=False))
        assert set(actual) == set(exact)
        for string, probability in exact.items():
            np.testing.assert_allclose(actual[string], np.log(probability), atol=1e-5)
        assert (np.diff(log_p[row, :count]) <= 0).all()
        assert np.isneginf(log_p[row, count:]).all() and not sizes[row, count:].any()


@pytest.mark.parametrize(("beams", "blank"), [(1, 0), (3, 3), (7, 1)])
def test_beams_are_those_of_a_search_over_dictionaries(beams, blank):
    # Few classes and many frames: prefixes meet, fall out and come back.
    logits, lengths = draw(31, 17, 4, seed=beams, scale=1.5), np.arange(31) % 18
    labels, sizes, log_p = map(ops.convert_to_numpy, ctc_beam_search(logits, lengths, beams, blank))
    for row, length in enumerate(lengths):
        expected = oracle.prefix_beam_search(logits[row, :length], beams, blank)
        exact = [np.log(probability) for _, probability in expected]
        np.testing.assert_allclose(log_p[row, : len(exact)], exact, atol=1e-4)
        assert strings(labels[row], sizes[row])[: len(exact)] == [string for string, _ in expected]


@pytest.mark.parametrize(("beams", "blank"), [(3, 3), (7, 1), (64, 0)])
def test_scores_of_labels_are_part_of_the_search(beams, blank):
    logits, lengths = draw(13, 11, 4, seed=beams, scale=1.5), np.arange(13) % 12
    table = np.random.default_rng(beams).normal(size=(4, 4)).astype("float32")  # after, label

    def scores(prefixes, sizes):
        last = ops.expand_dims(ops.maximum(sizes - 1, 0), -1)
        last = ops.squeeze(ops.take_along_axis(prefixes, last, axis=-1), -1)
        return ops.take(ops.convert_to_tensor(table), last, axis=0)

    def factor(prefix, label):
        return float(np.exp(table[prefix[-1] if prefix else blank, label]))

    labels, sizes, log_p = map(
        ops.convert_to_numpy, ctc_beam_search(logits, lengths, beams, blank, scores)
    )
    for row, length in enumerate(lengths):
        expected = oracle.prefix_beam_search(logits[row, :length], beams, blank, factor)
        expected = [each for each in expected if each[1] > 0]
        exact = [np.log(probability) for _, probability in expected]
        np.testing.assert_allclose(log_p[row, : len(exact)], exact, atol=1e-4)
        assert strings(labels[row], sizes[row])[: len(exact)] == [string for string, _ in expected]


def test_the_best_string_may_have_no_best_alignment():
    logits = np.log([[[0.6, 0.4]] * 2]).astype("float32")
    assert strings(*ctc_greedy_decode(logits, [2])[:2]) == [()]
    labels, sizes, log_p = ctc_beam_search(logits, [2], beams=2)
    assert strings(labels, sizes) == [(1,), ()]
    np.testing.assert_allclose(
        ops.convert_to_numpy(log_p)[0], np.log([0.64, 0.36]), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_computes_in_float32(dtype):
    logits = ops.cast(draw(3, 13, 5), dtype)
    wide = ops.cast(logits, "float32")
    for actual, expected in (
        (ctc_greedy_decode(logits, [13] * 3), ctc_greedy_decode(wide, [13] * 3)),
        (ctc_beam_search(logits, [13] * 3, 2), ctc_beam_search(wide, [13] * 3, 2)),
    ):
        for a, b in zip(actual, expected, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(ops.convert_to_numpy(a), ops.convert_to_numpy(b))


@pytest.mark.parametrize("decode", [ctc_greedy_decode, lambda *a: ctc_beam_search(*a, beams=3)])
def test_no_frames(decode):
    labels, sizes, _ = decode(np.zeros((2, 0, 5), "float32"), [0, 0])
    assert labels.shape[-1] == 0 and not ops.convert_to_numpy(sizes).any()


def test_ruled_out_classes_make_no_nan():
    logits = draw(3, 5, 4)
    logits[:, :, 2] = -np.inf
    labels, _, log_p = ctc_beam_search(logits, [5] * 3, beams=7)
    assert np.isfinite(ops.convert_to_numpy(log_p)).all()
    assert not (ops.convert_to_numpy(labels) == 2).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beams": 0}, "beams must be at least 1; received 0"),
        ({"beams": 2, "blank": 5}, "blank must be a class index from 0 to 4; received 5"),
        (
            {"beams": 2, "logits": np.zeros((3, 5))},
            r"logits must have the shape \(B, T, V\); received \(3, 5\)",
        ),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"logits": np.zeros((2, 3, 5), "float32"), "logit_lengths": [3, 3]} | arguments
    with pytest.raises(ValueError, match=message):
        ctc_beam_search(**given)
    if given.pop("beams"):
        with pytest.raises(ValueError, match=message):
            ctc_greedy_decode(**given)


@pytest.mark.thorough
@pytest.mark.skipif(BACKEND != "tensorflow", reason="LiteRT files are made from TensorFlow")
@pytest.mark.parametrize("name", ["greedy", "beams"])
def test_litert(name):
    """Built-in operators only, any batch and any number of frames."""
    import tensorflow as tf

    def decode(logits, lengths):
        if name == "greedy":
            return ctc_greedy_decode(logits, lengths)
        return ctc_beam_search(logits, lengths, beams=3)

    file = in_litert(
        lambda logits, lengths: dict(zip("abc", decode(logits, lengths), strict=True)),
        {"logits": tf.TensorSpec((None, None, 5)), "lengths": tf.TensorSpec((None,), tf.int32)},
    )
    for batch, frames in [(3, 7), (2, 13)]:
        logits, lengths = draw(batch, frames, 5), np.arange(frames, frames - batch, -1)
        actual = file(logits=logits, lengths=lengths.astype("int32"))
        for key, expected in zip("abc", decode(logits, lengths), strict=True):
            np.testing.assert_allclose(actual[key], ops.convert_to_numpy(expected), atol=1e-5)
