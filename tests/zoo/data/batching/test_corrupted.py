"""Corrupted passages in batches: sources, targets, and what is not in the source."""

from collections import Counter

import numpy as np
import pytest

from zoo.data.batching.corrupted import CorruptedPassages
from zoo.data.batching.padded_columns import Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.corruption import Corruption
from zoo.data.pretraining.passages import make_passages
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import teacher_forcing
from zoo.text.special_tokens import END, MASK, PAD, START
from zoo.text.wordpiece import WordPieceTokenizer

HIDDEN = 4
TEXTS = [
    " ".join(f"{a}{b} {b}{a}." for b in "abcdefghijklmnop"[: 16 - n])
    for n, a in enumerate("tuvwxyz")
]
TOKENIZER = WordPieceTokenizer.train(TEXTS, 60, always=[MASK])


def batches(names=("sentence_permutation", "text_infilling"), **options):
    passages = make_passages(TEXTS, TOKENIZER, 22)
    options = {"length": 23, "batch_size": 5, "seed": 7, **options}
    return CorruptedPassages(passages, TOKENIZER, Corruption(names), prepare=prepare, **options)


def rows(ids):
    return Tokenized({"token_ids": Sequences.of(ids, PAD)})


def prepare(columns):
    inputs = teacher_forcing(columns["source_ids"], columns["target_ids"])
    return inputs, columns["target_ids"]


def test_sources_and_what_is_not_in_them_make_the_targets():
    data = batches(batch_size=1)
    assert data.special_tokens.mask == HIDDEN
    for x, ids in zip(data.columns(shuffle=False), data.passages, strict=True):
        source, target, restored = (x[name][0] for name in ("source_ids", "target_ids", "restored"))
        size, end = len(ids), int(np.count_nonzero(source)) - 1
        assert target.tolist() == [*ids, END, *[PAD] * (22 - size)]
        assert source[end] == END and (source[end + 1 :] == PAD).all()
        assert not np.isin(source[:end], [PAD, START, END]).any()
        # What is hidden and what is shown make the whole.
        shown = source[:end][source[:end] != HIDDEN]
        gone = target[restored == 1]
        assert Counter([*shown, *gone]) == Counter(ids.tolist())
        assert len(gone) == round(0.3 * size)


def test_the_dataset_is_the_prepared_batches():
    data = batches()
    actual = data.dataset(2, repeat=True).take(2 * data.steps_per_epoch).as_numpy_iterator()
    expected = [*data.columns(2), *data.columns(3)]
    for (inputs, labels), x in zip(actual, expected, strict=True):
        assert inputs["source_ids"].shape == inputs["target_ids"].shape == labels.shape == (5, 23)
        np.testing.assert_array_equal(inputs["source_ids"], x["source_ids"])
        np.testing.assert_array_equal(labels, x["target_ids"])
        shifted = np.pad(labels[:, :-1], [(0, 0), (1, 0)], constant_values=START)
        np.testing.assert_array_equal(inputs["target_ids"], shifted * (labels != PAD))


@pytest.mark.parametrize("first", ["token_masking", "text_infilling"])
def test_a_mask_ends_no_sentence(first):
    """What is hidden of one sentence leaves one sentence, which has nowhere to move."""
    sentence = TOKENIZER.tokenize([" ".join("tu ut tv vt tw wt".split() * 5) + "."])
    corrupt = Corruption((first, "sentence_permutation"))
    data = CorruptedPassages(rows([sentence[0].numpy()] * 9), TOKENIZER, corrupt, 90, 1, prepare)
    for x in data.columns(shuffle=False):
        shown, kept = x["source_ids"][0], x["target_ids"][0][x["restored"][0] == 0]
        assert (shown == HIDDEN).any()
        shown = shown[shown != HIDDEN]
        assert shown[shown != PAD].tolist() == kept[kept != PAD].tolist()


def test_a_source_that_grew_is_truncated_and_still_ends():
    """Spans of no token insert masks."""

    def infilled(length):
        same, infill = rows([np.full(4, 9)] * 400), Corruption(("text_infilling",))
        return CorruptedPassages(same, TOKENIZER, infill, length, 400, prepare, seed=1)

    data, whole = infilled(5), infilled(9)
    (x,), (x9,) = data.columns(), whole.columns()
    grown = data.left_out(shuffle=True)["corrupted passages truncated to 5 tokens"]
    # Truncated ones have no room for padding; those that stayed as long have none either.
    assert 0 < grown <= (x["source_ids"][:, -1] == END).sum()
    assert describe(whole.left_out(shuffle=True)) == []
    assert grown == (np.count_nonzero(x9["source_ids"], axis=1) > 5).sum()
    ends = x["source_ids"] == END
    assert (ends.sum(1) == 1).all() and x["source_ids"].shape == (400, 5)
    assert ((x["source_ids"] == HIDDEN).sum(1) > 1).any() and (x["restored"].sum(1) >= 1).all()


def sources(data, epoch, shuffle=True):
    return np.concatenate([x["source_ids"] for x in data.columns(epoch, shuffle)])


def test_batches_of_an_epoch_are_the_same_whenever_they_are_read():
    data = batches()
    first, again = list(data.columns(1)), list(data.columns(1))
    assert len(first) == data.steps_per_epoch == len(data.passages) // 5
    for x, same in zip(first, again, strict=True):
        for name, column in x.items():
            assert column.dtype == np.int32
            np.testing.assert_array_equal(column, same[name])
    in_order = [sources(data, epoch, shuffle=False) for epoch in (1, 2)]
    assert (in_order[0] != in_order[1]).any() and len(in_order[0]) == len(data.passages)
    assert (sources(data, 1) != sources(data, 2)).any()
    assert (sources(batches(seed=8), 1) != sources(data, 1)).any()


def test_what_is_left_out_and_what_the_log_says():
    data = batches(batch_size=4)
    assert "(batch size x length: 4x23)" in str(data) and "% padding" in str(data)
    over = data.left_out(shuffle=True)["passages left out (different ones in every epoch)"]
    assert over == len(data.passages) - 4 * len(list(data.columns())) == 1
    assert not data.left_out(shuffle=False)["passages left out (different ones in every epoch)"]
    assert len(list(data.columns(shuffle=False))) == data.steps(shuffle=False)
    targets = Counter(tuple(row) for x in data.columns(3) for row in x["target_ids"].tolist())
    every = batches(batch_size=1).columns(shuffle=False)
    expected = Counter(tuple(x["target_ids"][0].tolist()) for x in every)
    assert (expected - targets).total() == 1 and not targets - expected
    assert batches(batch_size=None).batch_size == min(8, len(data.passages))
    with pytest.raises(UserError, match="batch_size must be at least 1, got 0"):
        batches(batch_size=0)
