"""WordPiece: the longest known piece first."""

import collections
from collections.abc import Iterable, Sequence

import tensorflow as tf
import tensorflow_text as tf_text

from zoo.errors import UserError
from zoo.text.special_tokens import MASK, OURS, SPECIALS, UNKNOWN, SpecialTokens
from zoo.text.tokenizer import Tokenizer, check_vocabulary
from zoo.text.whitespace import split_words

# A longer word is one unknown piece. Splitting takes linear time; the bound is high because
# languages without spaces make a word of a sentence.
MAX_BYTES_PER_WORD = 4096

# The op makes one unknown piece of a whole word where it meets a character without a piece. These
# cost only themselves: Latin, accents, spaces, quotation marks, currencies, CJK punctuation, emoji.
_RANGES = (0x21, 0x370), (0x2000, 0x2070), (0x20A0, 0x20C0), (0x3000, 0x3040), (0x1F300, 0x1FB00)
COMMON = [chr(code) for begin, end in _RANGES for code in range(begin, end)]


class WordPieceTokenizer(Tokenizer):
    """Splits each word greedily into the longest pieces of its vocabulary.

    Source: Schuster & Nakajima 2012; Wu et al. 2016; the linear-time form of Song et al. 2021.
        Pieces are learned by merging frequent neighbours (Sennrich et al. 2016).

    Cased, and punctuation stays attached, so text comes back as it was: "Hut," -> "Hut" "##,".

    Args:
        vocabulary: the special_tokens, then the pieces; "##" marks those that continue a word.

    Example:
        >>> tokenizer = WordPieceTokenizer([*SPECIALS, "Hut", "##,", "##s"])
        >>> tokenizer.tokenize(["Hut, Huts! Hut"]).to_list()
        [[4, 5, 4, 6, 1, 4]]
    """

    kind = "wordpiece"

    def __init__(self, vocabulary: Sequence[str]):
        check_vocabulary(vocabulary)
        parts = [_parse(piece) for piece in vocabulary]
        spellings = [text if inside else " " + text for inside, text in parts]
        # Inside the op a space, which no word contains, marks continuations and special_tokens: so
        # the texts "##s" and "[END]" are never taken for the pieces of those names.
        marked = [" " + text if inside else text for inside, text in parts[len(SPECIALS) :]]
        special_tokens = [special + " " for special in SPECIALS]
        op = tf_text.FastWordpieceTokenizer(
            vocab=_with_common(special_tokens + marked),
            suffix_indicator=" ",
            unknown_token=special_tokens[UNKNOWN],
            max_bytes_per_word=MAX_BYTES_PER_WORD,
            no_pretokenization=True,
            support_detokenization=False,
            token_out_type=tf.int32,
        )

        def split(words: tf.RaggedTensor) -> tf.RaggedTensor:
            ids = op.tokenize(words)
            return ids.with_flat_values(
                tf.where(ids.flat_values < len(vocabulary), ids.flat_values, UNKNOWN)
            )

        masks = MASK in vocabulary[len(SPECIALS) : len(SPECIALS) + 1]
        special = SpecialTokens(mask=len(SPECIALS)) if masks else OURS
        super().__init__(vocabulary, spellings, split, special)

    @classmethod
    def train(
        cls, texts: Iterable[str], vocabulary_size: int, always: Sequence[str] = ()
    ) -> "WordPieceTokenizer":
        """Learns the pieces of the texts; `always` are pieces that follow the special_tokens.

        Every character seen gets both forms, at the beginning of a word and inside, so only a
        character never seen is unknown; where that takes more than `vocabulary_size` pieces, the
        vocabulary is that much larger. Punctuation and unusual spaces are pieces of one character.
        """
        import tokenizers
        from tokenizers import pre_tokenizers

        words = collections.Counter(word for text in texts for word in split_words(text))
        if not words:
            raise UserError("there is no text to learn a vocabulary from")
        learner = tokenizers.Tokenizer(tokenizers.models.BPE())
        learner.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Punctuation("isolated"),
                pre_tokenizers.Split(tokenizers.Regex(r"\s"), "isolated"),
            ]
        )
        # "▁" stands before each word while learning; the library's own marker for continuations
        # makes the result depend on the order of a hash table.
        learner.train_from_iterator(
            (f"▁{word}" for word in words.elements()),
            tokenizers.trainers.BpeTrainer(vocab_size=vocabulary_size, show_progress=False),
        )
        learned = learner.get_vocab()
        pieces = [
            piece.removeprefix("▁") if piece.startswith("▁") else f"##{piece}"
            for piece in sorted(learned, key=learned.__getitem__)
            if piece != "▁"
        ]
        characters = sorted({character for word in words for character in word})
        required = [
            *SPECIALS,
            *always,
            *characters,
            *(f"##{character}" for character in characters),
        ]
        vocabulary = list(dict.fromkeys([*required, *pieces]))
        return cls(vocabulary[: max(vocabulary_size, len(required))])


def _parse(piece: str) -> tuple[bool, str]:
    """Whether the piece continues a word, and its text."""
    inside = piece.startswith("##") and len(piece) > 2
    return inside, piece[2:] if inside else piece


def _with_common(pieces: list[str]) -> list[str]:
    """Appends COMMON, as beginnings and continuations, where they are missing."""
    return list(dict.fromkeys([*pieces, *COMMON, *(" " + character for character in COMMON)]))
