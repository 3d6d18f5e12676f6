"""What WordPiece promises beside the common promises."""

import string

import pytest
import tokenizers

from tests.zoo.text.texts import CORPUS
from zoo.errors import UserError
from zoo.text.special_tokens import SPECIALS
from zoo.text.wordpiece import WordPieceTokenizer

TOKENIZER = WordPieceTokenizer.train(CORPUS, 131)


def pieces(text, tokenizer=TOKENIZER):
    return [tokenizer.vocabulary[i] for i in tokenizer.tokenize([text]).to_list()[0]]


def test_longest_piece_first():
    tokenizer = WordPieceTokenizer([*SPECIALS, "a", "ab", "##b", "##c", "##bc"])
    assert pieces("abc ab abbc", tokenizer) == ["ab", "##c", "ab", "ab", "##bc"]


@pytest.mark.parametrize("size", [109, 131, 149])
def test_the_vocabulary_has_the_size_asked_for(size):
    assert WordPieceTokenizer.train(CORPUS, size).vocabulary_size == size


def test_the_vocabulary_grows_to_hold_every_character_in_both_forms():
    alphabet = set("".join(CORPUS)) - set(" \t\n")
    smallest = WordPieceTokenizer.train(CORPUS, 5)
    forms = {form for character in alphabet for form in (character, "##" + character)}
    assert set(smallest.vocabulary[4:]) == forms
    assert forms < set(TOKENIZER.vocabulary)


def test_no_longer_piece_holds_punctuation_or_a_space():
    for piece in TOKENIZER.vocabulary[4:]:
        text = piece.removeprefix("##") or piece
        if len(text) > 1:
            assert not set(text) & set(string.punctuation + "\u00a0\u3000")


def test_frequent_words_are_one_piece():
    assert pieces("the dog") == ["the", "dog"]
    assert pieces("dog, dog.") == ["dog", "##,", "dog", "##."]


@pytest.mark.parametrize("character", "😀~é\u0301\u2019ß€")
def test_a_common_character_never_seen_costs_only_itself(character):
    assert character not in TOKENIZER.vocabulary
    assert pieces(f"dog{character} {character}dog") == [
        "dog",
        "[UNK]",
        "[UNK]",
        *pieces("~dog")[1:],
    ]


def test_another_character_never_seen_costs_its_word():
    assert pieces("the dog人 dog") == ["the", "[UNK]", "dog"]


def test_the_names_of_pieces_are_text_like_any_other():
    assert "##," in TOKENIZER.vocabulary
    assert pieces("##,") == ["#", "###", "##,"]
    for special in SPECIALS:
        assert pieces(special)[0] == pieces(special)[-1] == "[UNK]"
        assert not set(pieces(special)) & {"[PAD]", "[START]", "[END]"}


def test_the_pieces_are_those_of_another_implementation():
    """The `tokenizers` library splits words into the same pieces, given the same vocabulary."""
    ids = {piece: i for i, piece in enumerate(TOKENIZER.vocabulary)}
    other = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token="[UNK]"))
    other.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"[ \t\n]+"), "removed")
    for text in CORPUS:
        assert TOKENIZER.tokenize([text]).to_list()[0] == other.encode(text).ids


@pytest.mark.parametrize(
    "vocabulary, message",
    [
        (["a", "b"], r"must start with \[PAD\], \[UNK\], \[START\], \[END\]"),
        ([*SPECIALS, "a", "a"], "must not contain a token twice"),
    ],
)
def test_a_vocabulary_that_cannot_be(vocabulary, message):
    with pytest.raises(UserError, match=message):
        WordPieceTokenizer(vocabulary)
