"""Words and tokens that are too long: cut, left out and counted, or refused in words."""

import json

import pytest

from zoo.errors import UserError
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.limits import LONGEST_TOKEN, LONGEST_WORD, byte_length, parts
from zoo.text.sentencepiece import SentencePieceTokenizer
from zoo.text.special_tokens import SPECIALS
from zoo.text.tokenizers import TRAINABLE
from zoo.text.wordpiece import WordPieceTokenizer

LONG = {
    "URL": "https://example.org/" + "ab" * 200,
    "Thai sentence": "".join(chr(0xE01 + i % 40) for i in range(120)),
    "combining marks": "a" + "\u0301" * 200,
}
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
words = pytest.mark.parametrize("word", LONG.values(), ids=LONG)


@pytest.mark.parametrize("kind", TRAINABLE)
@words
def test_a_long_word_is_learned(kind, word):
    tokenizer = train_tokenizer(kind, [word, "a red hat"] * 3, 200)

    assert max(byte_length(token.removeprefix("##")) for token in tokenizer.vocabulary) <= 256
    if kind not in ("words", "cased-words"):  # of which a long word is unknown
        (text,) = tokenizer.detokenize(tokenizer.tokenize([word])).numpy()
        assert text.decode() == word


@words
def test_its_longest_tokens_are_used(word):
    tokenizer = train_tokenizer("wordpiece", [word] * 3, 1000)

    assert len(tokenizer.tokenize([word]).to_list()[0]) == len([*parts(word)]) or "." in word


@pytest.mark.parametrize(
    ("kind", "size", "told"),
    [
        ("wordpiece", LONGEST_TOKEN, ""),
        ("wordpiece", LONGEST_TOKEN + 1, "2 words cut at 256 bytes to learn the vocabulary"),
        ("wordpiece", LONGEST_WORD, "2 words cut at 256 bytes to learn the vocabulary"),
        ("wordpiece", 10**6, "2 words of more than 4096 bytes left out of the vocabulary"),
        ("words", LONGEST_TOKEN, ""),
        ("words", 10**5, "2 words of more than 256 bytes left out of the vocabulary"),
        ("sentencepiece", LONGEST_WORD, ""),
        ("sentencepiece", 10**5, "2 words cut at 4096 bytes to learn the vocabulary"),
    ],
)
def test_what_is_cut_or_left_out_is_counted(kind, size, told, caplog):
    tokenizer = train_tokenizer(kind, ["x" * size, f"a red hat {'x' * size}"], 30)

    assert caplog.messages == [told] * bool(told)
    assert len(tokenizer.tokenize(["x" * size]).to_list()[0]) > 0


@pytest.mark.parametrize(("kind", "longest"), [("wordpiece", 4096), ("words", 256)])
def test_nothing_but_longer_words_is_an_error(kind, longest):
    with pytest.raises(UserError, match=f"only words of more than {longest} bytes"):
        train_tokenizer(kind, ["x" * 5000], 30)


def test_no_line_is_skipped_for_its_length():
    """Of more than one million bytes, which the trainer takes by default."""
    tokenizer = train_tokenizer("sentencepiece", ["zebra " * 200_000, "a"], 30)

    assert "▁zebra" in tokenizer.vocabulary


def test_a_token_that_is_too_long_is_named(tmp_path):
    told = "token 5 of the vocabulary has 300 bytes; expected at most 256"
    with pytest.raises(UserError, match=told):
        BertWordPieceTokenizer([*BERT, "##" + "x" * 300])
    with pytest.raises(UserError, match="token 4 .* expected text"):
        WordPieceTokenizer([*SPECIALS, 3])
    facts = {"kind": "wordpiece", "vocabulary": [*SPECIALS, "a", "x" * 300]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(facts))
    with pytest.raises(UserError, match=f"tokenizer.json: {told}"):
        load_tokenizer(tmp_path)


@pytest.mark.parametrize("score", ["x", None, float("nan"), 1e39, 10**400])
def test_scores_that_are_no_numbers_are_refused(score):
    with pytest.raises(UserError, match="the scores of a vocabulary must be numbers"):
        SentencePieceTokenizer(list(SPECIALS), [0.0, 0.0, 0.0, score])


def test_tokens_may_be_as_long_as_the_operators_take():
    longest = "x" * 256
    assert BertWordPieceTokenizer([*BERT, longest, f"##{longest}"]).vocabulary_size == 7
