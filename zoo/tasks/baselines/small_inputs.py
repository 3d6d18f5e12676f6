"""Images and series as short vectors, by means over blocks."""

import numpy as np

from zoo.data.images.image_list import ImageExamples
from zoo.data.series.rows import SeriesRows
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
    examples: ImageExamples, preprocessor: ImagePreprocessor, rows: list[int]
) -> np.ndarray:
    """The pixels of images, at most 16x16, as vectors (N, D)."""
    small = []
    for row in rows:
        pixels = preprocessor.fitted(examples.images[row])
        small.append(block_means(block_means(pixels, 0, SIDE), 1, SIDE).ravel())
    return np.stack(small)


def short_series(
    examples: SeriesRows, preprocessor: SeriesPreprocessor, rows: list[int]
) -> np.ndarray:
    """The last values of series, at most 128 steps, as vectors (N, D); 0 where missing."""
    steps = max(1, min(STEPS, VALUES // len(examples.channels)))
    short = [
        block_means(last_rows(examples.series[row].values, preprocessor.context), 0, steps).ravel()
        for row in rows
    ]
    return np.nan_to_num(np.stack(short).astype("float32"))


def described_series(
    examples: SeriesRows, preprocessor: SeriesPreprocessor, rows: list[int]
) -> np.ndarray:
    """The same, after simple statistics of the values that are not missing; see `statistics`."""
    last = [examples.series[row].values[-preprocessor.context :] for row in rows]
    of_each = np.stack([statistics(values) for values in last])
    return np.concatenate([of_each, short_series(examples, preprocessor, rows)], axis=1)


def statistics(values: np.ndarray) -> np.ndarray:
    """Mean, standard deviation, minimum, maximum, and mean change from step to step, of columns.

    Args:
        values: Values (T, C), NaN where missing.

    Returns:
        Array (5 C,), 0 where a column has no values.

    Example:
        >>> statistics(np.array([[1.0], [3.0], [2.0]])).round(2).tolist()
        [2.0, 0.82, 1.0, 3.0, 1.5]
    """
    known = np.ma.masked_invalid(values.astype("float64"))
    changes = np.abs(np.diff(known, axis=0))
    means = changes.mean(axis=0) if len(changes) else np.ma.masked_all(values.shape[1])
    of_each = [known.mean(axis=0), known.std(axis=0), known.min(axis=0), known.max(axis=0), means]
    return np.concatenate([np.ma.filled(np.ma.asarray(each), 0.0) for each in of_each])
