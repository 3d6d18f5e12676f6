"""Training and loading tokenizers by name."""

import pathlib
from collections.abc import Iterable
from typing import Any

from zoo.errors import UserError, reason_of
from zoo.json_file import read_json
from zoo.nearest import offered
from zoo.option_names import option_name
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.byte_fallback_bpe import ByteFallbackBPETokenizer
from zoo.text.byte_level import ByteTokenizer
from zoo.text.cased_words import CasedWordTokenizer
from zoo.text.sentencepiece import CharacterTokenizer, SentencePieceTokenizer
from zoo.text.tokenizer import FILE_NAME, Tokenizer
from zoo.text.unigram import UnigramTokenizer
from zoo.text.wordpiece import WordPieceTokenizer
from zoo.text.words import WordTokenizer

TRAINABLE: dict[str, type[Tokenizer]] = {
    "wordpiece": WordPieceTokenizer,
    "sentencepiece": SentencePieceTokenizer,
    "characters": CharacterTokenizer,
    "byte-bpe": ByteBPETokenizer,
    "bytes": ByteTokenizer,
    "words": WordTokenizer,
    "cased-words": CasedWordTokenizer,
}
# Tokenizers of pretrained checkpoints, which cannot be trained here.
PRETRAINED: dict[str, type[Tokenizer]] = {
    BertWordPieceTokenizer.kind: BertWordPieceTokenizer,
    UnigramTokenizer.kind: UnigramTokenizer,
    ByteFallbackBPETokenizer.kind: ByteFallbackBPETokenizer,
}


def _kind(name: str, kinds: dict[str, type[Tokenizer]]) -> type[Tokenizer]:
    if name not in kinds:
        raise UserError(f"unknown tokenizer {name!r}; {offered(name, kinds)}")
    return kinds[name]


def train_tokenizer(kind: str, texts: Iterable[str], vocabulary_size: int) -> Tokenizer:
    """Trains a tokenizer on texts. Training is deterministic.

    Args:
        kind: "wordpiece", "sentencepiece", "characters", "byte-bpe", "bytes", "words" or
            "cased-words".
        texts: The texts, iterated once.
        vocabulary_size: Approximate number of tokens, including the four special tokens.

    Returns:
        The `Tokenizer`.

    Raises:
        UserError: If the kind is unknown, the texts are empty, or `vocabulary_size` is below 5.

    Example:
        >>> train_tokenizer("characters", ["ah"], 30).vocabulary
        ['[PAD]', '[UNK]', '[START]', '[END]', '▁', 'a', 'h']
    """
    if vocabulary_size < 5:
        raise UserError(
            f"{option_name('vocabulary_size')} must be at least 5, got {vocabulary_size}"
        )
    return _kind(kind, TRAINABLE).train(texts, vocabulary_size)


def tokenizer_of(facts: dict[str, Any]) -> Tokenizer:
    """The tokenizer of which `Tokenizer.to_json` wrote these facts."""
    kind = _kind(facts["kind"], TRAINABLE | PRETRAINED)
    return kind(**{name: each for name, each in facts.items() if name != "kind"})


def load_tokenizer(folder) -> Tokenizer:
    """Loads the tokenizer that `Tokenizer.save` wrote to a folder.

    Raises:
        UserError: If the folder has no `tokenizer.json`, or the file is invalid.
    """
    path = pathlib.Path(folder) / FILE_NAME
    try:
        return tokenizer_of(read_json(path, dict))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} is not a valid tokenizer file: {reason_of(error)}") from None
