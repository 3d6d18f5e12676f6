"""WordPiece tokenizer."""

from collections.abc import Iterable, Sequence

import tensorflow as tf
import tensorflow_text as tf_text

from zoo.text.limits import LONGEST_WORD
from zoo.text.programs.program import Encode
from zoo.text.programs.symbols import SymbolTable
from zoo.text.programs.wordpiece import Longest, WordPiece
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, MASK, SPECIALS, UNKNOWN, SpecialTokens
from zoo.text.tokenizer import Tokenizer, check_vocabulary
from zoo.text.whitespace import separators
from zoo.text.wordpiece_vocabulary import learn_vocabulary, parse_piece

# For a character that is not in the vocabulary, the op replaces the whole word with the unknown
# token. For these, it replaces only the character: Latin letters, accents, spaces, quotation marks,
# currency symbols, CJK punctuation and emoji.
_RANGES = (0x21, 0x370), (0x2000, 0x2070), (0x20A0, 0x20C0), (0x3000, 0x3040), (0x1F300, 0x1FB00)
COMMON = [chr(code) for begin, end in _RANGES for code in range(begin, end)]


class WordPieceTokenizer(Tokenizer):
    """WordPiece tokenizer: splits each word greedily into the longest tokens in the vocabulary.

    Source: Schuster & Nakajima 2012; Wu et al. 2016; the linear-time algorithm of Song et al. 2021.
        The vocabulary is trained by merging frequent pairs (Sennrich et al. 2016).

    Case-sensitive. Punctuation stays attached to words, "Hut," -> "Hut" "##,", so that decoding
    restores the text.

    Args:
        vocabulary: The special tokens, followed by the learned tokens. The prefix "##" means that a
            token continues a word.

    Raises:
        UserError: If the vocabulary does not start with the special tokens, or contains a token
            twice.

    Example:
        >>> tokenizer = WordPieceTokenizer([*SPECIALS, "Hut", "##,", "##s"])
        >>> tokenizer.tokenize(["Hut, Huts! Hut"]).to_list()
        [[4, 5, 4, 6, 1, 4]]
    """

    kind = "wordpiece"

    def __init__(self, vocabulary: Sequence[str]):
        check_vocabulary(vocabulary)
        parts = [parse_piece(piece) for piece in vocabulary]
        spellings = [text if inside else " " + text for inside, text in parts]
        # In the op's vocabulary, continuations start with a space and special tokens end with one.
        # No word contains a space, so the texts "##s" and "[END]" never become those tokens.
        learned = [" " + text if inside else text for inside, text in parts[len(SPECIALS) :]]
        special_tokens = [special + " " for special in SPECIALS]
        op = tf_text.FastWordpieceTokenizer(
            vocab=_with_common(special_tokens + learned),
            suffix_indicator=" ",
            unknown_token=special_tokens[UNKNOWN],
            max_bytes_per_word=LONGEST_WORD,
            no_pretokenization=True,
            support_detokenization=False,
            token_out_type=tf.int32,
        )

        def split(words: tf.RaggedTensor) -> tf.RaggedTensor:
            ids = op.tokenize(words)
            return ids.with_flat_values(
                tf.where(ids.flat_values < len(vocabulary), ids.flat_values, UNKNOWN)
            )

        self._learned: dict[bool, dict[str, int]] = {True: {}, False: {}}
        for i, (inside, text) in enumerate(parts[len(SPECIALS) :], len(SPECIALS)):
            self._learned[inside][text] = i
        has_mask = MASK in vocabulary[len(SPECIALS) : len(SPECIALS) + 1]
        special = SpecialTokens(mask=len(SPECIALS)) if has_mask else DEFAULT_SPECIAL_TOKENS
        super().__init__(vocabulary, spellings, split, special)

    def _encoder(self) -> Encode:
        common = dict.fromkeys(COMMON, UNKNOWN)
        first, inside = ({**common, **self._learned[inside]} for inside in (False, True))
        symbols = SymbolTable("".join([*first, *inside]), separators())
        pad, boundary = self.special_tokens.pad, self.vocabulary_size
        longest = Longest(LONGEST_WORD)
        return WordPiece(symbols, first, inside, UNKNOWN, longest, pad, boundary)

    @classmethod
    def train(
        cls, texts: Iterable[str], vocabulary_size: int, always: Sequence[str] = ()
    ) -> "WordPieceTokenizer":
        """Trains a vocabulary on texts.

        Every character of the texts becomes two tokens, one that starts a word and one that
        continues a word, so only new characters are unknown. Punctuation marks and
        non-ASCII spaces are never merged with other characters. Words of more than 4096 bytes,
        which are unknown, are left out, and tokens have at most 256 bytes.

        Args:
            texts: The texts, iterated once.
            vocabulary_size: Maximum number of tokens, exceeded only if the characters need more.
            always: Tokens that follow the special tokens.

        Raises:
            UserError: If the texts are empty.
        """
        return cls(learn_vocabulary(texts, vocabulary_size, always))


def _with_common(pieces: list[str]) -> list[str]:
    """Appends `COMMON`, as tokens that start and that continue a word, unless already present."""
    return list(dict.fromkeys([*pieces, *COMMON, *(" " + character for character in COMMON)]))
