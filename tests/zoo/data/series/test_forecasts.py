"""Tests of forecasts by time."""

import numpy as np
import pytest

from zoo.data.series.clock import Clock
from zoo.data.series.forecasts import decimals_of, named_forecast
from zoo.data.series.series import Series


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([3, 17, 1_000_000], 0),
        ([0.1, 11.7, np.nan], 1),
        ([16777.215], 3),
        ([1e-5, 2.0], 5),
        ([np.nan], 7),
        ([], 7),
    ],
)
def test_decimals_are_those_that_were_written(values, decimals):
    assert decimals_of(np.array(values, "float32")) == decimals


def test_a_forecast_has_two_decimals_more_than_its_series():
    values = np.array([[1.5, 2000], [2.5, 3000]], "float32")
    forecast = np.array([[[1.23456789, 2.0], [1234.56789, 98765.4321]]])
    named = named_forecast(Series(values, start=5), forecast, Clock(), ["a", "b"], [0.1, 0.9])
    assert named == {"7": {"a": {"0.1": 1.235, "0.9": 2.0}, "b": {"0.1": 1234.57, "0.9": 98765.43}}}


def test_a_forecast_of_a_large_number_has_seven_digits():
    named = named_forecast(
        Series(np.array([[123456.5]], "float32")),
        np.array([[[123456.78901]]]),
        Clock(),
        ["a"],
        [0.5],
    )
    assert named == {"1": {"0.5": 123456.8}}
