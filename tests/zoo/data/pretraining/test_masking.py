"""Which tokens are masked, by the numbers of the paper."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data.pretraining.masking import NOT_CHOSEN, Masking
from zoo.text.special_tokens import END, PAD, START, SpecialTokens

MASK, VOCABULARY = 4, 97
MARKS = SpecialTokens(mask=MASK)
RANDOM = np.random.default_rng(3)


def rows(count, length=64):
    ids = RANDOM.integers(MASK + 1, VOCABULARY, (count, length))
    ids[:, 0], ids[:, 20], ids[:, 50] = START, END, END
    ids[:, 51:] = PAD
    return ids


def test_the_shares_are_those_of_the_paper():
    """Of 48 tokens 7 are chosen; of those 80 % are masked, 10 % drawn, 10 % kept."""
    ids = rows(2000)
    shown, labels = Masking(MARKS, VOCABULARY)(ids, np.random.default_rng(0))
    chosen = labels != NOT_CHOSEN
    assert (chosen.sum(1) == round(0.15 * 48)).all()
    np.testing.assert_array_equal(labels[chosen], ids[chosen])
    np.testing.assert_array_equal(shown[~chosen], ids[~chosen])
    assert not chosen[ids <= END].any()
    masked, kept = shown[chosen] == MASK, shown[chosen] == ids[chosen]
    # Five standard deviations of 14,000 draws; one in 92 that are drawn is what was there.
    assert abs(masked.mean() - 0.8) < 0.017
    assert abs(kept.mean() - (0.1 + 0.1 / 92)) < 0.013
    drawn = shown[chosen][~masked & ~kept]
    assert set(drawn) == set(range(MASK + 1, VOCABULARY))
    places = chosen.mean(0)[ids[0] > END]  # all places alike
    assert abs(places - 7 / 48).max() < 5 * np.sqrt(7 / 48 * 41 / 48 / 2000)


def test_whole_words_are_chosen_whole():
    continues = np.arange(VOCABULARY) % 3 == 0
    ids = rows(300)
    _, labels = Masking(MARKS, VOCABULARY, continues)(ids, np.random.default_rng(0))
    chosen = labels != NOT_CHOSEN
    counts = chosen.sum(1)
    assert counts.max() <= 7 and counts.mean() > 6
    tokens = ids > END
    inside = continues[ids] & tokens & np.pad(tokens, ((0, 0), (1, 0)))[:, :-1]
    row, place = np.nonzero(inside)
    np.testing.assert_array_equal(chosen[row, place], chosen[row, place - 1])
    assert chosen[row, place].any() and not chosen[row, place].all()


def test_a_word_longer_than_all_that_may_be_chosen_is_chosen_alone():
    ids = np.array([[START, 9, 9, 9, 9, END]])
    _, labels = Masking(MARKS, VOCABULARY, np.arange(VOCABULARY) == 9)(
        ids, np.random.default_rng(0)
    )
    assert (labels[0, 1:5] == 9).all()


@given(st.lists(st.integers(0, VOCABULARY - 1), max_size=30), st.booleans(), st.integers(0, 99))
@settings(deadline=None)
def test_any_row_can_be_masked(row, whole, seed):
    """Also one without tokens, and one of a single token, which is always chosen."""
    ids, continues = np.array([row], int).reshape(1, -1), np.arange(VOCABULARY) % 2 == 0
    masking = Masking(MARKS, VOCABULARY, continues if whole else None)
    shown, labels = masking(ids, np.random.default_rng(seed))
    chosen = labels != NOT_CHOSEN
    assert chosen.any() == (ids > END).any()
    np.testing.assert_array_equal(np.where(chosen, labels, shown), ids)
