"""The five corruptions, by the numbers of the paper."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from zoo.data.pretraining.corruption import (
    CORRUPTIONS,
    Corruption,
    document_rotation,
    sentence_permutation,
    span_lengths,
    text_infilling,
    token_deletion,
    token_masking,
)
from zoo.errors import UserError

HIDDEN, STOP, VOCABULARY = 4, 7, 97
ENDS = np.arange(VOCABULARY) == STOP
FACTS = {"mask": HIDDEN, "ends": ENDS}


def random(seed=0):
    return np.random.default_rng(seed)


def passage(length, seed=3):
    """Ids in which every eleventh or so ends a sentence."""
    ids = random(seed).integers(8, VOCABULARY, length)
    ids[random(seed + 1).random(length) < 1 / 11] = STOP
    return ids


def test_masking_takes_its_share_and_leaves_the_rest():
    ids = passage(2000)
    shown = token_masking(ids, random(), mask=HIDDEN)
    masked = shown == HIDDEN
    assert masked.sum() == 0.15 * 2000
    np.testing.assert_array_equal(shown[~masked], ids[~masked])
    # All places alike: as many in each tenth, within five standard deviations.
    tenths = np.mean(
        [
            (token_masking(ids, random(s), mask=HIDDEN) == HIDDEN).reshape(10, -1).mean(1)
            for s in range(50)
        ],
        axis=0,
    )
    assert np.abs(tenths - 0.15).max() < 5 * np.sqrt(0.15 * 0.85 / (50 * 200))


def test_deletion_takes_its_share_and_keeps_the_order():
    ids = np.arange(10, 2010)
    shown = token_deletion(ids, random())
    assert len(shown) == 0.85 * 2000 and (np.diff(shown) > 0).all() and set(shown) < set(ids)


def test_span_lengths_are_poisson_s():
    drawn = [span_lengths(3000, random(seed)) for seed in range(20)]
    assert {int(lengths.sum()) for lengths in drawn} == {3000}
    lengths = np.concatenate([each[:-1] for each in drawn])  # the last one is cut
    counts = np.bincount(np.minimum(lengths, 9), minlength=10)
    expected = stats.poisson(3).pmf(np.arange(9))
    expected = np.append(expected, 1 - expected.sum()) * len(lengths)
    assert stats.chisquare(counts, expected).pvalue > 0.01
    # The test tells means apart.
    other = stats.poisson(3.1).pmf(np.arange(9))
    other = np.append(other, 1 - other.sum()) * len(lengths)
    assert stats.chisquare(counts, other).pvalue < 0.01


def test_infilling_takes_its_share_in_spans_of_one_mask_each():
    ids = np.arange(10, 4010)
    shown = text_infilling(ids, random(), mask=HIDDEN)
    kept = shown[shown != HIDDEN]
    assert len(kept) == 0.7 * 4000 and (np.diff(kept) > 0).all()
    spans = len(span_lengths(1200, random()))
    assert (shown == HIDDEN).sum() == spans and abs(spans - 400) < 5 * np.sqrt(1200 / 9)
    # A mask with neighbours in sequence stands for nothing.
    alone = np.flatnonzero((shown[1:-1] == HIDDEN) & (np.diff(shown)[:-1] != 0)) + 1
    gaps = [
        shown[i + 1] - shown[i - 1] - 1
        for i in alone
        if shown[i - 1] != HIDDEN and shown[i + 1] != HIDDEN
    ]
    assert min(gaps) == 0 and max(gaps) > 5
    assert abs(np.mean(gaps) - 3) < 5 * np.sqrt(3 / len(gaps))


def test_permutation_keeps_every_sentence():
    def sentences(ids):
        return Counter(
            tuple(part.tolist()) for part in np.split(ids, np.flatnonzero(ENDS[ids]) + 1)
        )

    ids = np.append(passage(399), STOP)  # what has no stop runs on into the next sentence
    shown = sentence_permutation(ids, random(), ends=ENDS)
    assert sentences(shown) == sentences(ids) and len(sentences(ids)) > 20
    assert (shown != ids).any()
    orders = {
        tuple(sentence_permutation(np.array([8, 7, 9, 7, 10]), random(seed), ends=ENDS).tolist())
        for seed in range(60)
    }
    assert len(orders) == 6  # of three sentences, the last one without a stop


def test_rotation_begins_anywhere():
    ids = np.arange(10, 17)
    starts = Counter()
    for seed in range(700):
        shown = document_rotation(ids, random(seed))
        starts[int(shown[0])] += 1
        np.testing.assert_array_equal(np.roll(ids, 10 - shown[0]), shown)
    assert set(starts) == set(ids.tolist())
    assert stats.chisquare(list(starts.values())).pvalue > 0.01


@given(
    st.lists(st.integers(8, VOCABULARY - 1), max_size=40),
    st.lists(st.sampled_from(sorted(CORRUPTIONS)), min_size=1, max_size=3),
    st.integers(0, 99),
)
@settings(deadline=None)
def test_any_passage_can_be_corrupted(row, names, seed):
    """Also an empty one; nothing comes but what was there and masks, and chance is the seed's."""
    ids, corrupt = np.array(row, int), Corruption(tuple(names))
    before = ids.copy()
    shown = corrupt(ids, random(seed), **FACTS)
    np.testing.assert_array_equal(ids, before)
    assert not Counter(shown[shown != HIDDEN].tolist()) - Counter(row)
    np.testing.assert_array_equal(shown, corrupt(ids, random(seed), **FACTS))


def test_corruptions_follow_one_another():
    ids = passage(300)
    permuted = sentence_permutation(ids, generator := random(5), ends=ENDS)
    both = Corruption(("sentence_permutation", "text_infilling"))(ids, random(5), **FACTS)
    np.testing.assert_array_equal(both, text_infilling(permuted, generator, mask=HIDDEN))


@pytest.mark.parametrize(
    ("names", "got"), [(("token_masking", "shuffle"), "'shuffle'"), ((), "none")]
)
def test_unknown_corruptions_list_the_choices(names, got):
    with pytest.raises(UserError, match=f"of token_masking, token_deletion, .*; got {got}"):
        Corruption(names)
