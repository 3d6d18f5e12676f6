"""Texts as MediaPipe's BERT tokenizer hands them to a model: one character at a time."""

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
import tensorflow as tf

from zoo.text.bert_normalization import normalization
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.programs.code_points import smallest
from zoo.text.programs.joined import Rows
from zoo.text.programs.ragged import axis_size, packed

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LONGEST = 100  # bytes of a word; longer ones are unknown
_NOTHING = -1
_SPACES = " \t\n\f\r"
_LEFT_OUT = f"{_SPACES}\0"  # no word has them
# Characters that are in the vocabulary whether the tokenizer knows them or not: MediaPipe splits
# words at these spaces only, and loses a whole word with a character that it does not know.
_COMMON = (*range(0x3100), *range(0x1F000, 0x1FC00))
_CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class Characters:
    """A vocabulary of single characters for MediaPipe, and the texts behind its ids.

    MediaPipe converts the letters A to Z of a text to lower case, splits it at whitespace and
    around punctuation marks and Chinese characters, and looks up the longest tokens of each word.
    It leaves other capital letters and accents as they are, unlike a BERT tokenizer in training.
    With this vocabulary it passes on words as their characters, which the model file then puts
    together again, and tokenizes itself.

    Source: `mediapipe/calculators/tensor/bert_preprocessor_calculator.cc` and
        `mediapipe/tasks/cc/text/tokenizers/bert_tokenizer.cc`.

    Args:
        tokenizer: The tokenizer of the texts. A word with a character that it does not know is
            unknown, so that rare characters may be left out of the vocabulary.

    Example:
        >>> pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "hu", "##t", "!"]
        >>> characters = Characters(BertWordPieceTokenizer(pieces))
        >>> ids, mask = (tf.constant(x) for x in characters.read(["The Hüt!"]))
        >>> text_bytes, lengths = characters(ids, mask)
        >>> bytes(text_bytes[0].numpy().tolist()).decode()
        ' the hüt !'
    """

    def __init__(self, tokenizer: BertWordPieceTokenizer) -> None:
        mapping = normalization(**tokenizer.options)
        known = {character for token in tokenizer.vocabulary for character in token}
        characters = known.union(map(chr, _COMMON)) | {
            character for character, text in mapping.items() if set(text.strip(" ")) <= known
        }
        self._known = [x for x in sorted(characters) if x not in _LEFT_OUT and _is_assigned(x)]
        unknown = next(
            x for x in map(chr, range(256, 0x110000)) if x not in known and x not in mapping
        )
        texts = ["", f" {unknown}", "", "", *(f" {x}" for x in self._known), *self._known]
        table = np.full((len(texts), 5), _NOTHING, np.int16)
        for row, text in zip(table, texts, strict=True):
            row[: len(text.encode())] = list(text.encode())
        self._bytes = smallest(table)
        self.vocabulary = [*SPECIAL, *self._known, *(f"##{x}" for x in self._known)]
        self._ids = {token: i for i, token in enumerate(self.vocabulary)}

    def __call__(self, ids: tf.Tensor, mask: tf.Tensor) -> Rows:
        """The texts in UTF-8 (B, M) with their lengths (B,), from ids and their mask (B, N)."""
        ids = tf.where(mask > 0, ids, 0)
        text_bytes = tf.reshape(tf.cast(tf.gather(self._bytes, ids), tf.int32), [-1])
        return packed(text_bytes, text_bytes >= 0, axis_size(ids, 0), 0)

    def read(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The ids and the mask (B, N) that MediaPipe makes of texts, int32."""
        rows = [["[CLS]", *self._pieces(text), "[SEP]"] for text in texts]
        ids, mask = np.zeros((2, len(rows), max(map(len, rows))), np.int32)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = [self._ids[piece] for piece in row]
            mask[i, : len(row)] = 1
        return ids, mask

    def _pieces(self, text: str) -> Iterator[str]:
        for word in _words(text.encode().lower().decode()):  # those of ASCII only
            if len(word.encode()) > LONGEST or any(x not in self._ids for x in word):
                yield "[UNK]"
            else:
                yield from (x if index == 0 else f"##{x}" for index, x in enumerate(word))


def _words(text: str) -> Iterator[str]:
    """The words of a text, with punctuation marks and Chinese characters as words of their own."""
    word = ""
    for character in text:
        if character not in _SPACES and not _alone(character):
            word += character
            continue
        if word:
            yield word
        if character not in _SPACES:
            yield character
        word = ""
    if word:
        yield word


def _is_assigned(character: str) -> bool:
    return unicodedata.category(character) not in ("Cn", "Co", "Cs")


def _alone(character: str) -> bool:
    code, kind = ord(character), unicodedata.category(character)
    symbol = code < 128 and kind.startswith("S")
    return symbol or kind.startswith("P") or any(a <= code <= b for a, b in _CHINESE)
