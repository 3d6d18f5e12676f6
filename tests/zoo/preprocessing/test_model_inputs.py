"""Ids to the inputs of models, against NumPy, row by row; eagerly and in a graph."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zoo.preprocessing.vocabularies import OF_BART, OF_GPT2
from zoo.preprocessing.base import TensorSpec
from zoo.preprocessing.model_inputs import (
    encoder_inputs,
    next_token_inputs,
    source_inputs,
    teacher_forcing,
)
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS

VOCABULARIES = {"ours": DEFAULT_SPECIAL_TOKENS, "bart": OF_BART, "gpt2": OF_GPT2}


@st.composite
def batches(draw, min_length=0):
    """Special tokens, and rows of ids as a list: any ids but padding, end tokens among them."""
    special = VOCABULARIES[draw(st.sampled_from(sorted(VOCABULARIES)))]
    token = st.sampled_from([i for i in (*range(9), special.end) if i != special.pad])
    rows = draw(st.lists(st.lists(token, min_size=min_length, max_size=7), min_size=1, max_size=5))
    return special, rows


def tensor(rows, special, length=7):
    padded = [[*row, *[special.pad] * (length - len(row))] for row in rows]
    return tf.constant(padded, tf.int32)


def graph(function):
    """The function as one graph for batches of all sizes."""
    any_ids = tf.TensorSpec([None, None], tf.int32)

    def call(*ids):
        traced = tf.function(function, input_signature=[any_ids] * len(ids), autograph=False)
        return traced(*ids)

    return call


@settings(max_examples=40, deadline=None)
@given(batches(), st.sampled_from([None, 3, 11]))
def test_segments_begin_behind_the_first_end_token(drawn, limit):
    special, rows = drawn
    ids = tensor(rows, special)
    actual = encoder_inputs(ids, special, limit)
    length = min(7, limit or 7)
    for number, row in enumerate(rows):
        row = row[:length]
        behind = row.index(special.end) + 1 if special.end in row else len(row)
        pads = length - len(row)
        assert actual["token_ids"][number].numpy().tolist() == [*row, *[special.pad] * pads]
        assert actual["padding_mask"][number].numpy().tolist() == [True] * len(row) + [False] * pads
        segments = [*[0] * behind, *[1] * (len(row) - behind), *[0] * pads]
        assert actual["segment_ids"][number].numpy().tolist() == segments
    assert {name: x.dtype.name for name, x in actual.items()} == {
        "token_ids": "int32",
        "padding_mask": "bool",
        "segment_ids": "int32",
    }
    assert set(encoder_inputs(ids, special, segments=False)) == {"token_ids", "padding_mask"}
    source = source_inputs(ids, special, limit)
    np.testing.assert_array_equal(source["source_ids"], actual["token_ids"])
    np.testing.assert_array_equal(source["source_mask"], actual["padding_mask"])


@settings(max_examples=40, deadline=None)
@given(batches(), batches())
def test_targets_are_shifted_by_what_decoders_read_first(sources, targets):
    special, rows = targets
    ids, labels = tensor(sources[1], special), tensor(rows, special)
    actual = teacher_forcing(ids, labels, special, max_sequence_length=5)
    np.testing.assert_array_equal(actual["source_ids"], ids[:, :5])
    np.testing.assert_array_equal(actual["source_mask"], ids[:, :5] != special.pad)
    for number, row in enumerate(rows):
        expected = [special.first_read, *row][: len(row)]
        pads = 7 - len(row)
        assert actual["target_ids"][number].numpy().tolist() == [*expected, *[special.pad] * pads]
        assert actual["target_mask"][number].numpy().tolist() == [True] * len(row) + [False] * pads
    assert actual["target_ids"].dtype == tf.int32 and actual["target_mask"].dtype == tf.bool


@settings(max_examples=40, deadline=None)
@given(batches(min_length=1))
def test_each_token_predicts_the_one_after_it(drawn):
    special, rows = drawn
    actual, labels = next_token_inputs(tensor(rows, special), special)
    for number, row in enumerate(rows):
        pairs = list(itertools.pairwise(row))
        pads = [special.pad] * (6 - len(pairs))
        assert actual["token_ids"][number].numpy().tolist() == [*(a for a, _ in pairs), *pads]
        assert labels[number].numpy().tolist() == [*(b for _, b in pairs), *pads]
        mask = actual["padding_mask"][number].numpy()
        assert mask.tolist() == [True] * len(pairs) + [False] * len(pads)


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("limit", [None, 5])
def test_a_graph_for_all_sizes_gives_the_same(name, limit):
    special = VOCABULARIES[name]
    rng = np.random.default_rng(3)
    rows = [[*rng.integers(4, 97, n), special.end, *rng.integers(4, 97, n)] for n in (3, 1, 2)]
    first, second = tensor(rows, special), tensor(rows[::-1], special)
    functions = {
        lambda x: encoder_inputs(x, special, limit): [first],
        lambda x: source_inputs(x, special, limit): [first],
        lambda x, y: teacher_forcing(x, y, special, limit): [first, second],
        lambda x: next_token_inputs(x, special): [first],
    }
    for function, arguments in functions.items():
        expected, actual = function(*arguments), graph(function)(*arguments)
        for one, other in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_specs_name_the_dynamic_axes():
    spec = TensorSpec(("batch", 3, "length"), "bool", padding=False)
    assert spec.tensorflow == tf.TensorSpec((None, 3, None), tf.bool)
