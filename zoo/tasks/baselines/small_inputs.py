"""Images and series as short vectors, by means over blocks."""

import numpy as np

from zoo.data.images.read import LabeledImages
from zoo.data.series.labeled import LabeledSeries
from zoo.data.series.windows import last_rows
from zoo.preprocessing.images import ImagePreprocessor
from zoo.preprocessing.series import SeriesPreprocessor

SIDE = 16  # maximum height and width of an image
STEPS = 128  # maximum number of steps of a series
VALUES = 1024  # maximum number of values of a series


def block_means(x: np.ndarray, axis: int, most: int) -> np.ndarray:
    """Means over blocks of neighbors along an axis, of which at most `most` are left.

    Example:
        >>> block_means(np.array([1.0, 3.0, 5.0, 7.0]), 0, most=2).tolist()
        [2.0, 6.0]
    """
    length = x.shape[axis]
    if length <= most:
        return x
    starts = np.arange(most) * length // most
    sizes = np.diff([*starts, length]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    means: np.ndarray = np.add.reduceat(x, starts, axis=axis) / sizes
    return means


def small_pixels(
    examples: LabeledImages, preprocessor: ImagePreprocessor, rows: list[int]
) -> np.ndarray:
    """The pixels of images, at most 16x16, as vectors (N, D)."""
    small = []
    for row in rows:
        pixels = preprocessor.fitted(examples.images[row])
        small.append(block_means(block_means(pixels, 0, SIDE), 1, SIDE).ravel())
    return np.stack(small)


def short_series(
    examples: LabeledSeries, preprocessor: SeriesPreprocessor, rows: list[int]
) -> np.ndarray:
    """The last values of series, at most 128 steps, as vectors (N, D); 0 where missing."""
    steps = max(1, min(STEPS, VALUES // len(examples.channels)))
    short = [
        block_means(last_rows(examples.series[row].values, preprocessor.context), 0, steps).ravel()
        for row in rows
    ]
    return np.nan_to_num(np.stack(short).astype("float32"))
