"""Windows of series, and batches of them."""

import numpy as np
import pytest

from zoo.data.batching.series import SeriesWindows
from zoo.data.series.read import read_series
from zoo.data.series.series import Series
from zoo.data.series.windows import center_and_scale, last_starts, training_starts
from zoo.errors import UserError
from zoo.preprocessing.base import TensorSpec

SPECS = {"values": TensorSpec(("batch", 5, 1), "float32")}


def batches(series, **options):
    return SeriesWindows(read_series(series), SPECS, 3, batch_size=4, **options)


def test_the_scale_is_that_of_the_values_that_are_there():
    rng = np.random.default_rng(3)
    x = rng.normal(7, 3, (5, 13, 2))
    x[rng.random(x.shape) < 0.3] = np.nan
    center, scale = center_and_scale(x)
    np.testing.assert_allclose(center[:, 0], np.nanmean(x, axis=1))
    np.testing.assert_allclose(scale[:, 0], np.nanstd(x, axis=1))


@pytest.mark.parametrize(
    ("values", "center", "scale"),
    [([7.0, 7.0], 7, 7), ([0.0, 0.0], 0, 1), ([np.nan], 0, 1), ([-2.0], -2, 2), ([1, 3.0], 2, 1)],
)
def test_the_scale_of_constant_values(values, center, scale):
    actual = center_and_scale(np.array(values)[:, None])
    assert [each.item() for each in actual] == [center, scale]


def test_training_starts():
    values = np.arange(13.0)
    assert training_starts(Series(values[:, None]), 5, 3).tolist() == [*range(3, 11)]
    assert training_starts(Series(values[:5, None]), 5, 3).tolist() == [2]  # a shorter context
    assert training_starts(Series(values[:3, None]), 5, 3).tolist() == []
    values[:5], values[8:] = np.nan, np.nan
    assert training_starts(Series(values[:, None]), 5, 3).tolist() == [6, 7]


def test_last_starts():
    series = Series(np.arange(13.0)[:, None])
    assert last_starts(series, 5, 3, 2).tolist() == [7, 10]
    assert last_starts(series, 5, 3, 9).tolist() == [1, 4, 7, 10]
    assert last_starts(series, 5, 3, 2, every=1).tolist() == [7, 8, 9, 10]
    assert last_starts(series, 5, 3, 2, every=2).tolist() == [7, 9]


def test_batches_have_the_values_before_and_the_scaled_ones_after():
    values = np.random.default_rng(5).normal(size=17)
    made = batches([values])
    (first, *_) = made.columns(shuffle=False)
    for row, start in enumerate(range(3, 7)):
        before = values[max(0, start - 5) : start]
        np.testing.assert_allclose(first["values"][row, -len(before) :, 0], before, rtol=1e-6)
        expected = (values[start : start + 3] - before.mean()) / before.std()
        np.testing.assert_allclose(first["labels"][row, :, 0], expected, rtol=1e-4)
    assert np.isnan(first["values"][0, :2]).all()


def test_epochs_have_one_shape_differ_and_can_be_repeated():
    made = batches([np.arange(23.0)])
    epochs = [[batch["values"] for batch in made.columns(epoch)] for epoch in (0, 1, 0)]
    assert {x.shape for epoch in epochs for x in epoch} == {(4, 5, 1)}
    assert len(epochs[0]) == made.steps_per_epoch == 5  # of 18 windows
    np.testing.assert_array_equal(epochs[0], epochs[2])
    assert not np.array_equal(epochs[0], epochs[1], equal_nan=True)
    limited = batches([np.arange(23.0)], limit=7)
    assert limited.steps_per_epoch == 2 and limited.steps(shuffle=False) == 5


def test_held_out_forecasts_follow_what_is_learned_from():
    examples = read_series([np.arange(41.0), np.arange(5.0)])
    examples = type(examples)(**{**vars(examples), "horizon": 3})
    train, validation = examples.split(0.2)
    assert [len(each) for each in train.series] == [35, 5] and validation.held_out == [2]
    made = SeriesWindows(validation, SPECS, 3, batch_size=4)
    assert made.origins.tolist() == [[0, 35], [0, 38]]
    with pytest.raises(UserError, match="has no series of more than 6 values"):
        type(examples)(**{**vars(examples), "series": examples.series[1:]}).split(0.2)


def test_series_that_are_too_short_are_counted():
    made = batches([np.arange(9.0), np.arange(3.0)])
    assert made.statistics == {"series too short for a horizon of 3": 1}
    with pytest.raises(UserError, match="no series that is longer than the horizon of 3"):
        batches([np.arange(3.0)])
