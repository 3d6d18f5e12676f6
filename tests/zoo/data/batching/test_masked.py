"""Masked pairs in batches: new masks in every epoch, the same whenever it is read."""

import numpy as np
import pytest

from zoo.data.batching.masked import MaskedPairs
from zoo.data.batching.padded_columns import Numbers, Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.masking import NOT_CHOSEN, Masking
from zoo.data_statistics import Statistics, describe
from zoo.errors import UserError
from zoo.text.special_tokens import END, PAD, START, SpecialTokens

VOCABULARY, MASK, COUNT, LENGTH = 97, 4, 37, 23
IDS = np.random.default_rng(3).integers(MASK + 1, VOCABULARY, (COUNT, LENGTH)).astype("int32")
IDS[:, 0], IDS[:, 11], IDS[:, 19], IDS[:, 20:] = START, END, END, PAD
IS_RANDOM = np.arange(COUNT, dtype="int32") % 2


class Backwards(Tokenized):
    """Pairs that are shuffled to the order from the last to the first."""

    def shuffled(self, count, random):
        return np.arange(count)[::-1]


def make(batch_size=5, seed=7, kind=Tokenized):
    columns = {"token_ids": Sequences.unpadded(IDS, PAD), "is_random": Numbers(IS_RANDOM)}
    pairs = kind(columns, Statistics({"unknown tokens": 3}))
    masking = Masking(SpecialTokens(mask=MASK), VOCABULARY)
    return MaskedPairs(
        pairs, LENGTH, masking, batch_size, lambda x: (x["token_ids"], x["labels"]), seed
    )


def whole(batches):
    """The ids as they were before the masks."""
    return np.concatenate(
        [np.where(x["labels"] == NOT_CHOSEN, x["token_ids"], x["labels"]) for x in batches]
    )


def test_an_epoch_is_the_same_whenever_it_is_read_and_another_differs():
    batches = make()
    first, again, other = (list(each) for each in map(batches.columns, (1, 1, 2)))
    assert len(first) == batches.steps_per_epoch == COUNT // 5
    for x, same in zip(first, again, strict=True):
        for name, column in x.items():
            np.testing.assert_array_equal(column, same[name])
    assert not np.array_equal(whole(first), whole(other))
    seeded = next(make(seed=8).columns(1))
    assert not np.array_equal(seeded["token_ids"], first[0]["token_ids"])


def test_the_order_is_that_of_the_pairs():
    """Which is one that takes no memory, if they are on the disk."""
    np.testing.assert_array_equal(whole(make(kind=Backwards).columns(1)), IDS[:1:-1])


def test_masks_are_new_in_every_epoch():
    """In order, so that only the masks can differ."""
    chosen = [
        np.concatenate([x["labels"] != NOT_CHOSEN for x in make().columns(epoch, shuffle=False)])
        for epoch in (1, 2)
    ]
    assert (chosen[0].sum(1) == 3).all() and (chosen[1].sum(1) == 3).all()  # of 18 tokens
    assert (chosen[0] != chosen[1]).any(1).mean() > 0.5


def test_every_pair_comes_once_with_what_it_is():
    batches = make()
    in_order = list(batches.columns(shuffle=False))
    assert len(in_order) == batches.steps(shuffle=False) == 8
    np.testing.assert_array_equal(whole(in_order), IDS)
    numbers = np.concatenate([x["is_random"] for x in in_order])
    np.testing.assert_array_equal(numbers, IS_RANDOM)
    shuffled = list(batches.columns(3))
    rows = {tuple(row): number for number, row in enumerate(IDS.tolist())}
    actual = [rows[tuple(row)] for row in whole(shuffled).tolist()]
    assert len(set(actual)) == len(actual) == 35
    labels = np.concatenate([x["is_random"] for x in shuffled])
    np.testing.assert_array_equal(labels, np.array(actual) % 2)


def test_what_is_left_out_and_what_the_log_says():
    batches = make()
    assert describe(batches.left_out(shuffle=True)) == [
        "2 pairs left out (different ones in every epoch)"
    ]
    assert describe(batches.left_out(shuffle=False)) == []
    assert str(batches) == (
        "37 pairs of up to 23 tokens, 13% padding in 7 batches (batch size x length: 5x23); "
        "3 unknown tokens"
    )
    assert make(batch_size=64).batch_size == COUNT
    assert make(batch_size=None).batch_size == 8  # too few for 64 batches of more
    with pytest.raises(UserError, match="batch_size must be at least 1, got 0"):
        make(batch_size=0)


def test_the_dataset_is_the_prepared_batches():
    batches = make()
    assert int(batches.dataset(shuffle=False).cardinality()) == 8
    actual = batches.dataset(2, repeat=True).take(14).as_numpy_iterator()
    expected = [*batches.columns(2), *batches.columns(3)]
    for (token_ids, labels), x in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(token_ids, x["token_ids"])
        np.testing.assert_array_equal(labels, x["labels"])
