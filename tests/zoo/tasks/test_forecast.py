"""Forecasts with their times: the chart has their values at their places."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import zoo
from zoo.data.series.clock import Clock
from zoo.data.series.series import Series
from zoo.tasks.forecast import Forecast, Forecasts

DAY = 86_400
EVIL = "<script>alert(1)</script>"


def forecast(values, quantiles, targets=("sales",), levels=(0.1, 0.5, 0.9), name="north"):
    series = Series(np.array(values, "float32"), name=name, start=10 * DAY)
    return Forecast(series, np.array(quantiles), Clock("second", DAY), targets, levels)


def drawn(shown):
    page = ET.fromstring(f"<div>{shown._repr_html_()}</div>")
    return page, [
        np.array([x.split(",") for x in each.get("points").split()], float)
        for kind in ("polygon", "polyline")
        for each in page.iter(kind)
    ]


def test_the_chart_has_the_values_at_their_places():
    shown = forecast([[2.0], [4.0], [0.0]], [[[5, 6, 8]], [[1, 7, 10]]])
    _, (band, past, median) = drawn(shown)
    points = np.concatenate([past, median, band])
    steps = (points[:, 0] - past[0, 0]) / (median[-1, 0] - past[0, 0]) * 4
    np.testing.assert_allclose(steps, [0, 1, 2, 3, 4, 3, 4, 4, 3], atol=0.01)
    high, low = band[1, 1], past[2, 1]  # 10 and 0
    heights = 10 * (points[:, 1] - low) / (high - low)
    np.testing.assert_allclose(heights, [2, 4, 0, 6, 7, 8, 10, 1, 5], atol=0.01)


def test_a_missing_value_is_a_gap_of_the_line():
    values = [[1.0], [2.0], [np.nan], [3.0], [4.0]]
    page, (_, first, second, median) = drawn(forecast(values, [[[5, 6, 8]], [[5, 6, 8]]]))
    assert [len(each) for each in (first, second, median)] == [2, 2, 2]
    labels = [each.text for each in page.iter("text")]
    assert labels == ["8", "1", "1970-01-11", "1970-01-17"]


def test_every_target_has_a_chart_and_a_column():
    values = np.arange(6.0).reshape(3, 2)
    shown = forecast(values, [[[1, 2, 3], [4, 5.55555, 6]]], ("a", EVIL))
    page, _ = drawn(shown)
    assert len([*page.iter("svg")]) == 2 and EVIL not in shown._repr_html_()
    cells = ["".join(each.itertext()) for each in page.iter("td")]
    assert cells == ["1970-01-14", "2 (1 to 3)", "5.556 (4 to 6)"]


@pytest.mark.parametrize("values", [[[np.nan]], [[3.0]], [[3.0], [3.0]]])
def test_series_of_no_height_are_drawn(values):
    page, _ = drawn(forecast(values, [[[3.0, 3.0, 3.0]]]))
    assert len([*page.iter("circle")]) >= 1
    assert "nan" not in ET.tostring(page, "unicode").lower()


def test_no_forecasts_say_so():
    assert Forecasts()._repr_html_() == "<p>no series</p>" and Forecasts().text() == ""


def test_a_forecaster_returns_what_it_predicts(tmp_path):
    wave = 5 + np.sin(np.arange(97) * np.pi / 2)
    task = zoo.SeriesForecaster(horizon=4, seasonality=4, quantiles=[0.1, 0.5, 0.9])
    task.adapt([wave])
    task.fit([wave], epochs=1, xla=False, verbose=False)
    (one,) = task.forecasts([wave])
    np.testing.assert_allclose(one.quantiles[:, 0], task.predict([wave])[0])
    assert one.times == ["97", "98", "99", "100"]
    assert [float(x) for x in one.text().splitlines()[0].replace("(", "").split()[1:2]] == [
        pytest.approx(one.quantiles[0, 0, 1], abs=1e-3)
    ]
