"""Unigram tokenizers give the ids that Hugging Face's library gives."""

import json

import pytest
import tensorflow as tf

from tests.zoo.pretrained import tiny_unigram
from zoo.errors import UserError
from zoo.text.charsmap import charsmap_of, precompiled
from zoo.text.tokenizers import tokenizer_of
from zoo.text.unigram import UnigramTokenizer

SPECIAL = {"start": 0, "pad": 1, "end": 2, "unknown": 3}


def ours(theirs=None, **how):
    """The tokenizer of the same vocabulary, with a mask as the last token."""
    theirs = tiny_unigram.xlm_roberta() if theirs is None else theirs
    vocabulary = json.loads(theirs.to_str())["model"]["vocab"]
    pieces, scores = map(list, zip(*vocabulary, strict=True))
    return UnigramTokenizer(pieces, scores, {**SPECIAL, "mask": len(pieces) - 1}, **how)


def check(mine, theirs, texts):
    texts = [f"{text} <mask>b" if i % 50 == 0 else text for i, text in enumerate(texts)]
    actual = [
        row
        for i in range(0, len(texts), 500)
        for row in mine.tokenize(texts[i : i + 500]).to_list()
    ]
    expected = [each.ids[1:-1] for each in theirs.encode_batch(texts)]
    assert [*zip(texts, actual, strict=True)] == [*zip(texts, expected, strict=True)]
    known = sum(each != 3 for row in expected for each in row)
    assert known > 0.8 * sum(map(len, expected))


def test_ids_of_20_000_texts():
    theirs = tiny_unigram.xlm_roberta()
    mine = ours(theirs, charsmap=tiny_unigram.encoded(tiny_unigram.learned().charsmap))
    check(mine, theirs, [*tiny_unigram.texts(20_000)])


@pytest.mark.parametrize("only_spaces", [False, True])
@pytest.mark.parametrize("mapped", [False, True])
def test_ids_of_other_steps(mapped, only_spaces):
    charsmap = tiny_unigram.learned().charsmap if mapped else None
    theirs = tiny_unigram.xlm_roberta(only_spaces, charsmap)
    encoded = tiny_unigram.encoded(charsmap) if mapped else ""
    mine = ours(theirs, charsmap=encoded, only_spaces=only_spaces)
    texts = [*tiny_unigram.texts(2000, seed=5), "", " ", "  ", "a ", " a", "a  b", "a\u3000"]
    check(mine, theirs, texts)
    assert tokenizer_of(json.loads(mine.to_json())).facts() == mine.facts()


def test_ties_are_broken_by_exact_sums():
    """In which the order of the same scores makes no difference, as it does in rounded ones."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    scores = [-1.1, -2.3000001907348633, -3.700000047683716, -5.0, -7.25]
    pieces = ["▁", "a", "aa", "aaa", "b"]
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [*zip(pieces, scores, strict=True), ("<mask>", 0.0)]
    theirs = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    theirs.pre_tokenizer = pre_tokenizers.Metaspace()
    texts = ["a" * n + "b" * (n % 3) + "c" * (n % 2) + "a" * (n % 7) for n in range(1, 200)]
    expected = [each.ids for each in theirs.encode_batch(texts)]
    assert ours(theirs).tokenize(texts).to_list() == expected


def test_decoding_is_theirs():
    theirs = tiny_unigram.xlm_roberta()
    mine = ours(theirs)
    ids = mine.tokenize([*tiny_unigram.texts(300, seed=9)]).to_list()
    expected = [theirs.decode(row) for row in ids]
    actual = mine.detokenize(tf.ragged.constant(ids, tf.int32)).numpy().tolist()
    assert [text.decode() for text in actual] == expected


def test_what_is_no_map_is_refused():
    whole = tiny_unigram.learned().charsmap
    damaged = {
        "must be base64": "§",
        "has 3 bytes, which is no map": tiny_unigram.encoded(b"abc"),
        "says that its trie has 4294967292": tiny_unigram.encoded(b"\xfc\xff\xff\xff" + whole[4:]),
        "a replacement has no end": tiny_unigram.encoded(precompiled({"a": "b"})[:-1]),
        "invalid UTF-8": tiny_unigram.encoded(precompiled({"a": "b"})[:-2] + b"\xff\0"),
        "by 65 characters; at most 64": tiny_unigram.encoded(precompiled({"a": "b" * 65})),
    }
    for message, charsmap in damaged.items():
        with pytest.raises(UserError, match=message):
            charsmap_of(charsmap)


def test_damaged_maps_end_in_errors():
    """Bytes of a trie that lead anywhere: no endless search, and no other error."""
    whole = bytearray(tiny_unigram.learned().charsmap)
    for seed in range(30):
        broken = whole.copy()
        for k in range(40):
            place = 4 + (seed * 7919 + k * 104729) % 40_000
            broken[place] ^= 1 << (k % 8)
        try:
            charsmap_of(tiny_unigram.encoded(bytes(broken)))
        except UserError:
            pass


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": [0.0, -1.0]}, "a score for each of 3 tokens, got 2"),
        ({"scores": [0.0, float("nan"), -1.0]}, "the score of token 1 must be a number"),
        ({"scores": [0.0, "x", -1.0]}, "the score of token 1 must be a number"),
        ({"special_tokens": {}}, "unknown token"),
        ({"special_tokens": {"unknown": 3}}, "must be ids of the vocabulary"),
        ({"vocabulary": ["<unk>", "a", "a"]}, "must not contain a token twice"),
    ],
)
def test_invalid_vocabularies_are_refused(changes, message):
    usual = {
        "vocabulary": ["<unk>", "a", "b"],
        "scores": [0.0, -1.0, None],
        "special_tokens": {"unknown": 0, "end": -1},
    }
    made = UnigramTokenizer(**usual)
    assert made.tokenize(["ab"]).to_list() == [[0, 1, 0]]
    with pytest.raises(UserError, match=message):
        UnigramTokenizer(**{**usual, **changes})
