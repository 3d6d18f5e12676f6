"""The WordPiece of BERT's own vocabularies: words and punctuation apart, perhaps without case."""

import functools
import unicodedata
from collections.abc import Sequence
from typing import Any

import tensorflow as tf
import tensorflow_text as tf_text

from zoo.errors import UserError
from zoo.text.character_map import CharacterMap
from zoo.text.shift import moved
from zoo.text.special_tokens import MASK, SpecialTokens
from zoo.text.tokenizer import Tokenizer

# The original makes one unknown piece of a word of more than 100 characters. The op counts bytes,
# of which a character has four at most: words of 100 characters are split whatever they are of.
MAX_BYTES = 400
# Kinds of characters that neither separate words nor are words: most characters by far. Of other
# kinds the other package is asked, whose Unicode may be older than Python's.
_NEVER = {"Lu", "Ll", "Lo", "Cn", "Co", "Cs"}
_NAMES = {"pad": "[PAD]", "unknown": "[UNK]", "start": "[CLS]", "end": "[SEP]", "mask": MASK}


class BertWordPieceTokenizer(Tokenizer):
    """Splits text as the tokenizer that comes with BERT checkpoints does, id by id.

    Source: Devlin et al. 2019; the authors' `tokenization.py`, as Hugging Face's `tokenizers` has
        it, which tells what becomes of each character.

    Control characters go, white space of all kinds separates, punctuation and Chinese characters
    are words of their own; then, uncased, accents and case go. "[MASK]" in a text is the mask.
    Two differences: other marks such as "[SEP]" in a text are text, and a word is unknown from
    401 bytes on, not from 101 characters.

    Args:
        vocabulary: the pieces by id; "##" marks those that continue a word.
        lowercase: whether case goes.
        strip_accents: whether accents go; default where case goes.
        split_chinese: whether each Chinese character is a word.

    Raises:
        UserError: if the vocabulary lacks one of BERT's marks.

    Example:
        >>> pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "hu", "##t", "##s", "!"]
        >>> BertWordPieceTokenizer(pieces).tokenize(["The Hüts!"]).to_list()
        [[5, 6, 7, 8, 9]]
    """

    kind = "bert-wordpiece"

    def __init__(
        self,
        vocabulary: Sequence[str],
        lowercase: bool = True,
        strip_accents: bool | None = None,
        split_chinese: bool = True,
    ):
        missing = [name for name in _NAMES.values() if name not in vocabulary]
        if missing:
            raise UserError(f"the vocabulary lacks {', '.join(missing)}")
        special_tokens = SpecialTokens(
            **{key: vocabulary.index(name) for key, name in _NAMES.items()}
        )
        self._how = {
            "lowercase": lowercase,
            "strip_accents": strip_accents,
            "split_chinese": split_chinese,
        }
        op = tf_text.FastWordpieceTokenizer(
            vocab=list(vocabulary),
            suffix_indicator="##",
            unknown_token=_NAMES["unknown"],
            max_bytes_per_word=MAX_BYTES,
            no_pretokenization=True,
            support_detokenization=False,
            token_out_type=tf.int32,
        )
        inside = [piece.startswith("##") and len(piece) > 2 for piece in vocabulary]
        spellings = [
            piece[2:] if continues else " " + piece
            for piece, continues in zip(vocabulary, inside, strict=True)
        ]
        super().__init__(vocabulary, spellings, op.tokenize, special_tokens)
        self._normalize = character_map(lowercase, strip_accents, split_chinese)
        mask = self._pieces([MASK]).flat_values.numpy()
        self._mask = None if special_tokens.unknown in mask else mask

    def tokenize(self, texts) -> tf.RaggedTensor:
        """Texts (B,) -> ids, ragged (B, pieces), int32, without marks but for masks."""
        pieces = self._pieces(texts)
        if self._mask is None:
            return pieces
        return replaced(pieces, self._mask, self.special_tokens.mask)

    def _pieces(self, texts) -> tf.RaggedTensor:
        return super().tokenize(self._normalize(tf.convert_to_tensor(texts, tf.string)))

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), **self._how}


def replaced(rows: tf.RaggedTensor, pattern: Sequence[int], by: int) -> tf.RaggedTensor:
    """Rows of ids in which one id stands wherever a few stood in a row, in LiteRT's operators.

    Example:
        >>> replaced(tf.ragged.constant([[7, 8, 9, 8], [8], [9]]), [8, 9], 4).to_list()
        [[7, 4, 8], [8], [9]]
    """
    ids, number = rows.flat_values, len(pattern)
    # Rows apart, so that no pattern begins in one and ends in the next.
    row = rows.value_rowids()
    begins = tf.equal(row, moved(row, 1 - number, -1))
    for i, wanted in enumerate(pattern):
        begins &= tf.equal(moved(ids, -i, -1), wanted)
    goes = tf.zeros_like(begins)
    for i in range(1, number):
        goes |= moved(begins, i, False)
    keep = ~goes
    kept = tf.concat([[0], tf.cumsum(tf.cast(keep, rows.row_splits.dtype))], axis=0)
    return tf.RaggedTensor.from_row_splits(
        tf.boolean_mask(tf.where(begins, by, ids), keep),
        tf.gather(kept, rows.row_splits),
        validate=False,
    )


@functools.cache
def character_map(lowercase: bool, strip_accents: bool | None, split_chinese: bool) -> CharacterMap:
    """What becomes of every character before words are split at ASCII whitespace."""
    from tokenizers import normalizers

    normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=split_chinese,
        strip_accents=strip_accents,
        lowercase=lowercase,
    )
    # All at once, with a character between any two that stays as it is and that none becomes.
    between = "\u2502"
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    every.remove(between)
    changed = normalizer.normalize_str(between.join(every)).translate(_words_of_their_own())
    pairs = zip(every, changed.split(between), strict=True)
    return CharacterMap({old: new for old, new in pairs if old != new})


def _words_of_their_own() -> dict[int, str]:
    """White space as a space, and punctuation with spaces around it."""
    from tokenizers import pre_tokenizers

    splitter, found = pre_tokenizers.BertPreTokenizer(), {}
    for code in range(0x110000):
        if unicodedata.category(chr(code)) in _NEVER:
            continue
        pieces = splitter.pre_tokenize_str(f"a{chr(code)}a")
        if len(pieces) > 1:
            found[code] = f" {chr(code)} " if len(pieces) == 3 else " "
    return found
