"""WordPiece tokenizer for the vocabularies of BERT checkpoints, cased or uncased."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import tensorflow as tf
import tensorflow_text as tf_text

from zoo.errors import UserError
from zoo.text.bert_normalization import normalization
from zoo.text.character_map import CharacterMap
from zoo.text.limits import check_tokens
from zoo.text.masked import between_masks
from zoo.text.programs.masks import WithMasks
from zoo.text.programs.program import Encode
from zoo.text.programs.replaced import replaced as replaced_in_rows
from zoo.text.programs.symbols import SymbolTable
from zoo.text.programs.wordpiece import Longest, WordPiece
from zoo.text.shift import moved
from zoo.text.special_tokens import MASK, SpecialTokens
from zoo.text.tokenizer import Tokenizer

MAX_CHARACTERS = 100  # of a word, as `max_input_chars_per_word` of Hugging Face's tokenizer
_NAMES = {"pad": "[PAD]", "unknown": "[UNK]", "start": "[CLS]", "end": "[SEP]", "mask": MASK}


class BertWordPieceTokenizer(Tokenizer):
    """BERT's WordPiece tokenizer, which returns the same ids as Hugging Face's.

    Source: Devlin et al. 2019; the authors' `tokenization.py`, as implemented by Hugging Face's
        `tokenizers`, which defines how each character is normalized.

    Removes control characters and splits text at whitespace of any kind. Punctuation marks and
    Chinese characters are words of their own. Uncased tokenizers also remove accents and convert
    text to lower case. Words of more than 100 characters are unknown. "[MASK]" in a text becomes
    the mask token. There is one difference from the original: other special tokens in a text, such
    as "[SEP]", are ordinary text.

    Args:
        vocabulary: The tokens in the order of their ids. The prefix "##" means that a token
            continues a word.
        lowercase: Whether to convert text to lower case.
        strip_accents: Whether to remove accents. Defaults to the value of `lowercase`.
        split_chinese: Whether each Chinese character is a word of its own.
        names: Names of the special tokens by field of `SpecialTokens`, such as those of MPNet.
            Defaults to BERT's. If the start token of second texts is one of them, pairs have it.

    Raises:
        UserError: If one of the special tokens is missing from the vocabulary, a token is there
            twice, or has more than 256 bytes.

    Example:
        >>> pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "hu", "##t", "##s", "!"]
        >>> BertWordPieceTokenizer(pieces).tokenize(["The Hüts!"]).to_list()
        [[5, 6, 7, 8, 9]]
    """

    kind = "bert-wordpiece"
    max_characters: ClassVar[int] = MAX_CHARACTERS

    def __init__(
        self,
        vocabulary: Sequence[str],
        lowercase: bool = True,
        strip_accents: bool | None = None,
        split_chinese: bool = True,
        names: Mapping[str, str] | None = None,
    ):
        check_tokens(vocabulary)
        self._names = None if names is None else dict(names)
        names = _NAMES if names is None else names
        missing = [name for name in names.values() if name not in vocabulary]
        if missing:
            raise UserError(f"the vocabulary must contain {', '.join(missing)}")
        special_tokens = SpecialTokens(
            **{key: vocabulary.index(name) for key, name in names.items()}
        )
        self.options = {
            "lowercase": lowercase,
            "strip_accents": strip_accents,
            "split_chinese": split_chinese,
        }
        op = tf_text.FastWordpieceTokenizer(
            vocab=list(vocabulary),
            suffix_indicator="##",
            unknown_token=names["unknown"],
            max_bytes_per_word=4 * self.max_characters,
            no_pretokenization=True,
            support_detokenization=False,
            token_out_type=tf.int32,
        )
        inside = [piece.startswith("##") and len(piece) > 2 for piece in vocabulary]
        spellings = [
            piece[2:] if continues else " " + piece
            for piece, continues in zip(vocabulary, inside, strict=True)
        ]
        characters = [len(piece) - 2 * more for piece, more in zip(vocabulary, inside, strict=True)]
        characters[special_tokens.unknown] = 0

        def split(words: tf.RaggedTensor) -> tf.RaggedTensor:
            return without_long(
                op.tokenize(words), characters, self.max_characters, special_tokens.unknown
            )

        super().__init__(vocabulary, spellings, split, special_tokens)
        self._normalize = character_map(lowercase, strip_accents, split_chinese)
        self._starting = {p: i for i, p in enumerate(vocabulary) if not inside[i]}
        self._continuing = {p[2:]: i for i, p in enumerate(vocabulary) if inside[i]}
        mask = self._pieces([names["mask"]]).flat_values.numpy()
        self._mask = None if special_tokens.unknown in mask else mask
        self.has_names_of_bert = self._names is None

    def tokenize(self, texts) -> tf.RaggedTensor:
        """Converts texts (B,) to ragged int32 ids (B, T), with no special tokens except masks."""
        if not self.has_names_of_bert:  # whose masks are found in texts as they are
            texts, special = tf.convert_to_tensor(texts, tf.string), self.special_tokens
            return between_masks(self._pieces, texts, self.mask_name, special.mask, strips=False)
        pieces = self._pieces(texts)
        if self._mask is None:
            return pieces
        return replaced(pieces, self._mask, self.special_tokens.mask)

    def _pieces(self, texts) -> tf.RaggedTensor:
        return super().tokenize(self._normalize(tf.convert_to_tensor(texts, tf.string)))

    def _encoder(self) -> Encode:
        special = self.special_tokens
        first, inside = self._starting, self._continuing
        symbols = SymbolTable("".join([*first, *inside]), normalization(**self.options))
        pad, boundary = special.pad, self.vocabulary_size
        longest = Longest(self.max_characters, in_characters=True)
        split = WordPiece(symbols, first, inside, special.unknown, longest, pad, boundary)
        if not self.has_names_of_bert:
            return WithMasks(split, self.mask_name, special.mask, False, boundary, pad)
        if self._mask is None:
            return split
        pattern = self._mask.tolist()

        def encode(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple:
            ids, counts = split(text_bytes, lengths)
            return replaced_in_rows(ids, counts, pattern, special.mask, pad)

        return encode

    def facts(self) -> dict[str, Any]:
        names = {} if self._names is None else {"names": self._names}
        return {**super().facts(), **self.options, **names}


def without_long(
    rows: tf.RaggedTensor, characters: Sequence[int], most: int, unknown: int
) -> tf.RaggedTensor:
    """Replaces words of too many characters with the unknown token, using LiteRT's operators.

    Characters are counted by tokens, since LiteRT cannot count those of strings: the tokens of a
    word have all of its characters, unless it is unknown anyway.

    Args:
        rows: Ragged ids of the words of texts (B, W, T).
        characters: Number of characters of each token; 0 of the unknown one.
        most: Maximum number of characters of a word.
        unknown: Id of the unknown token.

    Example:
        >>> rows = tf.ragged.constant([[[2, 3], [2]], [[2, 2, 2]]])
        >>> without_long(rows, [0, 1, 3, 2], 5, 1).to_list()
        [[[2, 3], [2]], [[1]]]
    """
    words = rows.values
    ids, word, starts = words.values, words.value_rowids(), words.row_starts()
    sums = tf.concat([[0], tf.cumsum(tf.gather(tf.constant(characters, tf.int32), ids))], axis=0)
    total = tf.gather(sums, words.row_limits()) - tf.gather(sums, starts)
    long = tf.gather(total > most, word)
    position = tf.range(tf.size(ids, out_type=starts.dtype))
    keep = ~long | tf.equal(position, tf.gather(starts, word))
    kept = tf.concat([[0], tf.cumsum(tf.cast(keep, starts.dtype))], axis=0)
    shorter = tf.RaggedTensor.from_row_splits(
        tf.boolean_mask(tf.where(long, unknown, ids), keep),
        tf.gather(kept, words.row_splits),
        validate=False,
    )
    return rows.with_values(shorter)


def replaced(rows: tf.RaggedTensor, pattern: Sequence[int], by: int) -> tf.RaggedTensor:
    """Replaces each occurrence of a sequence of ids with a single id, using LiteRT's operators.

    Args:
        rows: Ragged ids (B, T).
        pattern: Sequence of ids to replace.
        by: Id that replaces the sequence.

    Example:
        >>> replaced(tf.ragged.constant([[7, 8, 9, 8], [8], [9]]), [8, 9], 4).to_list()
        [[7, 4, 8], [8], [9]]
    """
    ids, number = rows.flat_values, len(pattern)
    # A match must not start in one row and end in the next.
    row = rows.value_rowids()
    begins = tf.equal(row, moved(row, 1 - number, -1))
    for i, expected in enumerate(pattern):
        begins &= tf.equal(moved(ids, -i, -1), expected)
    removed = tf.zeros_like(begins)
    for i in range(1, number):
        removed |= moved(begins, i, False)
    keep = ~removed
    kept = tf.concat([[0], tf.cumsum(tf.cast(keep, rows.row_splits.dtype))], axis=0)
    return tf.RaggedTensor.from_row_splits(
        tf.boolean_mask(tf.where(begins, by, ids), keep),
        tf.gather(kept, rows.row_splits),
        validate=False,
    )


@functools.cache
def character_map(lowercase: bool, strip_accents: bool | None, split_chinese: bool) -> CharacterMap:
    """BERT's normalization as a character map, so that words can be split at ASCII whitespace."""
    return CharacterMap(normalization(lowercase, strip_accents, split_chinese))
