"""Batches with BPE-dropout: other tokens of the same texts in every epoch, in the same shapes."""

import numpy as np
import pytest

from zoo.data.batching.bucketed import tokens_per_batch
from zoo.data.batching.resegmented import Resegmented, ResegmentedTokens
from zoo.data.batching.token_columns import token_column
from zoo.errors import UserError
from zoo.preprocessing.text import TextPreprocessor
from zoo.text import train_tokenizer

TEXTS = ["the hat on the mat", "", "a cat", "that cat sat on the hat", "é the", "on", "the the the"]
TOKENIZER = train_tokenizer("byte-bpe", TEXTS * 3, 290)
PAD = TOKENIZER.special_tokens.pad


def column(rate=0.3, max_length=31, start=False, seed=(5, 0), texts=TEXTS, tokenizer=TOKENIZER):
    reader = TextPreprocessor(tokenizer, max_length, start=start)
    plain, _ = token_column(reader, {"text": texts})
    return Resegmented.of(texts, plain, reader, rate, seed)


def batches_of(columns):
    return ResegmentedTokens(columns).bucketed(lambda x: x, tokens_per_batch(60), 2, seed=7)


def rows_of(ids):
    return [[i for i in row if i != PAD] for row in np.asarray(ids).tolist()]


@pytest.mark.parametrize("start", [False, True])
def test_every_epoch_has_the_same_texts_in_other_tokens(start):
    drawing = column(start=start)
    seen = set()
    for epoch in range(5):
        rows, length = np.array([4, 0, 6, 1, 3]), int(drawing.sizes[0].max())
        ids = drawing.in_epoch(epoch).batch(rows, 6, (length,))
        assert ids.shape == (6, length) and (ids[5] == PAD).all()
        written = TOKENIZER.detokenize(ids[:5]).numpy().tolist()
        assert written == [TEXTS[row].encode() for row in rows]
        for row in rows_of(ids[:5]):
            assert row[-1] == TOKENIZER.special_tokens.end
            assert (row[0] == TOKENIZER.special_tokens.start) == start
        seen.add(ids.tobytes())
    assert len(seen) == 5


def test_an_epoch_is_the_same_whenever_it_is_read():
    columns = {"source_ids": column(), "target_ids": column(seed=(5, 1))}
    first, again = batches_of(columns), batches_of(columns)
    for epoch in (2, 0):
        for one, other in zip(
            first.columns(epoch), again.part(epoch, True, slice(None)), strict=True
        ):
            for name in columns:
                np.testing.assert_array_equal(one[name], other[name])
    one, other = (next(first.columns(epoch)) for epoch in (0, 0))
    assert one["source_ids"].shape == other["source_ids"].shape
    both = next(first.columns(0))
    assert rows_of(both["source_ids"]) != rows_of(both["target_ids"])  # drawn apart


def test_rate_0_gives_the_usual_ids():
    drawing = column(rate=0.0)
    lengths = (int(drawing.sizes[0].max()),)
    rows = np.arange(len(TEXTS))
    np.testing.assert_array_equal(
        drawing.in_epoch(3).batch(rows, len(rows), lengths), drawing.batch(rows, len(rows), lengths)
    )


def test_without_an_epoch_and_without_shuffling_no_merge_is_left_out():
    drawing = column(rate=0.9)
    (batch,) = (
        ResegmentedTokens({"ids": drawing})
        .bucketed(lambda x: x, tokens_per_batch(10_000), 1, seed=7)
        .columns(0, shuffle=False)
    )
    expected = [row + [TOKENIZER.special_tokens.end] for row in TOKENIZER.tokenize(TEXTS).to_list()]
    assert rows_of(batch["ids"]) == expected


@pytest.mark.parametrize("start", [False, True])
def test_longer_splits_are_truncated_to_the_room_of_a_text(start):
    drawing = column(rate=1.0, max_length=7, start=start)
    ids = drawing.in_epoch(0).batch(np.arange(len(TEXTS)), len(TEXTS), (7,))
    bytes_of = [list(text.encode())[: 6 - start] for text in TEXTS]
    spelled = TOKENIZER.detokenize(ids).numpy().tolist()
    assert spelled == [bytes(each) for each in bytes_of]


def test_a_text_that_is_never_short_enough_is_split_without_dropout():
    drawing = column(rate=1.0)
    length = int(drawing.plain.lengths.max())
    ids = drawing.in_epoch(0).batch(np.array([3, 5]), 2, (length,))
    plain = drawing.batch(np.array([3, 5]), 2, (length,))
    np.testing.assert_array_equal(ids[0], plain[0])
    assert rows_of(plain)[1] == [*TOKENIZER.tokenize(["on"]).to_list()[0], *rows_of(ids)[1][-1:]]
    assert len(rows_of(ids)[1]) == len("on") + 1  # two bytes, which fit


def test_other_tokenizers_are_refused():
    with pytest.raises(UserError, match="needs a byte-bpe tokenizer .* has wordpiece"):
        column(tokenizer=train_tokenizer("wordpiece", TEXTS, 40))
