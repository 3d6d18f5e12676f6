"""Masks and pairs of sentences, by the numbers of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zoo.data.masked_batches import MaskedPairs
from zoo.data.masking import NOT_CHOSEN, Masking
from zoo.data.sentence_pairs import make_pairs, split_sentences

from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.text import train_tokenizer
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


DOCUMENTS = [
    " ".join(f"{a}{b}." for b in "abcdefghijklmnop"[: 16 - n]) for n, a in enumerate("tuvwxyz")
]
TOKENIZER = train_tokenizer("characters", DOCUMENTS, 60)


def sentences_of(text):
    return [part + "." for part in text.replace(" ", "").split(".") if part]


def test_sentences():
    text = "One. Two!\n\n Three?  four.five\r\n"
    assert split_sentences(text) == ["One.", "Two!", "Three?", "four.five"]
    assert split_sentences(" \n ") == []


def test_a_pair_goes_on_in_its_document_or_comes_from_another():
    pairs = make_pairs(DOCUMENTS * 20, TOKENIZER, 41, seed=1)
    assert pairs.token_ids.shape[1] == 41 and len(pairs.token_ids) == len(pairs.is_random)
    follows = following = 0
    for ids, other in zip(pairs.token_ids, pairs.is_random, strict=True):
        length = int((ids != PAD).sum())
        first_end, second_end = np.flatnonzero(ids == END)
        assert ids[0] == START and second_end == length - 1 and first_end > 1
        assert first_end < second_end - 1  # neither is empty
        first, second = (
            TOKENIZER.detokenize(part[None]).numpy()[0].decode().replace(" ", "")
            for part in (ids[1:first_end], ids[first_end + 1 : second_end])
        )
        if not other:
            follows += 1
            # Where nothing was cut, the letter of the next sentence is the next one.
            if first.endswith(".") and len(second) > 1 and second[0] in "tuvwxyz":
                following += ord(second[1]) == ord(first[-2]) + 1 and second[0] == first[-3]
    share = follows / len(pairs.is_random)
    assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(len(pairs.is_random)) + 0.1
    assert following > 0.5 * follows


def test_a_second_text_is_of_another_document_where_it_is_said_to_be():
    """Which document a text is of, the first letters of its sentences tell."""
    told_apart = 0
    for seed in range(5):
        pairs = make_pairs(DOCUMENTS, TOKENIZER, 23, seed=seed)
        for ids, other in zip(pairs.token_ids, pairs.is_random, strict=True):
            end = np.flatnonzero(ids == END)[0]
            first, second = (
                set(TOKENIZER.detokenize(part[None]).numpy()[0].decode()) & set("tuvwxyz")
                for part in (ids[:end], ids[end:])
            )
            if first and second:  # what is cut may have lost them
                assert (first != second) == bool(other), (first, second, other)
                told_apart += int(other)
    assert told_apart > 30


def test_what_pairs_are_without_is_counted():
    """All sentences but one have ten tokens, so each pair of them eleven too many."""
    text = "taaaaaaaa tbbbbbbbb".replace(" ", ". ") + ".\n\0\ntcccccc\u0436cc"
    tokenizer = train_tokenizer("characters", [text[:-3]], 60)
    lengths = [len(ids) for ids in tokenizer.tokenize(split_sentences(text)).to_list()]
    assert lengths == [11, 11, 0, 11]
    pairs = make_pairs([text], tokenizer, 14, seed=3)
    assert describe(pairs.statistics) == [
        "1 sentences without tokens",
        "1 unknown tokens",
        f"{11 * len(pairs.token_ids)} tokens cut off from pairs of more than 14",
    ]


def test_no_sentence_is_lost():
    """Each of a document comes in its first texts, or where a second one follows."""
    pairs = make_pairs(DOCUMENTS[:2], TOKENIZER, 200, seed=2)
    text = "".join(TOKENIZER.detokenize(ids[None]).numpy()[0].decode() for ids in pairs.token_ids)
    for sentence in sentences_of(DOCUMENTS[0]):
        assert sentence in text.replace(" ", "")


def test_one_document_and_one_sentence():
    pairs = make_pairs(["ta. tb. tc."], TOKENIZER, 9)
    assert set(pairs.is_random) <= {0, 1} and (pairs.token_ids[:, 0] == START).all()
    with pytest.raises(UserError, match="no two sentences"):
        make_pairs(["ta"], TOKENIZER, 9)
    with pytest.raises(UserError, match="must be at least 5, got 4"):
        make_pairs(DOCUMENTS, TOKENIZER, 4)


def test_batches_of_an_epoch_are_the_same_whenever_they_are_read():
    pairs = make_pairs(DOCUMENTS, TOKENIZER, 23)
    batches = MaskedPairs(pairs, Masking(MARKS, TOKENIZER.vocabulary_size), batch_size=5, seed=7)
    first, again, other = (list(batches.batches(epoch)) for epoch in (1, 1, 2))
    assert len(first) == batches.steps_per_epoch == len(pairs.token_ids) // 5
    for (x, labels), (same, same_labels) in zip(first, again, strict=True):
        np.testing.assert_array_equal(x["token_ids"], same["token_ids"])
        np.testing.assert_array_equal(labels["mlm_logits"], same_labels["mlm_logits"])
    # In order, so that only the masks can differ.
    masks = [
        np.concatenate([y["mlm_logits"] >= 0 for _, y in batches.batches(epoch, shuffle=False)])
        for epoch in (1, 2)
    ]
    assert (masks[0].sum(1) == masks[1].sum(1)).all()
    assert (masks[0] != masks[1]).any(1).mean() > 0.5
    orders = [[y["nsp_logits"].tolist() for _, y in each] for each in (first, other)]
    assert orders[0] != orders[1]
    over = batches.left_out(shuffle=True)["pairs left out, others each time"]
    assert over == len(pairs.token_ids) - 5 * len(first) and not describe(batches.left_out(False))
    in_order = list(batches.batches(shuffle=False))
    assert len(in_order) == batches.steps(shuffle=False)
    whole = np.concatenate([
        np.where(y["mlm_logits"] < 0, x["token_ids"], y["mlm_logits"]) for x, y in in_order
    ])  # fmt: skip
    np.testing.assert_array_equal(whole, pairs.token_ids)
    x, labels = next(iter(batches.dataset()))
    assert x["token_ids"].shape == (5, 23) and labels["nsp_logits"].shape == (5,)
    with pytest.raises(UserError, match="batch_size must be at least 1, got 0"):
        MaskedPairs(pairs, batches.masking, 0)
