"""Questions and passages as windows of token ids."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.preprocessing.byte_texts import as_bytes
from zoo.preprocessing.text import TokenPreprocessor
from zoo.preprocessing.text_probes import ODD_TEXTS, PROBES, text_samples
from zoo.text.passage import Passages
from zoo.text.programs.joined import Rows
from zoo.text.programs.ragged import axis_size
from zoo.text.programs.separate_words import SeparateWords
from zoo.text.programs.windows import WindowSizes, looked_up, windows
from zoo.text.programs.words import tokens_of_words
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer

QUESTION, PASSAGE = "question", "passage"
WORD_BEGINS, WORD_ENDS = "word_begins", "word_ends"
PASSAGE_BYTES, PASSAGE_LENGTHS = "passage_bytes", "passage_lengths"


class PassagePreprocessor(TokenPreprocessor):
    """Converts questions and passages to ids. A long passage becomes windows that overlap.

    A window has the start token, the question, the end token, a part of the passage, and the end
    token. Words end at whitespace and at punctuation marks, whatever the tokenizer.

    Source: Devlin et al. 2019, section 4.2; the authors' `run_squad.py`.

    Args:
        tokenizer: The tokenizer.
        sizes: The sizes of windows.

    Features: `token_ids` (B, W, L). `word_begins` and `word_ends`, int32 (B, W, L): of each token
        of a passage, the number of bytes of the passage before and up to the end of its word; -1
        of others. `passage_bytes`, int32 (B, N), and `passage_lengths` (B,); of strings also
        `passage` (B,).

    Raises:
        UserError: If a window has no room for the tokens that follow each other in a stride.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("words", ["who sings ann"], 9)
        >>> read = PassagePreprocessor(tokenizer, WindowSizes(length=7, question=2, stride=1))
        >>> features = read(question=["Who sings?"], passage=["Ann sings."])
        >>> features["token_ids"].shape.as_list(), features["word_begins"][0, 1].numpy().tolist()
        ([1, 2, 7], [-1, -1, -1, -1, 4, 9, -1])
    """

    nested: ClassVar[bool] = True
    axes: ClassVar[tuple[str, ...]] = (BATCH, "windows", LENGTH)
    start = True

    def __init__(self, tokenizer: Tokenizer, sizes: WindowSizes) -> None:
        super().__init__(tokenizer, sizes.length)
        marks = 2 + len(tokenizer.special_tokens.between)  # special tokens of a window
        least = marks + sizes.question + sizes.stride
        if sizes.length < least:
            raise UserError(
                f"max_length must be at least {least}, for {sizes.question} tokens of a question, "
                f"{marks} special tokens and a stride of {sizes.stride}; got {sizes.length}"
            )
        self.sizes = sizes
        self.inputs = {
            name: TensorSpec((BATCH,), "string", meaning=f"the {name}, UTF-8")
            for name in (QUESTION, PASSAGE)
        }

    @property
    def room(self) -> int:
        return self.sizes.question

    @property
    def meaning(self) -> str:
        special = self.tokenizer.special_tokens
        between = ", ".join(map(str, special.between))
        return (
            f"of each window of the passage the start token {special.start}, ids of the question, "
            f"the end token {between}, ids of the passage, the end token; at most "
            f"{self.max_length} ids"
        )

    @property
    def truncated(self) -> str:
        return f"questions truncated to {self.room} tokens"

    def __call__(self, **texts: Any) -> Features:
        rows = (_as_rows(texts[name]) for name in (QUESTION, PASSAGE))
        return {**self.of_bytes(*rows)[0], PASSAGE: texts[PASSAGE]}

    def of_bytes(self, *texts: Rows) -> tuple[Features, tf.Tensor]:
        asked, given = (self.tokenizer.separate_words(*rows) for rows in texts)
        sizes = (axis_size(text_bytes, 1) for text_bytes, _ in texts)
        question, (ids, begins, counts) = map(self._tokens, (asked, given), sizes)
        special = self.tokenizer.special_tokens
        token_ids, places = windows((question[0], question[2]), (ids, counts), self.sizes, special)
        word, there = tf.cumsum(begins, axis=1) - 1, places >= 0
        word = looked_up(word, places, there)
        of_words = {WORD_BEGINS: given.begins, WORD_ENDS: given.ends}
        offsets = {k: tf.where(there, looked_up(x, word, there), -1) for k, x in of_words.items()}
        passage = {PASSAGE_BYTES: texts[1][0], PASSAGE_LENGTHS: texts[1][1]}
        return {"token_ids": token_ids, **offsets, **passage}, question[2]

    def _tokens(self, words: SeparateWords, size: Any) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """The ids of words (B, T), whether each begins a word, and how many each row has.

        Args:
            words: The words of texts.
            size: The greatest number of bytes of a text.
        """
        tokenizer = self.tokenizer
        special, boundary = tokenizer.special_tokens, tokenizer.vocabulary_size
        encoded = tokenizer.encode_words(words.text_bytes, words.lengths)
        ids, begins, counts = tokens_of_words(*encoded, boundary, special.unknown, special.pad)
        size += tokenizer.prefix_space
        return ids[:, :size], begins[:, :size], counts  # no token is shorter than a byte

    def shortened(self, length: int) -> Self:
        return type(self)(self.tokenizer, self.sizes._replace(length=min(length, self.max_length)))

    @functools.cached_property
    def _traced(self) -> Any:
        rows, lengths = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)

        def program(question: Any, asked: Any, passage: Any, size: Any) -> Any:
            return self.of_bytes((question, asked), (passage, size))

        signature = [rows, lengths, rows, lengths]
        return tf.function(program, input_signature=signature, autograph=False)

    def measure(self, inputs: Mapping[str, Sequence[str]]) -> tuple[dict[str, Any], Statistics]:
        given = {name: inputs[name] for name in (QUESTION, PASSAGE)}
        features, counts = self._traced(*as_bytes(given).values())
        arrays = {name: each.numpy() for name, each in features.items()}
        unknown = count_unknown(arrays["token_ids"], self.tokenizer.special_tokens)
        over = int((counts.numpy() > self.room).sum())
        passages = np.array([text.encode() for text in inputs[PASSAGE]], object)
        statistics = Statistics({self.truncated: over, "unknown tokens": unknown})
        return {**arrays, PASSAGE: passages}, statistics

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot find the words of a passage in strings: export with texts as bytes"
        )

    def probes(self, examples: Mapping[str, Sequence[str]]) -> list[dict[str, np.ndarray]]:
        asked, given = (list(examples.get(name, ())) or ["a"] for name in (QUESTION, PASSAGE))
        long = " ".join([given[0]] * (2 + 2 * self.max_length // (1 + len(given[0].split()))))
        passages = [*given[:PROBES], *ODD_TEXTS, long]
        questions = [*asked[:PROBES], *reversed(ODD_TEXTS), asked[0]]
        batch = {QUESTION: questions, PASSAGE: passages}
        columns = {name: np.array(texts, object) for name, texts in batch.items()}
        return [columns, {name: texts[:1] for name, texts in columns.items()}]

    def samples(self, examples: Mapping[str, Sequence[str]]) -> list[dict[str, np.ndarray]]:
        columns = [text_samples(examples.get(name, ()), [name]) for name in (QUESTION, PASSAGE)]
        return [first | second for first, second in zip(*columns, strict=True)]


def passages_of(features: Features) -> Passages:
    """The passages of features."""
    return Passages(features[PASSAGE_BYTES], features[PASSAGE_LENGTHS], features.get(PASSAGE))


def _as_rows(texts: Any) -> Rows:
    """Texts, strings (B,), as bytes, int32 (B, N), and their lengths."""
    texts = tf.convert_to_tensor(texts, tf.string)
    lengths = tf.strings.length(texts)
    size = tf.maximum(tf.reduce_max(lengths), 1)
    return tf.cast(tf.io.decode_raw(texts, tf.uint8, fixed_length=size), tf.int32), lengths
