"""What the unigram tokenizers promise beside the common promises."""

import itertools
import sys

import pytest
import sentencepiece

from tests.zoo.text.texts import CORPUS
from zoo.errors import UserError
from zoo.text.sentencepiece import CharacterTokenizer, SentencePieceTokenizer, model_bytes
from zoo.text.special_tokens import SPECIALS


def best_split(word, scores):
    """Tries every way to cut a word."""
    splits = []
    for cuts in itertools.product([False, True], repeat=len(word) - 1):
        piece, split = word[0], []
        for character, cut in zip(word[1:], cuts, strict=True):
            if cut:
                split.append(piece)
                piece = ""
            piece += character
        split.append(piece)
        if all(piece in scores for piece in split):
            splits.append((sum(scores[piece] for piece in split), split))
    return max(splits)[1]


def test_the_split_of_the_greatest_score():
    scores = {"▁": -4.1, "a": -2.3, "b": -2.9, "▁a": -3.7, "ab": -3.1, "ba": -5.3, "▁abb": -9.7}
    pieces = [*SPECIALS, *scores]
    tokenizer = SentencePieceTokenizer(pieces, [0, 0, 0, 0, *scores.values()])
    for length in range(1, 7):
        for letters in itertools.product("ab", repeat=length):
            word = "".join(letters)
            actual = [pieces[i] for i in tokenizer.tokenize([word]).to_list()[0]]
            assert actual == best_split("▁" + word, scores)


def test_the_library_reads_our_model_and_agrees():
    tokenizer = SentencePieceTokenizer.train(CORPUS, 113)
    model = model_bytes(tokenizer.vocabulary, tokenizer.scores)
    other = sentencepiece.SentencePieceProcessor(model_proto=model)
    assert other.unk_id() == 1
    for text in CORPUS:
        text = " ".join(text.split())
        assert tokenizer.tokenize([text]).to_list()[0] == other.encode(text)


def test_unknown_characters_cost_only_themselves():
    tokenizer = CharacterTokenizer.train(["ab"], 10)
    assert tokenizer.tokenize(["a人b 人😀a"]).to_list() == [[4, 5, 1, 6, 4, 1, 5]]


def test_the_most_frequent_characters_stay():
    assert CharacterTokenizer.train(["abbccc d"], 7).vocabulary[4:] == ["▁", "c", "b"]
    assert CharacterTokenizer.train(["ba"], 113).vocabulary[4:] == ["▁", "a", "b"]


def test_sentencepiece_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(UserError, match=r"pip install 'keras-attn\[sentencepiece\]'"):
        SentencePieceTokenizer.train(CORPUS, 113)
    pieces = [*SPECIALS, "▁", "a"]
    assert SentencePieceTokenizer(pieces, [0.0] * 6).tokenize(["a"]).to_list() == [[4, 5]]


def test_too_few_pieces_for_the_alphabet():
    with pytest.raises(UserError, match="sentencepiece cannot learn 7 tokens"):
        SentencePieceTokenizer.train(CORPUS, 7)


def test_a_score_for_every_piece():
    with pytest.raises(UserError, match="a score for each of 5 tokens, got 4"):
        SentencePieceTokenizer([*SPECIALS, "▁"], [0.0] * 4)
