"""The pictures of series with labels."""

import re
from types import SimpleNamespace

import numpy as np

from tests.zoo.unanswered import Unanswered
from zoo.data.series.series import Series
from zoo.report import labeled_series, pictures
from zoo.tasks.parts import Pictures, PreviewRow


def test_a_line_for_each_value_of_a_step_up_to_six_with_gaps_where_values_are_missing():
    values = np.arange(24.0).reshape(3, 8)
    values[1, 0] = np.nan
    axes = labeled_series.picture(values).axes[0]
    lines = [line.get_ydata() for line in axes.get_lines()]
    np.testing.assert_array_equal(lines, values[:, :6].T)


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
    assert actual == ["&lt;a&gt;: up ✓", "&lt;a&gt;: up ✗ down"]
    assert page.count("<svg") == 2 and "<b>" not in page and "&lt;b&gt;$" in page
    plain = SimpleNamespace(parts=SimpleNamespace(pictures=None))
    assert pictures.section(plain, Unanswered(None)).page == ""


def test_every_kind_of_pictures_has_a_section():
    assert {*pictures.DRAWINGS} == set(Pictures)
