"""Texts as padded token ids."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics, record
from zoo.errors import UserError
from zoo.preprocessing.base import BATCH, LENGTH, Features, Preprocessor, TensorSpec
from zoo.preprocessing.byte_texts import ByteTexts
from zoo.preprocessing.detokenizer import Detokenizer
from zoo.preprocessing.text_probes import text_probes, text_samples
from zoo.text.form import TEXT
from zoo.text.programs.joined import Rows
from zoo.text.programs.joined import joined as joined_rows
from zoo.text.special_tokens import MASK, SpecialTokens
from zoo.text.statistics import count_truncated
from zoo.text.tokenizer import Tokenizer

SECOND = "second"

LONG = 2048  # characters of a text, from which on a batch has no more rows than it is told to
MOST = 1024  # maximum number of short texts of a batch


class TokenPreprocessor(Detokenizer, Preprocessor):
    """Base class of preprocessors of texts. The feature `token_ids` (B, T) is int32 and padded.

    Args:
        tokenizer: The tokenizer.
        max_length: Maximum number of tokens of a text.
        pairs: Whether each row has two texts, `text` and `second`.
    """

    subfolder: ClassVar[str] = "tokenizer"
    start: bool = False  # whether texts begin with the start token
    nested: ClassVar[bool] = False  # whether texts are split into sentences: (B, sentences, words)
    axes: ClassVar[tuple[str, ...]] = (BATCH, LENGTH)  # of `token_ids`

    def __init__(self, tokenizer: Tokenizer, max_length: int, pairs: bool = False) -> None:
        self.tokenizer, self.max_length, self.pairs = tokenizer, max_length, pairs
        words = {TEXT: "the first text", SECOND: "the second text"} if pairs else {TEXT: "the text"}
        self.inputs = {
            name: TensorSpec((BATCH,), "string", meaning=f"{each}, UTF-8")
            for name, each in words.items()
        }

    @property
    def features(self) -> dict[str, TensorSpec]:  # type: ignore[override]  # tells max_length
        pad = self.tokenizer.special_tokens.pad
        meaning = f"{self.meaning}; an id is a line of vocabulary.txt, from 0"
        values = (0, self.tokenizer.vocabulary_size - 1)
        return {"token_ids": TensorSpec(self.axes, "int32", pad, meaning, values)}

    def rows_together(self, batch_size: int, longest: int) -> int:
        """The number of texts whose characters are those of a batch of long ones."""
        return max(batch_size, min(MOST, batch_size * LONG // max(longest, 1)))

    def save(self, folder: Path) -> None:
        """Writes the tokenizer to a folder."""
        self.tokenizer.save(folder)

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to go on: the vocabulary."""
        return self.tokenizer.facts()

    @property
    def room(self) -> int:
        """Maximum number of tokens, not counting special tokens."""
        return self.max_length

    @property
    def meaning(self) -> str:
        """What the ids of a text are, in words."""
        raise NotImplementedError

    @property
    def truncated(self) -> str:
        """Description of longer texts in the data statistics."""
        return f"texts truncated to {self.max_length} tokens"

    def __call__(self, **texts: Any) -> Features:
        pad = self.tokenizer.special_tokens.pad
        return {"token_ids": self.pad(self.tokenize(**texts).to_tensor(pad))}

    def tokenize(self, text: Any, second: Any = None) -> tf.RaggedTensor:
        """The tokens of each text, or of each pair of texts with an end token between them."""
        tokens = self.tokenizer.tokenize(text)
        if second is None:
            return tokens
        return joined(tokens, self.tokenizer.tokenize(second), self.tokenizer.special_tokens)

    def pad(self, ids: tf.Tensor) -> tf.Tensor:
        """Truncates padded ids (B, T), and adds special tokens, with operators that LiteRT has."""
        raise NotImplementedError

    def of_bytes(self, *texts: Rows) -> tuple[Features, tf.Tensor]:
        """Features of texts as bytes, with built-in operators of LiteRT only.

        Args:
            *texts: Of each input of strings its bytes, int32 (B, N), and their lengths (B,).

        Returns:
            The features, and the number of tokens of each text (B,), of which some may be cut off.
        """
        special = self.tokenizer.special_tokens
        ids, counts = self.tokenizer.program.encode(*texts[0])
        for second in texts[1:]:
            more = self.tokenizer.program.encode(*second)
            ids, counts = joined_rows((ids, counts), more, special.between, special.pad)
        return {"token_ids": self.pad(ids)}, counts

    def in_bytes(self, length: int | None = None) -> Preprocessor:
        return ByteTexts(self if length is None else self.shortened(length))

    def shortened(self, length: int) -> Self:
        """The same for texts of at most `length` tokens.

        Raises:
            UserError: If no token of a text would be left.
        """
        shorter = copy.copy(self)
        shorter.max_length = min(self.max_length, length)
        if shorter.room < 1:
            least = shorter.max_length - shorter.room + 1
            raise UserError(f"length must be at least {least}; got {length}")
        return shorter

    def read(self, inputs: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
        features, statistics = self.measure(inputs)
        record(statistics)
        return features

    def measure(
        self, inputs: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, np.ndarray], Statistics]:
        """Features of raw inputs in Python, and counts of truncated, empty and unknown data."""
        tokens = self.tokenize(**{k: tf.constant(list(v), tf.string) for k, v in inputs.items()})
        ids = self.pad(tokens.to_tensor(self.tokenizer.special_tokens.pad)).numpy()
        flat, special = tokens.flat_values.numpy(), self.tokenizer.special_tokens
        lengths = tokens.row_lengths().numpy()
        statistics = count_truncated(flat, lengths, self.room, self.truncated, special)
        if special.mask >= 0:
            statistics["masks truncated"] = int((flat == special.mask).sum()) - int(
                (ids == special.mask).sum()
            )
        return {"token_ids": ids}, statistics

    def check_litert(self) -> None:
        self.tokenizer.check_litert()
        if self.pairs:
            raise UserError("LiteRT cannot join two texts: export a task for pairs without strings")

    def probes(self, examples: Mapping[str, Sequence[str]]) -> list[dict[str, np.ndarray]]:
        batches = text_probes(examples.get(TEXT, ()), self.max_length)
        return [dict.fromkeys(self.inputs, self._masked(batch)) for batch in batches]

    def samples(self, examples: Mapping[str, Sequence[str]]) -> list[dict[str, np.ndarray]]:
        batches = text_samples(examples.get(TEXT, ()), self.inputs)
        return [{name: self._masked(texts) for name, texts in each.items()} for each in batches]

    def _masked(self, texts: np.ndarray) -> np.ndarray:
        """Texts with the masks that the tokenizer knows."""
        return np.array([text.replace(MASK, self.tokenizer.mask_name) for text in texts], object)


