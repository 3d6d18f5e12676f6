"""Texts as the bytes that a program takes."""

from collections.abc import Iterable, Sequence

import numpy as np


def as_bytes(texts: Iterable[str | bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Padded bytes, int32 (B, N), and their lengths (B,); the padding is no zeros."""
    rows = [text.encode() if isinstance(text, str) else text for text in texts]
    actual = np.full((len(rows), max(map(len, rows), default=0)), 97, np.int32)
    for row, text in zip(actual, rows, strict=True):
        row[: len(text)] = list(text)
    return actual, np.array([*map(len, rows)], np.int32)


def as_rows(values: np.ndarray, counts: np.ndarray) -> list[list[int]]:
    """The values of each row without padding."""
    return [row[:count].tolist() for row, count in zip(values, counts, strict=True)]


def as_texts(values: np.ndarray, counts: Sequence[int]) -> list[bytes]:
    """The bytes of each row."""
    return [bytes(row) for row in as_rows(np.asarray(values).astype(np.uint8), np.asarray(counts))]
