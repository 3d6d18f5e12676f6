"""The five corruptions and their batches, by the numbers of the paper."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from zoo.data.corrupted_batches import CorruptedPassages
from zoo.data.corruption import (
    CORRUPTIONS,
    Corruption,
    document_rotation,
    sentence_permutation,
    span_lengths,
    text_infilling,
    token_deletion,
    token_masking,
)
from zoo.data.passages import make_passages

from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.text.special_tokens import END, MASK, PAD, START
from zoo.text.wordpiece import WordPieceTokenizer

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


TEXTS = [
    " ".join(f"{a}{b} {b}{a}." for b in "abcdefghijklmnop"[: 16 - n])
    for n, a in enumerate("tuvwxyz")
]
TOKENIZER = WordPieceTokenizer.train(TEXTS, 60, always=[MASK])


def text_of(ids):
    return TOKENIZER.detokenize(np.asarray(ids)[None]).numpy()[0].decode()


def test_passages_are_runs_of_whole_sentences():
    passages, statistics = make_passages(TEXTS, TOKENIZER, 23)
    assert describe(statistics) == []
    assert max(map(len, passages)) <= 23
    found = [text_of(ids) for ids in passages]
    assert " ".join(found) == " ".join(TEXTS)
    assert all(text.endswith(".") for text in found)  # as no sentence is longer
    assert max(map(len, make_passages(TEXTS, TOKENIZER, 2)[0])) == 2
    with pytest.raises(UserError, match="no token to learn from"):
        make_passages([" "], TOKENIZER, 9)


def batches(names=("sentence_permutation", "text_infilling"), **options):
    passages, _ = make_passages(TEXTS, TOKENIZER, 22)
    options = {"length": 23, "batch_size": 5, "seed": 7, **options}
    return CorruptedPassages(passages, TOKENIZER, Corruption(names), **options)


def test_targets_are_what_sources_were():
    data = batches()
    assert data.special_tokens.mask == HIDDEN
    one_by_one = batches(batch_size=1).with_hidden(shuffle=False)
    for ((x, labels), hidden), ids in zip(one_by_one, data.passages, strict=True):
        size = len(ids)
        assert labels[0].tolist() == [*ids, END, *[PAD] * (22 - size)]
        assert x["target_ids"][0].tolist() == [START, *ids, *[PAD] * (22 - size)]
        source = x["source_ids"][0]
        end = int(x["source_mask"][0].sum()) - 1
        assert source[end] == END and (source[end + 1 :] == PAD).all()
        assert not np.isin(source[:end], [PAD, START, END]).any()
        # What is hidden and what is shown make the whole.
        shown = source[:end][source[:end] != HIDDEN]
        gone = labels[0][hidden[0]]
        assert Counter([*shown, *gone]) == Counter(ids.tolist())
        assert len(gone) == round(0.3 * size)


@pytest.mark.parametrize("first", ["token_masking", "text_infilling"])
def test_a_mask_ends_no_sentence(first):
    """What is hidden of one sentence leaves one sentence, which has nowhere to move."""
    sentence = TOKENIZER.tokenize([" ".join("tu ut tv vt tw wt".split() * 5) + "."])
    corrupt = Corruption((first, "sentence_permutation"))
    data = CorruptedPassages([sentence[0].numpy()] * 9, TOKENIZER, corrupt, 90, 1)
    for (x, labels), hidden in data.with_hidden(shuffle=False):
        shown = x["source_ids"][0]
        assert (shown == HIDDEN).any()
        left = labels[0][~hidden[0]]
        kept = shown[shown != HIDDEN]
        assert kept[kept != PAD].tolist() == left[left != PAD].tolist()


def test_a_source_that_grew_is_cut_and_still_ends():
    """Spans of no token insert masks."""
    rows = [np.full(4, 9)] * 400
    data = CorruptedPassages(rows, TOKENIZER, Corruption(("text_infilling",)), 5, 400, seed=1)
    ((x, _), hidden) = next(data.with_hidden())
    grown = data.left_out(shuffle=True)["corrupted passages cut to 5 tokens"]
    # Cut ones have no room for padding; those that stayed as long have none either.
    assert 0 < grown <= (x["source_ids"][:, -1] == END).sum()
    whole = CorruptedPassages(rows, TOKENIZER, Corruption(("text_infilling",)), 9, 400, seed=1)
    assert describe(whole.left_out(shuffle=True)) == []
    ((x9, _), _) = next(whole.with_hidden())
    assert grown == (x9["source_mask"].sum(1) > 5).sum()
    ends = x["source_ids"] == END
    assert (ends.sum(1) == 1).all() and x["source_ids"].shape == (400, 5)
    assert ((x["source_ids"] == HIDDEN).sum(1) > 1).any() and (hidden.sum(1) >= 1).all()


def test_batches_of_an_epoch_are_the_same_whenever_they_are_read():
    data = batches()
    first, again, other = (list(data.batches(epoch)) for epoch in (1, 1, 2))
    assert len(first) == data.steps_per_epoch == len(data.passages) // 5
    for (x, labels), (same, same_labels) in zip(first, again, strict=True):
        np.testing.assert_array_equal(x["source_ids"], same["source_ids"])
        np.testing.assert_array_equal(labels, same_labels)
    in_order = [
        np.concatenate([x["source_ids"] for x, _ in data.batches(epoch, shuffle=False)])
        for epoch in (1, 2)
    ]
    assert (in_order[0] != in_order[1]).any() and len(in_order[0]) == len(data.passages)
    both = zip(first, other, strict=True)
    assert any((a["source_ids"] != b["source_ids"]).any() for (a, _), (b, _) in both)
    another = next(iter(batches(seed=8).batches(1)))[0]
    assert (another["source_ids"] != first[0][0]["source_ids"]).any()
    x, labels = next(iter(data.dataset()))
    assert x["source_ids"].shape == x["target_ids"].shape == labels.shape == (5, 23)
    assert "B x T: 5x23" in str(data) and "% padding" in str(data)
    data = batches(batch_size=4)
    over = data.left_out(shuffle=True)["passages left out, others each time"]
    assert over == len(data.passages) - 4 * len(list(data.batches())) == 1
    assert not data.left_out(shuffle=False)["passages left out, others each time"]
    with pytest.raises(UserError, match="batch_size must be at least 1, got 0"):
        batches(batch_size=0)
