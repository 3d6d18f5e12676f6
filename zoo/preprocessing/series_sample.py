"""The windows of the training data that verify an artifact."""

from collections.abc import Sequence

import numpy as np

from zoo.data.series.series import KNOWN, STATIC, VALUES, SeriesSet
from zoo.data.series.windows import contexts, covariates
from zoo.preprocessing.static import StaticColumn, encode_static

SAMPLES = 8  # number of windows that are kept to verify artifacts with


def sample_windows(
    examples: SeriesSet, context: int, horizon: int, static: Sequence[StaticColumn]
) -> dict[str, np.ndarray]:
    """Some windows of the longest series, by name of the input.

    Args:
        examples: The training data.
        context: Number of steps of the context.
        horizon: Number of steps of a forecast.
        static: How static covariates become numbers.
    """
    chosen = [n for n, each in enumerate(examples.series) if len(each) > horizon]
    longest = sorted(chosen, key=lambda n: -len(examples.series[n]))[:SAMPLES]
    windows = [
        (n, round(end))
        for n in longest
        for end in np.linspace(
            max(1, min(context, len(examples.series[n]) - horizon)),
            len(examples.series[n]) - horizon,
            -(-SAMPLES // len(longest)),
        )
    ][:SAMPLES]
    where = np.array(windows or [(0, len(examples.series[0]))])
    sample = {VALUES: contexts(examples.series, where, context)}
    if examples.known:
        sample[KNOWN] = covariates(examples.series, where, context, horizon)
    if static:
        rows = [examples.series[n].static for n in where[:, 0]]
        sample[STATIC] = encode_static(static, rows)
    return sample
