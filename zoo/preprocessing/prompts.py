"""Prompts as padded token ids, whose last tokens are kept."""

import tensorflow as tf

from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.preprocessing.text import TokenPreprocessor
from zoo.text.tokenizer import Tokenizer


class PromptPreprocessor(TokenPreprocessor):
    """Converts prompts to padded ids without an end token.

    Longer prompts are truncated to their last tokens. An empty prompt becomes the end token, after
    which a new document begins. Where the tokenizer puts the start token before texts, prompts
    begin with it, also truncated and empty ones.

    Args:
        tokenizer: The tokenizer.
        max_length: Maximum number of tokens of a prompt.

    Raises:
        UserError: If the start token leaves no room for a prompt.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> prompts = PromptPreprocessor(train_tokenizer("bytes", [], 300), max_length=2)
        >>> prompts(text=tf.constant(["abc", "a", ""]))["token_ids"].numpy()[:, :2].tolist()
        [[102, 103], [101, 0], [3, 0]]
    """

    continues = True

    def __init__(self, tokenizer: Tokenizer, max_length: int, pairs: bool = False) -> None:
        super().__init__(tokenizer, max_length, pairs)
        self.start = tokenizer.adds_start
        if self.room < 1:
            raise UserError(
                f"prompts have at most {max_length} token, which is the start token: choose a "
                f"greater {option_name('max_length')}, or fewer {option_name('max_new_tokens')}"
            )

    @property
    def room(self) -> int:
        return self.max_length - self.start

    @property
    def meaning(self) -> str:
        special = self.tokenizer.special_tokens
        if self.start:
            return f"the start token {special.start}, and the last {self.room} ids of the prompt"
        return (
            f"the last {self.max_length} ids of the prompt; the end token {special.end} for an "
            "empty one"
        )

    @property
    def truncated(self) -> str:
        return f"prompts truncated to the last {self.max_length} tokens"

    def pad(self, ids: tf.Tensor) -> tf.Tensor:
        special = self.tokenizer.special_tokens
        is_text = tf.cast(tf.not_equal(ids, special.pad), tf.int32)
        lengths = tf.reduce_sum(is_text, axis=1, keepdims=True)
        # Adds a column, for batches in which every text is empty.
        ids = tf.pad(ids, [[0, 0], [0, 1]], constant_values=special.pad)
        kept = tf.range(tf.minimum(tf.shape(ids)[1], self.room))
        ids = tf.gather(ids, tf.maximum(lengths - self.room, 0) + kept, batch_dims=1)
        if self.start:
            return tf.pad(ids, [[0, 0], [1, 0]], constant_values=special.start)
        is_first = tf.equal(tf.range(tf.shape(ids)[1]), 0)
        return tf.where(tf.logical_and(is_first, tf.equal(ids, special.pad)), special.end, ids)
