"""What tasks on texts with masks have in common."""

from collections.abc import Iterable

from zoo.data.pretraining.sentence_pairs import split_sentences
from zoo.data.readers.documents import Documents
from zoo.text.masked import masked_word
from zoo.text.special_tokens import MASK
from zoo.text.tokenizer import Tokenizer
from zoo.text.wordpiece import WordPieceTokenizer

SENTENCES = 4  # sentences of the training data, one word masked, that verification uses


def trained_with_mask(texts: Iterable[str], vocabulary_size: int) -> Tokenizer:
    """A WordPiece tokenizer whose vocabulary has a mask."""
    return WordPieceTokenizer.train(texts, vocabulary_size, always=[MASK])


def mask_examples(examples: Documents) -> dict[str, list[str]]:
    """Some sentences with a word masked."""
    return {"text": [masked_word(text) for text in split_sentences(examples.texts[0])[:SENTENCES]]}
