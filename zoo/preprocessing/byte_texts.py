"""Texts as bytes, which every runtime has, instead of strings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import tensorflow as tf

from zoo.preprocessing.base import BATCH, Features, Preprocessor, TensorSpec
from zoo.text.programs.ragged import to_int
from zoo.text.programs.utf8 import received

if TYPE_CHECKING:
    from zoo.preprocessing.text import TokenPreprocessor

_BYTES, _LENGTHS = "_bytes", "_lengths"
TRUNCATED = "truncated"


class ByteTexts(Preprocessor):
    """Converts texts in UTF-8 to padded token ids, with built-in operators of LiteRT only.

    Each text has two inputs: the text `text` has `text_bytes`, int32 (B, N), and `text_lengths`
    (B,), its number of bytes. A text that is longer than N is cut after its last whole character.

    Besides the features of the preprocessor, it returns `truncated`, int32 (B,): 1 where a text has
    more bytes than N, or more tokens than the preprocessor keeps.

    Args:
        preprocessor: The preprocessor of the same texts as strings, whose features these are.
    """

    reported: ClassVar[dict[str, str]] = {
        TRUNCATED: "1 where the text was longer than its bytes, or than the greatest number of "
        "tokens, and was cut; else 0"
    }

    def __init__(self, preprocessor: "TokenPreprocessor") -> None:
        self._preprocessor = preprocessor
        self.features, self.inputs = preprocessor.features, {}
        for name in preprocessor.inputs:
            axes, what = (BATCH, f"{name}_size"), preprocessor.inputs[name].meaning
            self.inputs[name + _BYTES] = TensorSpec(
                axes, "int32", 0, f"the bytes of {what}", (0, 255)
            )
            meaning = f"the number of bytes of {name}"
            self.inputs[name + _LENGTHS] = TensorSpec((BATCH,), "int32", meaning=meaning)

    def __call__(self, **inputs: Any) -> Features:
        rows, cut = [], tf.constant(False)
        for name in self._preprocessor.inputs:
            text_bytes, lengths = inputs[name + _BYTES], inputs[name + _LENGTHS]
            cut |= lengths > tf.shape(text_bytes)[1]
            rows.append(received(text_bytes, lengths))
        features, counts = self._preprocessor.of_bytes(*rows)
        return {**features, TRUNCATED: to_int(cut | (counts > self._preprocessor.room))}


def as_bytes(texts: Mapping[str, Sequence[str] | np.ndarray]) -> dict[str, np.ndarray]:
    """Texts in Python as inputs of `ByteTexts`.

    Example:
        >>> as_bytes({"text": ["é", "abc"]})["text_bytes"].tolist()
        [[195, 169, 0], [97, 98, 99]]
    """
    inputs = {}
    for name, column in texts.items():
        rows = [text if isinstance(text, bytes) else text.encode() for text in column]
        lengths = np.array([*map(len, rows)], np.int32)
        inputs[name + _BYTES] = np.zeros((len(rows), lengths.max(initial=1)), np.int32)
        for row, text in zip(inputs[name + _BYTES], rows, strict=True):
            row[: len(text)] = list(text)
        inputs[name + _LENGTHS] = lengths
    return inputs
