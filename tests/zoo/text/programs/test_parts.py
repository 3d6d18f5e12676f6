"""The parts of the programs, against what Python does one by one."""

import random
from itertools import pairwise

import numpy as np
import pytest
import tensorflow as tf

from tests.zoo.text.programs.batches import as_bytes, as_rows
from zoo.text.programs.code_points import CODE_POINTS, CodePointTable
from zoo.text.programs.double_array import Slots
from zoo.text.programs.merges import NO_WORD, Merges
from zoo.text.programs.ragged import END, flattened, packed, reached
from zoo.text.programs.symbols import SymbolTable
from zoo.text.programs.trie import Trie
from zoo.text.programs.utf8 import decoded, whole_characters
from zoo.text.programs.valid_bytes import valid_bytes

# Each lead byte at the ends of its range, continuation bytes at the ends of theirs, and others.
BYTES = bytes.fromhex("00417f80848f909fa0bfc0c1c2dfe0e1ecedeeeff0f1f3f4f5ff")


def random_bytes(rng):
    if rng.random() < 0.3:
        return "".join(rng.choices("aé你😀\U0010ffff\x00", k=rng.randrange(9))).encode()[:-1]
    return bytes(rng.choices(BYTES, k=rng.randrange(13)))


def test_utf8_is_decoded_as_in_python():
    rng = random.Random(1)
    texts = [*(random_bytes(rng) for _ in range(5000)), b"", BYTES]
    read = decoded(flattened(*map(tf.constant, as_bytes(texts))))
    codes = packed(read.codes, read.starts, len(texts), -1)
    actual = ["".join(map(chr, row)) for row in as_rows(*(x.numpy() for x in codes))]
    assert actual == [text.decode(errors="replace") for text in texts]

    values = valid_bytes(*map(tf.constant, as_bytes(texts))).values
    kept = packed(values, values < END, len(texts), -1)
    actual = [bytes(row) for row in as_rows(*(x.numpy() for x in kept))]
    assert actual == [text.decode(errors="replace").encode() for text in texts]


def test_every_code_point_is_decoded():
    every = "".join(chr(code) for code in range(CODE_POINTS) if not 0xD800 <= code < 0xE000)
    read = decoded(flattened(*map(tf.constant, as_bytes([every]))))
    actual = tf.boolean_mask(read.codes, read.starts).numpy()
    np.testing.assert_array_equal(actual, [*map(ord, every)])


def test_a_text_that_is_too_long_ends_with_a_whole_character():
    rng = random.Random(8)
    for _ in range(200):
        text = "".join(rng.choices("aé你😀\U0010ffff", k=6)).encode()
        size = rng.randrange(len(text))
        row = tf.constant([list(text[:size])], tf.int32, shape=(1, size))
        (kept,) = whole_characters(row, tf.constant([len(text)])).numpy()
        assert text[:kept].decode() == text[:size].decode(errors="ignore")
        assert whole_characters(row, tf.constant([size])).numpy().tolist() == [size]


def test_the_longest_entries():
    rng = random.Random(2)
    for _ in range(50):
        kinds = [
            {tuple(rng.choices(range(1, 6), k=rng.randrange(1, 6))): rng.randrange(99)
             for _ in range(rng.randrange(30))}
            for _ in range(2)
        ]  # fmt: skip
        symbols, kind = rng.choices(range(6), k=53), rng.choices(range(2), k=53)
        trie, x = Trie(kinds, symbols=6), tf.constant(symbols)
        lengths, values = (y.numpy() for y in trie.longest(x, x, tf.constant(kind)))
        every = trie.every(x, x).numpy()[:, ::-1]
        for at in range(len(symbols)):
            there = {
                len(key): value
                for key, value in kinds[kind[at]].items()
                if tuple(symbols[at : at + len(key)]) == key
            }
            assert lengths[at] == max(there, default=0)
            assert not there or values[at] == there[lengths[at]]
            ending = {
                len(key): value
                for key, value in kinds[0].items()
                if tuple(symbols[: at + 1][: -len(key) - 1 : -1]) == key
            }
            assert {k: y for k, y in enumerate(every[at], 1) if y >= 0} == ending


