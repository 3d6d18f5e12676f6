"""The character n-gram against counts by hand."""

import numpy as np
import pytest
from keras import ops

from zoo.decoding.character_ngram import CharacterNgram

CLASSES = 5


def rows(count=23):
    random = np.random.default_rng(3)
    return [random.integers(1, CLASSES, random.integers(1, 9)).tolist() for _ in range(count)]


def probability(label, context, data):
    """Witten-Bell, from the shortest context up."""
    actual = 1 / (CLASSES - 1)
    for length in range(len(context) + 1):
        after = context[len(context) - length :]
        seen = []
        for row in data:
            padded = [0] * len(context) + row
            seen += [
                padded[i]
                for i in range(len(context), len(padded))
                if tuple(padded[i - length : i]) == tuple(after)
            ]
        kinds = len(set(seen))
        if seen:
            actual = (seen.count(label) + kinds * actual) / (len(seen) + kinds)
    return actual


@pytest.mark.parametrize("order", [1, 2, 3])
def test_equals_the_counts(order):
    data = rows()
    table = CharacterNgram.of(data, order, CLASSES).table
    random = np.random.default_rng(7)
    for _ in range(29):
        context = tuple(random.integers(0, CLASSES, order - 1).tolist())
        for label in range(1, CLASSES):
            actual = np.exp(table[(*context, label)])
            assert actual == pytest.approx(probability(label, context, data), rel=1e-5)
    np.testing.assert_allclose(np.exp(table[..., 1:]).sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_scores_follow_the_end_of_each_prefix(order):
    model = CharacterNgram.of(rows(), order, CLASSES)
    prefixes, lengths = np.array([[[3, 1, 4, 0], [2, 0, 0, 0], [0] * 4]]), np.array([[3, 1, 0]])
    actual = ops.convert_to_numpy(model.scores(0.25)(ops.array(prefixes), ops.array(lengths)))
    for place, prefix in enumerate(([3, 1, 4], [2], [])):
        context = tuple(([0, 0] + prefix)[len(prefix) + 3 - order :])
        np.testing.assert_allclose(actual[0, place], 0.25 * model.table[context], rtol=1e-6)
