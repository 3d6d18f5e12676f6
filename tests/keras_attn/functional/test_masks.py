"""Masks, position by position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.functional.masks import (
    causal_mask,
    local_mask,
    merge_attention_masks,
    merge_masks,
    padding_mask,
    prefix_mask,
)

lengths = st.integers(1, 9)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), lengths)
def test_padding_mask_is_true_before_the_length(each, length):
    mask = ops.convert_to_numpy(padding_mask(np.array(each), length))
    np.testing.assert_array_equal(mask, [[s < n for s in range(length)] for n in each])


@settings(max_examples=10, deadline=None)
@given(lengths, lengths, st.integers(-3, 5))
def test_causal_mask_hides_what_comes_after(t_length, s_length, offset):
    mask = ops.convert_to_numpy(causal_mask(t_length, s_length, offset))
    expected = [[s <= t + offset for s in range(s_length)] for t in range(t_length)]
    np.testing.assert_array_equal(mask, [expected])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), lengths)
def test_prefix_mask_is_causal_after_an_open_prefix(prefixes, n):
    mask = ops.convert_to_numpy(prefix_mask(np.array(prefixes), n))
    expected = [[[s <= t or s < p for s in range(n)] for t in range(n)] for p in prefixes]
    np.testing.assert_array_equal(mask, expected)


@settings(max_examples=10, deadline=None)
@given(lengths, lengths, st.integers(0, 4))
def test_local_mask_reaches_as_far_as_its_window(t_length, s_length, window):
    mask = ops.convert_to_numpy(local_mask(t_length, s_length, window))
    expected = [[abs(t - s) <= window for s in range(s_length)] for t in range(t_length)]
    np.testing.assert_array_equal(mask, [expected])


def test_causal_mask_takes_a_tensor_as_offset():
    mask = ops.convert_to_numpy(causal_mask(1, 5, ops.convert_to_tensor(2)))
    assert mask.tolist() == [[[True, True, True, False, False]]]


def test_masks_of_all_kinds_hold_together():
    rng = np.random.default_rng(7)
    query, value = np.zeros((3, 5, 11)), np.zeros((3, 7, 11))
    given_masks = {
        "attention_mask": rng.random((3, 5, 7)) > 0.2,
        "query_mask": rng.random((3, 5)) > 0.2,
        "value_mask": rng.random((3, 7)) > 0.2,
        "key_mask": rng.random((3, 7)) > 0.2,
    }
    mask = merge_attention_masks(query, value, use_causal_mask=True, **given_masks)
    expected = (
        given_masks["attention_mask"]
        & given_masks["query_mask"][:, :, None]
        & given_masks["value_mask"][:, None, :]
        & given_masks["key_mask"][:, None, :]
        & (np.arange(7) <= np.arange(5)[:, None])
    )
    assert expected.any() and not expected.all()
    np.testing.assert_array_equal(ops.convert_to_numpy(mask), expected)


def test_a_mask_of_heads_meets_masks_without():
    rng = np.random.default_rng(7)
    per_head, of_value = rng.random((3, 2, 5, 7)) > 0.5, rng.random((3, 7)) > 0.5
    mask = merge_attention_masks(
        np.zeros((3, 5, 11)), np.zeros((3, 7, 11)), attention_mask=per_head, value_mask=of_value
    )
    expected = per_head & of_value[:, None, None, :]
    np.testing.assert_array_equal(ops.convert_to_numpy(mask), expected)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
def test_masks_of_numbers_count_as_masks(dtype):
    merged = merge_masks(
        ops.convert_to_tensor([1, 1, 0], dtype), None, np.array([True, False, True])
    )
    assert ops.convert_to_numpy(merged).tolist() == [True, False, False]


def test_no_mask_is_no_mask():
    assert merge_attention_masks(np.zeros((3, 5, 11)), np.zeros((3, 7, 11))) is None
