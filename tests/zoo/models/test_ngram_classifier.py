"""The n-gram classifier against NumPy float64 and scikit-learn."""

import keras
import numpy as np
import pytest
from keras import ops
from sklearn.feature_extraction.text import TfidfVectorizer

from tests.litert import converted
from tests.zoo.models.families import run
from tests.zoo.models.language_models import batch
from zoo.models.create import create_model
from zoo.models.term_pooling import TermPooling

SIZES = {"vocabulary_size": 23, "num_classes": 5, "num_buckets": 53}


def make(**config):
    model = create_model("ngram_classifier", **{**SIZES, **config})
    for number, weight in enumerate(model.weights):
        weight.assign(np.abs(0.35 * np.random.default_rng(number).normal(size=weight.shape)))
    return model


def pooled(ids, idf, table):
    """The formula, term by term."""
    terms, counts = np.unique(ids, return_counts=True)
    values = (1 + np.log(counts)) * idf[terms]
    length = np.sqrt((values**2).sum())
    return (values / length if length else values) @ table[terms]


def grams(ids, n, buckets):
    actual = list(ids)
    for _ in range(n - 1):
        pairs = zip(actual[:-1], ids[len(ids) - len(actual) + 1 :], strict=True)
        actual = [(a * 8191 + b) % buckets for a, b in pairs]
    return np.array(actual, int)


@pytest.mark.parametrize("ngrams", [1, 2, 3])
def test_logits_are_those_of_the_formulas(ngrams):
    model, inputs = make(ngrams=ngrams, ngram_weight=0.7), batch()
    weights = [[w.numpy().astype("float64") for w in each.weights] for each in model.poolings]
    expected = []
    for ids, mask in zip(*inputs.values(), strict=True):
        logits = ops.convert_to_numpy(model.bias.bias).astype("float64")
        for n, (table, idf) in enumerate(weights, 1):
            terms = ids[mask] if n == 1 else grams(ids[mask].tolist(), n, 53)
            logits = logits + (1 if n == 1 else 0.7) * pooled(terms, idf, table)
        expected.append(logits)
    np.testing.assert_allclose(run(model, inputs), expected, atol=1e-5)


def test_weights_are_those_of_scikit_learn():
    texts = ["1 2 3 2", "3 4", "4 4 4 1 9", "5"]
    new = ["2 2 3 4", "9 9 1 7", "7 7"]
    peer = TfidfVectorizer(token_pattern=r"\d+", sublinear_tf=True)
    peer.fit(texts)
    expected = np.zeros((3, 11))
    expected[:, [int(name) for name in peer.get_feature_names_out()]] = peer.transform(
        new
    ).toarray()
    pooling = TermPooling(11, 11)
    pooling.adapt([list(map(int, text.split())) for text in texts])
    pooling.embeddings.assign(np.eye(11))
    rows = [list(map(int, text.split())) for text in new]
    ids = np.array([row + [0] * (5 - len(row)) for row in rows])
    actual = ops.convert_to_numpy(pooling(ids, ids > 0))
    np.testing.assert_allclose(actual, expected, atol=1e-6)
    assert not actual[2].any()  # no term is known


def test_terms_are_counted_once_in_a_text_and_not_in_padding():
    model = make()
    ids = np.array([[4, 7, 4, 7, 0], [7, 4, 0, 0, 0], [0, 0, 0, 0, 0]])
    batches = [{"token_ids": x, "padding_mask": x > 0} for x in (ids[:2], ids[2:])]
    model.adapt(iter(batches))
    tokens, pairs = (pooling.idf.numpy() for pooling in model.poolings)
    assert np.flatnonzero(tokens).tolist() == [4, 7]
    np.testing.assert_allclose(tokens[[4, 7]], 1 + np.log(4 / 3), rtol=1e-6)
    first, second = (4 * 8191 + 7) % 53, (7 * 8191 + 4) % 53
    expected = {first: 1 + np.log(4 / 2), second: 1 + np.log(4 / 3)}
    assert sorted(np.flatnonzero(pairs)) == sorted(expected)
    np.testing.assert_allclose(pairs[list(expected)], list(expected.values()), rtol=1e-6)


def test_padding_does_not_matter():
    model, inputs = make(ngrams=3), batch()
    whole = run(model, inputs)
    for row, length in enumerate(inputs["padding_mask"].sum(1)):
        own = {key: value[row : row + 1, :length] for key, value in inputs.items()}
        np.testing.assert_allclose(whole[row], run(model, own)[0], atol=5e-6)


def test_ids_of_large_vocabularies_do_not_overflow():
    model = make(vocabulary_size=3_000_017, num_buckets=131_071, ngrams=2)
    ids = np.array([[3_000_000, 2_999_999]])
    (_, _), (pairs, mask) = model.terms(ops.convert_to_tensor(ids, "int32"), ids > 0)
    expected = (3_000_000 % 131_071 * 8191 + 2_999_999 % 131_071) % 131_071
    assert ops.convert_to_numpy(pairs)[0, 1] == expected
    assert ops.convert_to_numpy(mask).tolist() == [[False, True]]


def test_a_file_gives_the_same_numbers(tmp_path):
    model = make(ngrams=3)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@pytest.mark.thorough
def test_a_text_without_known_terms_is_zero_also_in_float16():
    import tensorflow as tf
    from ai_edge_litert.interpreter import Interpreter

    pooling = TermPooling(5, 3)
    pooling.embeddings.assign(np.arange(1.0, 16).reshape(5, 3) / 8)
    pooling.idf.assign([1.5, 1, 0, 0, 2])
    specs = {"ids": tf.TensorSpec((None, None), "int32")}
    files = converted(
        lambda ids: {"y": pooling(ids, ids >= 0)},
        specs,
        [weight.value for weight in pooling.weights],
        ["float16"],
    )
    ids = np.array([[2, 3, 3], [0, 1, 1], [4, 2, 2]], "int32")
    runner = Interpreter(model_content=files["float16"]).get_signature_runner("serving_default")
    expected = [pooled(row, pooling.idf.numpy(), pooling.embeddings.numpy()) for row in ids]
    np.testing.assert_allclose(runner(ids=ids)["y"], expected, atol=2e-3)
    assert not np.any(expected[0])


def test_too_many_buckets():
    with pytest.raises(ValueError, match="num_buckets must be at most 131071; received: 131072"):
        make(num_buckets=131_072)
