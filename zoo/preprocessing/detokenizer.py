"""The base of preprocessors that have a tokenizer: it converts ids to texts."""

from typing import Any, ClassVar

import tensorflow as tf

from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, TextForm
from zoo.text.tokenizer import Tokenizer


class Detokenizer:
    """Base class of preprocessors that have a tokenizer: converts ids to texts."""

    tokenizer: Tokenizer
    continues: ClassVar[bool] = False  # whether generated tokens continue the text

    def detokenize(self, ids: Any) -> tf.Tensor:
        """Converts ids, int32 (B, T), to texts (B,), without special tokens."""
        return self.tokenizer.detokenize(ids, self.continues)

    def text(self, ids: Any, form: TextForm) -> dict[str, tf.Tensor]:
        """Converts ids, int32 (B, T), to texts, as the outputs of a signature.

        Args:
            ids: The ids; for strings in LiteRT, T must be static.
            form: The form of the outputs.
        """
        if form is TextForm.BYTES:
            decoded = self.tokenizer.program.decode(ids, self.continues)
            return dict(zip((TEXT_BYTES, TEXT_LENGTHS), decoded, strict=True))
        if form is TextForm.LITERT_STRINGS:
            return {TEXT: self.tokenizer.detokenize_for_litert(ids, self.continues)}
        return {TEXT: self.detokenize(ids)}

    def pieces(self, ids: Any) -> list[str]:
        """The tokens of a sequence of ids as strings, without padding."""
        special = self.tokenizer.special_tokens
        return [self.tokenizer.vocabulary[i] for i in ids if i != special.pad]
