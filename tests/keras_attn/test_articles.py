"""Articles in messages, as they are said."""

import pytest

from keras_attn.articles import with_article
from zoo.errors import UserError
from zoo.pretrained.converter import check_tokenizer
from zoo.text.tokenizers import train_tokenizer
from zoo.text.wordpiece import WordPieceTokenizer


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("int", "an int"), ("ndarray", "a ndarray"), ("MPNet", "an MPNet"), ("LSTM", "an LSTM"),
        ("ELECTRA", "an ELECTRA"), ("RoBERTa", "a RoBERTa"), ("BERT", "a BERT"),
        ("image-captioner", "an image-captioner"), ("unigram", "a unigram"), ("", "a "),
    ],
)  # fmt: skip
def test_articles(name, expected):
    assert with_article(name) == expected


def test_a_tokenizer_of_another_kind():
    tokenizer = train_tokenizer("words", ["a film"], 10)
    for model, begins in (("MPNet", "an MPNet"), ("ELECTRA", "an ELECTRA"), ("BERT", "a BERT")):
        with pytest.raises(UserError, match=f"^{begins} checkpoint requires a wordpiece tokenizer"):
            check_tokenizer(tokenizer, WordPieceTokenizer, model)
