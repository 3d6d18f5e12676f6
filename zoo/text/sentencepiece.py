"""SentencePiece tokenizers: a unigram language model, and single characters."""

import collections
import io
import struct
from collections.abc import Iterable, Iterator, Sequence

import tensorflow_text as tf_text

from zoo.errors import UserError
from zoo.text.limits import LONGEST_WORD, byte_length, parts, record_cut
from zoo.text.programs.program import Encode
from zoo.text.programs.symbols import SymbolTable
from zoo.text.programs.unigram import Unigram
from zoo.text.separators import split_words
from zoo.text.special_tokens import END, PAD, SPECIALS, START, UNKNOWN
from zoo.text.tokenizer import Tokenizer, check_vocabulary
from zoo.text.whitespace import separators

# Bytes. The trainer skips longer lines silently, and the time that it takes for a line that repeats
# itself is quadratic.
LONGEST_LINE = 2 * LONGEST_WORD
LARGEST_SCORE = 3e38  # as float32
_SPACE = "▁"


class SentencePieceTokenizer(Tokenizer):
    """Unigram tokenizer: splits each word into the most probable sequence of tokens.

    Source: Kudo 2018 (unigram language model); Kudo & Richardson 2018 (SentencePiece).
    Formula: `argmax sum_i score(p_i)` over all splits of a word into tokens p_1 ... p_n

    Text is not normalized, except that each run of whitespace becomes a single space. A run of
    characters that are not in the vocabulary becomes one unknown token.

    Args:
        vocabulary: The special tokens, followed by the learned tokens. "▁" stands for the space
            before a word.
        scores: The log-probability of each token.

    Raises:
        UserError: If the vocabulary does not start with the special tokens, contains a token
            twice, or the scores are not as many numbers.

    Example:
        >>> pieces, scores = [*SPECIALS, "▁", "a", "▁a"], [0, 0, 0, 0, -3, -3, -2]
        >>> tokenizer = SentencePieceTokenizer(pieces, scores)
        >>> tokenizer.tokenize(["a aa é"]).to_list()
        [[6, 6, 5, 4, 1]]
    """

    kind = "sentencepiece"

    def __init__(self, vocabulary: Sequence[str], scores: Sequence[float]):
        check_vocabulary(vocabulary)
        if len(scores) != len(vocabulary):
            raise UserError(
                f"expected a score for each of {len(vocabulary)} tokens, got {len(scores)}"
            )
        if not all(
            isinstance(score, int | float) and abs(score) < LARGEST_SCORE for score in scores
        ):
            raise UserError("the scores of a vocabulary must be numbers of float32")
        self.scores = list(scores)
        op = tf_text.FastSentencepieceTokenizer(model_bytes(vocabulary, scores))
        super().__init__(vocabulary, [piece.replace("▁", " ") for piece in vocabulary], op.tokenize)

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "SentencePieceTokenizer":
        """Trains a unigram model with the `sentencepiece` package.

        If there is little text, the vocabulary may be smaller than `vocabulary_size`.

        Raises:
            UserError: If the package is not installed or cannot learn a model from the texts.
        """
        try:
            import sentencepiece
        except ImportError:
            raise UserError(
                "training a sentencepiece tokenizer requires the package sentencepiece: "
                "pip install 'keras-attn[sentencepiece]'"
            ) from None
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=_lines(texts),
                model_writer=model,
                model_type="unigram",
                vocab_size=vocabulary_size,
                hard_vocab_limit=False,
                character_coverage=1.0,
                normalization_rule_name="identity",
                max_sentence_length=LONGEST_LINE,
                pad_id=PAD,
                unk_id=UNKNOWN,
                bos_id=START,
                eos_id=END,
                num_threads=1,  # the scores depend on the number of threads
                minloglevel=2,
            )
        except RuntimeError as error:
            reason = " ".join(str(error).rpartition("] ")[2].split())
            raise UserError(
                f"sentencepiece cannot learn {vocabulary_size} tokens from this text: {reason}"
            ) from None
        learned = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        ids = range(len(SPECIALS), learned.vocab_size())
        pieces = [learned.id_to_piece(i) for i in ids]
        return cls(
            [*SPECIALS, *pieces], [0.0] * len(SPECIALS) + [learned.get_score(i) for i in ids]
        )

    def _encoder(self) -> Encode:
        tokens = {piece: i for i, piece in enumerate(self.vocabulary) if i >= len(SPECIALS)}
        symbols = SymbolTable("".join([*tokens, _SPACE]), separators())
        return Unigram(symbols, tokens, self.scores, _SPACE, UNKNOWN, PAD, self.vocabulary_size)

    def facts(self) -> dict:
        """The vocabulary and the scores."""
        return {"vocabulary": self.vocabulary, "scores": self.scores}


