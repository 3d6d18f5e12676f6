"""Tasks on series."""

from dataclasses import replace

import numpy as np

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT, NOT_GENERATING
from tests.tasks.cases.texts import NO_LABELS, NO_MAPS
from tests.tasks.series import Forecasts


def series_forecaster(folder, **options):
    settings = {"hidden_dim": 7, "dropout": 0.0, "horizon": 3, "context_length": 11}
    settings |= {"series_column": "shop", "quantiles": [0.1, 0.5, 0.9], "num_heads": 1}
    return kinds()["series-forecaster"](**{**settings, **options})


def of_convolutions(folder, **options):
    return series_forecaster(folder, encoder="conv", **options)


def of_attention(folder, **options):
    return series_forecaster(folder, encoder="attention", **options)


def wave(count, level, seed):
    random = np.random.default_rng(seed)
    return level + np.sin(np.arange(count)) + random.normal(size=count) / 5


RNN = Case(
    "series-forecaster",
    series_forecaster,
    files.sales,
    [wave(13, 5, 1), wave(3, 50, 2), np.where(np.arange(17) % 3, wave(17, 0, 3), np.nan)],
    Forecasts(),
    fit={"learning_rate": 0.01, "batch_size": 17},
    left=0.95,  # its linear part is fitted before the first epoch
    learned="series",
    not_applicable={
        **NOT_GENERATING,
        **NO_CHECKPOINT,
        **NO_MAPS,
        **NO_LABELS,
        "user errors: length": "its inputs have any length",
        "user errors: vocabulary": "has no vocabulary",
    },
)
CASES = {
    "series_forecaster": RNN,
    "series_forecaster_conv": replace(RNN, make=of_convolutions, variant=True),
    "series_forecaster_attention": replace(
        RNN,
        make=of_attention,
        not_applicable={k: v for k, v in RNN.not_applicable.items() if k not in NO_MAPS},
        variant=True,
    ),
}
