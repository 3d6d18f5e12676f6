"""Positions in NumPy float64, one number at a time."""

import math

import numpy as np


def rotary(x, start_index=0, layout="interleaved", max_wavelength=10000, scaling=None):
    """(..., T, K): pairs of features as complex numbers, turned."""
    y = np.zeros_like(x, dtype=np.float64)
    *_, length, width = x.shape
    for t in range(length):
        for s in range(width // 2):
            a, b = (2 * s, 2 * s + 1) if layout == "interleaved" else (s, s + width // 2)
            angle = (start_index + t) / max_wavelength ** (2 * s / width)
            angle /= 1 if scaling is None else scaling["factor"]  # of the kind "linear"
            turned = (x[..., t, a] + 1j * x[..., t, b]) * np.exp(1j * angle)
            y[..., t, a], y[..., t, b] = turned.real, turned.imag
    return y


def alibi_slopes(heads):
    """As the authors' code lists them."""
    if math.log2(heads).is_integer():
        start = 2 ** -(2 ** -(math.log2(heads) - 3))
        return [start ** (h + 1) for h in range(heads)]
    below = 2 ** int(math.log2(heads))
    return alibi_slopes(below) + alibi_slopes(2 * below)[0::2][: heads - below]


def alibi(heads, query_length, key_length, start_index=0):
    """(H, T, S), what is added to the scores."""
    bias = np.zeros((heads, query_length, key_length))
    for h, t, s in np.ndindex(bias.shape):
        bias[h, t, s] = -alibi_slopes(heads)[h] * abs(s - t - start_index)
    return bias


def shaw(table, query_length, key_length, start_index=0):
    """(T, S, K): the vector of each distance, clipped."""
    furthest = len(table) // 2
    vectors = np.zeros((query_length, key_length, np.shape(table)[1]))
    for t in range(query_length):
        for s in range(key_length):
            distance = min(max(s - t - start_index, -furthest), furthest)
            vectors[t, s] = table[distance + furthest]
    return vectors


def sinusoidal(length, width, start_index=0, layout="interleaved", max_wavelength=10000):
    """(length, width): sin and cos of t / max_wavelength ** (2 s / width)."""
    sines = np.zeros((length, (width + 1) // 2))
    cosines = np.zeros((length, width // 2))
    for row in range(length):
        for s in range((width + 1) // 2):
            angle = (start_index + row) / max_wavelength ** (2 * s / width)
            sines[row, s] = math.sin(angle)
            if s < width // 2:
                cosines[row, s] = math.cos(angle)
    if layout == "halves":
        return np.concatenate([sines, cosines], axis=1)
    table = np.zeros((length, width))
    table[:, 0::2], table[:, 1::2] = sines, cosines
    return table