class CharacterTokenizer(SentencePieceTokenizer):
    """Character tokenizer: every character is a token, and so is "▁", which starts each word.

    Args:
        vocabulary: The special tokens, "▁" and the characters.

    Example:
        >>> tokenizer = CharacterTokenizer.train(["ah ha"], 10)
        >>> tokenizer.vocabulary[4:], tokenizer.tokenize(["ha a"]).to_list()
        (['▁', 'a', 'h'], [[4, 6, 5, 4, 5]])
    """

    kind = "characters"

    def __init__(self, vocabulary: Sequence[str]):
        super().__init__(vocabulary, [0.0] * len(vocabulary))

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "CharacterTokenizer":
        """Learns the most frequent characters of the texts, up to `vocabulary_size` tokens.

        Raises:
            UserError: If the texts are empty.
        """
        counts: collections.Counter[str] = collections.Counter()
        for text in texts:
            counts.update("".join(split_words(text)))
        if not counts:
            raise UserError("cannot learn a vocabulary: the texts are empty")
        characters = sorted(counts, key=lambda character: (-counts[character], character))
        return cls([*SPECIALS, "▁", *characters][: max(vocabulary_size, len(SPECIALS) + 1)])

    def facts(self) -> dict:
        """The vocabulary."""
        return {"vocabulary": self.vocabulary}


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """The words of each text, with one space between them, in lines that are not too long.

    Longer words are cut; how many is recorded at the end.
    """
    cut = 0
    for text in texts:
        line: list[str] = []
        size = 0
        for word in split_words(text):
            seen = next(parts(word, LONGEST_WORD))
            cut += seen != word
            more = byte_length(seen) + 1
            if size + more > LONGEST_LINE:
                yield " ".join(line)
                line, size = [], 0
            line.append(seen)
            size += more
        if line:
            yield " ".join(line)
    record_cut(cut, LONGEST_WORD)


def model_bytes(vocabulary: Sequence[str], scores: Sequence[float]) -> bytes:
    """Serializes a SentencePiece unigram model without normalization.

    The format is a protocol buffer (sentencepiece_model.proto). It is written directly, since only
    the few fields below are needed, which requires neither the package nor generated code.
    """
    normal, unknown, control = 1, 2, 3
    pieces = b""
    for i, (piece, score) in enumerate(zip(vocabulary, scores, strict=True)):
        type_ = normal if i >= len(SPECIALS) else unknown if i == UNKNOWN else control
        message = _bytes(1, piece.encode()) + _float(2, score) + _integer(3, type_)
        pieces += _bytes(1, message)
    trainer = _integer(3, 1) + _integer(40, UNKNOWN)  # model_type: unigram; unk_id
    normalizer = _bytes(1, b"identity")
    return pieces + _bytes(2, trainer) + _bytes(3, normalizer)


def _varint(number: int) -> bytes:
    low, high = number & 127, number >> 7
    return bytes([low | 128]) + _varint(high) if high else bytes([low])


def _integer(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _float(field: int, number: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", number)


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content