class TextPreprocessor(TokenPreprocessor):
    """Converts texts to padded ids that end with the end token. Longer texts are truncated.

    Args:
        tokenizer: The tokenizer.
        max_length: Maximum number of tokens of a text, including special tokens.
        pairs: Whether each row has two texts, `text` and `second`.
        start: Whether texts also begin with the start token.
        what: What the texts are, for the data statistics.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("wordpiece", ["a red hut", "a hat"], 30)
        >>> ids = TextPreprocessor(tokenizer, 3)(text=["a", "a a a a", ""])["token_ids"]
        >>> (ids.numpy() == 3).astype(int).tolist()
        [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        max_length: int,
        pairs: bool = False,
        start: bool = False,
        what: str = "texts",
    ) -> None:
        self.start, self.what = start, what
        super().__init__(tokenizer, max_length, pairs)

    @property
    def room(self) -> int:
        return self.max_length - 1 - self.start

    @property
    def meaning(self) -> str:
        special = self.tokenizer.special_tokens
        start = f"the start token {special.start}, " if self.start else ""
        between = ", ".join(map(str, special.between))
        text = f"the first text, {between}, the second text" if self.pairs else "the text"
        return f"{start}ids of {text}, the end token {special.end}; at most {self.max_length} ids"

    @property
    def truncated(self) -> str:
        return f"{self.what} truncated to {self.max_length} tokens"

    def pad(self, ids: tf.Tensor) -> tf.Tensor:
        special = self.tokenizer.special_tokens
        ids = ids[:, : self.room]
        is_text = tf.cast(tf.not_equal(ids, special.pad), tf.int32)
        lengths = tf.reduce_sum(is_text, axis=1, keepdims=True)
        ids = tf.pad(ids, [[0, 0], [0, 1]], constant_values=special.pad)
        ids = tf.where(tf.equal(tf.range(tf.shape(ids)[1]), lengths), special.end, ids)
        if not self.start:
            return ids
        return tf.pad(ids, [[0, 0], [1, 0]], constant_values=special.start)


def joined(
    firsts: tf.RaggedTensor, seconds: tf.RaggedTensor, special_tokens: SpecialTokens
) -> tf.RaggedTensor:
    """Concatenates the ids of two texts, with an end token between them, or what else separates.

    Example:
        >>> firsts, seconds = tf.ragged.constant([[7, 8], []]), tf.ragged.constant([[9], [4]])
        >>> joined(firsts, seconds, SpecialTokens()).to_list()
        [[7, 8, 3, 9], [3, 4]]
    """
    separators = tf.constant([special_tokens.between], firsts.dtype)
    between = tf.tile(separators, [firsts.nrows(), 1])
    return tf.concat([firsts, between, seconds], axis=1)
