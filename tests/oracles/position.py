"""Positions in NumPy float64, one number at a time."""

import math

import numpy as np


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
