"""What tasks on texts with masks have in common."""

from collections.abc import Iterable

from zoo.data.pretraining.sentence_pairs import split_sentences
from zoo.data.readers.documents import Documents
from zoo.text.masked import masked_word
from zoo.text.special_tokens import MASK
from zoo.text.tokenizer import Tokenizer
from zoo.text.wordpiece import WordPieceTokenizer


def trained_with_mask(texts: Iterable[str], vocabulary_size: int) -> Tokenizer:
    """A WordPiece tokenizer whose vocabulary has a mask."""
    return WordPieceTokenizer.train(texts, vocabulary_size, always=[MASK])


def sentences(examples: Documents) -> list[str]:
    """The sentences of the first document."""
    return split_sentences(examples.texts[0])


def masked_sentences(examples: Documents, count: int) -> dict[str, list[str]]:
    """The first sentences, each with one word masked."""
    return {"text": [masked_word(text) for text in sentences(examples)[:count]]}
