"""Tables and arrays of series with labels, several labels or values: the tasks that fit."""

import numpy as np
import pytest

from zoo.data.inspection import inspect

NAMES = [f"s{n}" for n in range(12)]
# The last columns of a table, their cells for each series, and the tasks with their options.
TABLES = {
    "a label": ("label", lambda n: "ab"[n % 2], [("series-classifier", {})]),
    "a label of another name": (
        "gait", lambda n: "ab"[n % 2], [("series-classifier", {"label_column": "gait"})]
    ),
    "a value": ("weight", lambda n: n / 2, [("series-regressor", {"target_column": "weight"})]),
    "values": (
        "weight,age", lambda n: f"{n / 2},{n + 20}",
        [("series-regressor", {"target_column": "weight,age"})],
    ),
    "flags": (
        "walk,talk", lambda n: f"{n % 2},{n % 3 // 2}",
        [("series-classifier", {"multi_label": True, "label_column": "walk,talk"})],
    ),
    "several labels": (
        "label", lambda n: ["a", "b", "a|b", ""][n % 4],
        [("series-classifier", {"multi_label": True, "label_column": "label"})],
    ),
    "a label and a value": (
        "label,weight", lambda n: f"{'ab'[n % 2]},{n / 2}",
        [("series-classifier", {"value_column": "x,y"}),
         ("series-regressor", {"target_column": "weight"})],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_columns_that_do_not_change_within_a_series(tmp_path, name):
    head, cells, expected = TABLES[name]
    rows = [
        f"{step},{series},{np.sin(step + n):.2f},{np.cos(step * n):.2f},{cells(n)}"
        for n, series in enumerate(NAMES)
        for step in range(8)
    ]
    path = tmp_path / "a.csv"
    path.write_text(f"time,series,x,y,{head}\n" + "\n".join(rows))
    seen = inspect(path)
    assert [(fit.task, fit.options) for fit in seen.fits] == expected
    assert "targets = x, y, static" in seen.understood  # all of them, whatever their names


def test_a_table_of_dates_is_forecast_as_well(tmp_path):
    days = range(1, 20)
    rows = [f"2024-01-{d:02},{s},{d / 2},{len(s) + 0.5}" for s in ("a", "bb") for d in days]
    (tmp_path / "a.csv").write_text("date,series,sales,size\n" + "\n".join(rows))
    tasks = [fit.task for fit in inspect(tmp_path / "a.csv").fits]
    assert tasks == ["series-forecaster", "series-regressor"]


@pytest.mark.parametrize(
    ("y", "task", "options"),
    [
        (np.arange(12) / 2, "series-regressor", {}),
        (np.arange(24).reshape(12, 2) / 3, "series-regressor", {}),
        (np.arange(12) % 3, "series-classifier", {}),
        (np.arange(36).reshape(12, 3) % 2, "series-classifier", {"multi_label": True}),
    ],
)
def test_arrays(tmp_path, y, task, options):
    x = np.random.default_rng(0).random((12, 20, 2))
    classes = {"classes": ["a", "b", "c"]} if options else {}
    np.savez(tmp_path / "a.npz", x=x, y=y, **classes)
    (fit,) = inspect(tmp_path / "a.npz").fits
    assert (fit.task, fit.options) == (task, options)


def test_dates_are_no_texts(tmp_path):
    """Answers to a form, whose first column has times."""
    rows = "".join(
        f'"2024/01/{n % 28 + 1:02} 9:{n:02}:11 AM GMT+1","a film of {n} hours","{n % 2}"\n'
        for n in range(40)
    )
    (tmp_path / "a.csv").write_text(f'"Timestamp","What did you see?","Would you again?"\n{rows}')
    fits = inspect(tmp_path / "a.csv").fits
    assert fits and all(each.options.get("text_column") != "Timestamp" for each in fits)


def test_ids_are_no_times_beside_dates(tmp_path):
    rows = "".join(f"{10**9 + n},2024-01-{n + 1:02},{n % 5}.5\n" for n in range(28))
    (tmp_path / "a.csv").write_text(f"activity,started on,distance\n{rows}")
    assert "time = started on, " in inspect(tmp_path / "a.csv").understood
    rows = "".join(f"{n + 1},{n + 1:02}.01.2024 12:00,{n % 5}.5\n" for n in range(28))
    (tmp_path / "b.csv").write_text(f'Plot Title: Pond\n#,"Date Time, GMT+1",Temp\n{rows}')
    assert "targets = Temp" in inspect(tmp_path / "b.csv").understood


def test_times_that_repeat_name_the_column_of_series(tmp_path):
    rows = [f"2024-01-{n + 1:02},{name},{n + 7}" for n in range(28) for name in ("AA", "BB")]
    (tmp_path / "a.csv").write_text("\n".join(["Date,Ticker,Close", *rows, ""]))
    inspection = inspect(tmp_path / "a.csv")
    assert [(each.task, each.options) for each in inspection.fits] == [
        ("series-forecaster", {"series_column": "Ticker"})
    ]
    two = [f"{row},{row[11]}" for row in rows]  # two columns tell them apart
    (tmp_path / "b.csv").write_text("\n".join(["Date,Ticker,Close,Place", *two, ""]))
    inspection = inspect(tmp_path / "b.csv")
    assert not inspection.fits
    assert "--series-column (Ticker, Place), or choose --duplicates" in inspection.understood