def test_what_may_not_continue():
    """An entry ends where `following` has nothing, although it may start there."""
    trie = Trie([{(1,): 3, (1, 1): 4}], symbols=2)
    symbols = tf.constant([1, 1, 1])
    lengths, values = trie.longest(symbols, tf.constant([1, 1, 0]), tf.zeros(3, tf.int32))
    assert (lengths.numpy().tolist(), values.numpy().tolist()) == ([2, 1, 1], [4, 3, 3])


def test_places_do_not_overlap():
    rng, slots, taken = random.Random(4), Slots(first=97), set()
    for _ in range(300):
        symbols = np.array(sorted(rng.sample(range(97), rng.randrange(1, 23))))
        actual = {*(slots.base_for(symbols) + symbols).tolist()}
        assert min(actual) >= 97 and not actual & taken
        taken |= actual
    assert slots.end == max(taken) + 1 and len(taken) > 0.6 * (slots.end - 97)


def test_chains():
    rng = random.Random(5)
    for _ in range(50):
        begins, passable = (rng.choices([True, False], [k, 5], k=41) for k in (1, 25))
        steps = [rng.randrange(1, 9) for _ in begins]
        expected = set()
        for at in range(41):
            here = at if begins[at] else 99
            while here < 41 and (passable[here] or begins[here]):
                expected.add(here)
                here += steps[here]
        actual = reached(*map(tf.constant, (begins, steps, passable)))
        assert set(np.flatnonzero(actual)) == expected


def merged_one_by_one(word, pairs, merged):
    """Byte-pair encoding as Sennrich et al. wrote it: always the pair that was learned first."""
    while known := [pair for pair in pairwise(word) if pair in pairs]:
        first, done, at = min(known, key=pairs.index), [], 0
        while at < len(word):
            actual = tuple(word[at : at + 2]) == first
            done.append(merged[pairs.index(first)] if actual else word[at])
            at += 1 + actual
        word = done
    return word


def test_merges_are_those_of_words_one_after_another():
    rng = random.Random(6)
    pairs, merged, size = [], [], 5
    for _ in range(40):
        pair = (rng.randrange(size), rng.randrange(size))
        if pair not in pairs:
            pairs.append(pair)
            merged.append(size)
            size += 1
    words = [rng.choices(range(5), k=rng.randrange(1, 17)) for _ in range(30)]
    flat = [i for word in words for i in word] + [0, 0]
    of = [number for number, word in enumerate(words) for _ in word] + [NO_WORD, NO_WORD]
    expected = [merged_one_by_one(word, pairs, merged) for word in words]
    merges = Merges(pairs, merged, size)
    ids, numbers = merges(tf.constant(flat), tf.constant(of), rows=1)
    actual = [ids.numpy()[numbers.numpy() == number].tolist() for number in range(len(words))]
    assert actual == expected
    assert merges.ragged(tf.ragged.constant(words, tf.int32)).to_list() == expected
    assert any(len(row) < len(word) for row, word in zip(actual, words, strict=True))


def test_numbers_of_code_points():
    rng = np.random.default_rng(7)
    values = rng.integers(-3, 70_000, CODE_POINTS) * (rng.random(CODE_POINTS) < 0.01)
    codes = rng.integers(0, CODE_POINTS, 5003).astype("int32")
    np.testing.assert_array_equal(CodePointTable(values)(tf.constant(codes)), values[codes])


@pytest.mark.parametrize("text", ["aé", "a b", " ab "])
def test_normalized_texts_that_do_not_fit(text):
    with pytest.raises(ValueError, match="'a' must not become"):
        SymbolTable("a", {"a": text})
