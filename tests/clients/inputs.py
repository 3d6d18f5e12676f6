"""Inputs of files of one shape."""

import numpy as np

from zoo.preprocessing.byte_texts import as_bytes


def one_text(text, size):
    """A text in an array of the only size; what has no room is left out."""
    given = as_bytes({"text": [text]})
    padded = np.pad(given["text_bytes"], [(0, 0), (0, size)])[:, :size]
    return {**given, "text_bytes": np.ascontiguousarray(padded)}
