"""BPE-dropout draws each segmentation as often as algorithm 1 of Provilkov et al. 2020 says."""

import collections
import itertools

import numpy as np
import pytest
import tensorflow as tf

from zoo.text.bpe_dropout import BPEDropout
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.programs.merges import Merges

# 0 a, 1 b, 2 c; 3 ab, 4 aa, 5 bc, 6 abc, 7 aaaa
PAIRS = [(0, 1), (0, 0), (1, 2), (3, 2), (4, 4)]
MERGED = [3, 4, 5, 6, 7]
SPELLED = ["a", "b", "c", "ab", "aa", "bc", "abc", "aaaa"]
MERGES = Merges(PAIRS, MERGED, size=8)
WORDS = [(0, 1, 2), (0, 0, 0, 0, 0), (0, 0, 1, 2, 0, 1), (2,), (1, 1)]


def exact(word, rate):
    """The probability of each segmentation, by all ways to leave out pairs; as `subword-nmt`."""
    ranks = {pair: rank for rank, pair in enumerate(PAIRS)}
    places = [i for i, pair in enumerate(itertools.pairwise(word)) if pair in ranks]
    total = collections.Counter()
    for kept in itertools.product([False, True], repeat=len(places)):
        chance = np.prod([1 - rate if each else rate for each in kept])
        remaining = [place for place, each in zip(places, kept, strict=True) if each]
        if not remaining:
            total[word] += chance
            continue
        first = min(ranks[word[i : i + 2]] for i in remaining)
        merged, done = [], 0
        for place in remaining:
            if ranks[word[place : place + 2]] == first and place >= done:
                merged += [*word[done:place], MERGED[first]]
                done = place + 2
        for segmentation, more in exact((*merged, *word[done:]), rate).items():
            total[segmentation] += chance * more
    return total


def drawn(word, rate, count, seed=3):
    """How often each segmentation is drawn, in one call with words of others between."""
    words = list(itertools.islice(itertools.cycle([word, (0, 1, 2, 0)]), 2 * count))
    number = np.repeat(np.arange(len(words)), [len(each) for each in words])
    dropout = BPEDropout(MERGES, rate)
    pieces, of = dropout(np.concatenate(words), number, np.random.default_rng(seed))
    assert (np.diff(of) >= 0).all()
    split = np.split(pieces, np.searchsorted(of, np.arange(1, len(words))))
    return collections.Counter(tuple(each.tolist()) for each in split[::2])


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("word", WORDS, ids=str)
def test_segmentations_are_as_frequent_as_they_are_probable(word, rate):
    expected, count = exact(word, rate), 20_011
    actual = drawn(word, rate, count)
    assert abs(sum(expected.values()) - 1) < 1e-12
    assert not actual.keys() - expected.keys()
    for segmentation, chance in expected.items():
        deviation = np.sqrt(count * chance * (1 - chance))
        assert abs(actual[segmentation] - count * chance) <= 5 * deviation + 1e-9, segmentation
        assert "".join(SPELLED[i] for i in segmentation) == "".join(SPELLED[i] for i in word)


def test_rate_0_is_byte_pair_encoding_and_rate_1_leaves_bytes():
    text = "the hat, the cat in the hat aaaaa"
    tokenizer = ByteBPETokenizer.train([text], 275)
    ids = tokenizer.byte_ids([text])
    assert isinstance(ids, tf.RaggedTensor)
    symbols, words = ids.flat_values.numpy(), ids.values.value_rowids().numpy()
    split = {
        rate: BPEDropout(tokenizer.merges, rate)(symbols, words, np.random.default_rng(3))
        for rate in (0.0, 0.5, 1.0)
    }
    np.testing.assert_array_equal(split[0.0][0], tokenizer.tokenize([text]).to_list()[0])
    np.testing.assert_array_equal(split[1.0][0], symbols)
    assert len(split[0.0][0]) < len(split[0.5][0]) < len(split[1.0][0]) == len(text)
    for pieces, _ in split.values():
        assert tokenizer.detokenize([pieces]).numpy()[0].decode() == text


def test_no_words_have_no_pieces():
    none = np.zeros(0, np.int32)
    pieces, words = BPEDropout(MERGES, 0.1)(none, none, np.random.default_rng(3))
    assert len(pieces) == len(words) == 0
