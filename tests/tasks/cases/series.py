"""Tasks on series."""

from dataclasses import replace

import numpy as np

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT
from tests.tasks.cases.texts import NO_LABELS, NO_MAPS, NOT_GENERATING
from tests.tasks.series import Forecasts, SeriesLabels, SeriesLabelSets, SeriesValues


def series_forecaster(folder, **options):
    settings = {"hidden_dim": 7, "dropout": 0.0, "horizon": 3, "context_length": 11}
    settings |= {"series_column": "shop", "quantiles": [0.1, 0.5, 0.9], "num_heads": 1}
    return kinds()["series-forecaster"](**{**settings, **options})


def of_convolutions(folder, **options):
    return series_forecaster(folder, encoder="conv", **options)


def of_attention(folder, **options):
    return series_forecaster(folder, encoder="attention", **options)


def series_classifier(folder, **options):
    settings = {"hidden_dim": 7, "num_layers": 2, "num_heads": 1, "kernel_size": 3}
    return kinds()["series-classifier"](**{**settings, **options})


def series_regressor(folder, **options):
    settings = {"hidden_dim": 7, "num_layers": 2, "num_heads": 1, "kernel_size": 3}
    settings |= {"target_column": "speed"}
    return kinds()["series-regressor"](**{**settings, **options})


def several_labels(folder, **options):
    return series_classifier(
        folder, **{"multi_label": True, "label_column": "fast,high", **options}
    )


def classifier_of_attention(folder, **options):
    return series_classifier(folder, encoder="attention", **{"hidden_dim": 16, **options})


def classifier_of_cells(folder, **options):
    return series_classifier(folder, encoder="rnn", **options)


def turning(count, speed):
    angle = speed * np.arange(count)
    return np.stack([10 + 3 * np.sin(angle), np.cos(angle)], axis=1)


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
    left=1.0,  # its whole linear forecast is fitted before the first epoch
    learned="series",
    not_applicable={
        "one shape": "reads no text",
        **NOT_GENERATING,
        **NO_CHECKPOINT,
        **NO_MAPS,
        **NO_LABELS,
        "user errors: length": "its inputs have any length",
        "user errors: vocabulary": "has no vocabulary",
    },
)
CLASSIFIER = Case(
    "series-classifier",
    series_classifier,
    files.motions,
    [turning(13, 1), turning(5, 0.3), turning(17, 0.4)],
    SeriesLabels(),
    fit={"learning_rate": 0.02, "batch_size": 7},
    epochs=6,
    one_label=lambda folder: files.motions(folder, only="still"),
    learned="series",
    not_applicable={
        "one shape": "reads no text",
        **NOT_GENERATING,
        **NO_CHECKPOINT,
        **NO_MAPS,
        "user errors: length": "its inputs have any length",
        "user errors: vocabulary": "has no vocabulary",
    },
)
WITH_MAPS = {k: v for k, v in CLASSIFIER.not_applicable.items() if k not in NO_MAPS}
CASES = {
    "series_classifier": CLASSIFIER,
    "series_classifier_rnn": replace(CLASSIFIER, make=classifier_of_cells, variant=True),
    "series_classifier_attention": replace(
        CLASSIFIER,
        make=classifier_of_attention,
        fit={"learning_rate": 0.01, "batch_size": 13},
        epochs=12,
        not_applicable=WITH_MAPS,
        variant=True,
    ),
    "series_classifier_labels": replace(
        CLASSIFIER,
        make=several_labels,
        data=files.wavy,
        output=SeriesLabelSets(),
        one_label=None,
        variant=True,
    ),
    "series_regressor": replace(
        CLASSIFIER,
        task="series-regressor",
        make=series_regressor,
        data=files.speeds,
        output=SeriesValues(speed=10),
        one_label=None,
        not_applicable={**CLASSIFIER.not_applicable, **NO_LABELS},
    ),
    "series_forecaster": RNN,
    "series_forecaster_conv": replace(RNN, make=of_convolutions, variant=True),
    "series_forecaster_attention": replace(
        RNN,
        make=of_attention,
        not_applicable={k: v for k, v in RNN.not_applicable.items() if k not in NO_MAPS},
        variant=True,
    ),
}
