"""The pictures of series with labels."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from tests.zoo.unanswered import Unanswered
from zoo.data.series.clock import Clock
from zoo.data.series.series import Series
from zoo.report import labeled_series, pictures, series
from zoo.tasks.parts import Pictures, PreviewRow


def test_a_line_for_each_value_of_a_step_up_to_six_with_gaps_where_values_are_missing():
    values = np.arange(24.0).reshape(3, 8)
    values[1, 0] = np.nan
    axes = labeled_series.picture(values).axes[0]
    lines = [line.get_ydata() for line in axes.get_lines()]
    np.testing.assert_array_equal(lines, values[:, :6].T)


@pytest.mark.parametrize("known", [0, 3])
def test_a_forecast_is_drawn_after_what_is_known(known):
    clock, start = Clock("second", 3600), 24 * 3600
    task = SimpleNamespace(
        preprocessor=SimpleNamespace(horizon=3, context=7, targets=["a", "b"], clock=clock),
        settings=SimpleNamespace(quantiles=[0.1, 0.5, 0.9]),
    )
    own = Series(np.arange(38.0).reshape(19, 2), "s", start=start)
    forecast = np.arange(18.0).reshape(3, 2, 3)
    drawn = series.picture(task, own, forecast, known).axes
    begin = 19 - known
    for target, axes in enumerate(drawn):
        data, median = (line for line in axes.get_lines() if line.get_label()[0] != "_")
        np.testing.assert_array_equal(data.get_xdata(), np.arange(begin - 7, 19))
        np.testing.assert_array_equal(data.get_ydata(), own.values[begin - 7 :, target])
        np.testing.assert_array_equal(median.get_xdata(), np.arange(begin, begin + 3))
        np.testing.assert_array_equal(median.get_ydata(), forecast[:, target, 1])
        ticks = drawn[target].yaxis.get_tick_params()
        assert ticks["labelleft"] and ticks["labelright"]  # a narrow page shows the right end
        (band,) = axes.collections
        ends = band.get_paths()[0].vertices
        assert [ends[:, 1].min(), ends[:, 1].max()] == [
            forecast[0, target, 0],
            forecast[2, target, 2],
        ]
        shown = {
            int(x): tick.get_text()
            for x, tick in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
        }
        assert 4 <= len(shown) <= 5 and {begin - 7, begin, begin + 2} <= {*shown}
        assert shown[begin] == f"1970-01-02 {begin:02}:00"


def test_captions_say_whether_the_label_is_right():
    series = Series(np.ones((3, 1), "float32"), "<a>")
    rows = [PreviewRow("<a>", "up", true, series) for true in ("up", "down")]
    task = SimpleNamespace(
        parts=SimpleNamespace(pictures=Pictures.SERIES, answer=SimpleNamespace(one_answer=True)),
        has_keras_model=True,
        preprocessor=SimpleNamespace(targets=["<b>$"]),
    )
    page = pictures.section(task, Unanswered(None), rows).page
    actual = re.findall("<figcaption><bdi.*?>(.*?)</bdi>", page)
    assert actual == ["&lt;a&gt;: up ✓", "&lt;a&gt;: up ✗, in the data down"]
    assert page.count("<svg") == 2 and "<b>" not in page and "&lt;b&gt;$" in page
    plain = SimpleNamespace(parts=SimpleNamespace(pictures=None))
    assert pictures.section(plain, Unanswered(None)).page == ""


def test_every_kind_of_pictures_has_a_section():
    assert {*pictures.DRAWINGS} == set(Pictures)
