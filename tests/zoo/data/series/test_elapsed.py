"""Seconds since a beginning are times: their steps are numbered."""

import numpy as np
import pytest

from zoo.data.series.elapsed import steps_of
from zoo.data.series.read import read_series
from zoo.data.series.recognition import has_series


@pytest.mark.parametrize(
    ("header", "times", "first"),
    [
        ("time,x", [f"{n / 10:.1f}" for n in range(60)], 0),
        ("Time (s),x", [f"{n / 3:.3f}" for n in range(60)], 0),
        ("elapsed,x", [f"{5 + n / 100:.2f}" for n in range(60)], 500),
        ("t,x", [f"{n / 128:.7f}" for n in range(60)], 0),
    ],
)
def test_seconds_with_decimals(tmp_path, header, times, first):
    text = "".join(f"{time},{n}.5\n" for n, time in enumerate(times))
    (tmp_path / "a.csv").write_text(f"{header}\n{text}")
    actual = read_series(tmp_path / "a.csv")
    np.testing.assert_array_equal(actual.series[0].values[:, 0], np.arange(60) + 0.5)
    assert actual.series[0].start == first
    assert "(steps of " in actual.note
    assert has_series(tmp_path / "a.csv")


def test_a_gap_is_a_missing_step(tmp_path):
    times = [n / 10 for n in range(60) if n not in (20, 21)]
    text = "".join(f"{time:.1f},{time:.1f}\n" for time in times)
    (tmp_path / "a.csv").write_text(f"time,x\n{text}")
    (series,) = read_series(tmp_path / "a.csv").series
    assert np.flatnonzero(np.isnan(series.values[:, 0])).tolist() == [20, 21]


def test_rounded_times_do_not_drift():
    _, steps = steps_of(np.round(np.arange(200_000) / 3, 3) + 1e5)
    assert np.diff([*map(int, steps)]).tolist() == [1] * 199_999


def test_uneven_numbers_are_no_times():
    assert steps_of(np.array([0.1, 0.2, 0.35, 0.4])) is None
    assert steps_of(np.array([0.1, np.nan, 0.3, 0.4])) is None
    assert steps_of(np.array([3.5, 2.5, 1.5, 2.5])) is None
