"""Of several columns of dates, the one of starts has the times."""

import logging
from datetime import datetime, timedelta

import pytest

from zoo.data.series.read import read_series
from zoo.data.series.recognition import has_series

START = datetime(2024, 1, 30, 1)
QUARTER, HOUR, DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)
# The names of columns, how a row of a start and an end is written, and the step.
TABLES = {
    "SMARD": ("Datum von;Datum bis;MWh", "{0:%d.%m.%Y %H:%M};{1:%d.%m.%Y %H:%M}", QUARTER),
    "ends first": ("End;Start;MWh", "{1:%Y-%m-%d %H:%M};{0:%Y-%m-%d %H:%M}", QUARTER),
    "French": ("Début;Fin;MWh", "{0:%d/%m/%Y %H:%M};{1:%d/%m/%Y %H:%M}", HOUR),
    "zones": ("UTC;Local;MWh", "{0:%Y-%m-%dT%H:%M}Z;{0:%Y-%m-%dT%H:%M}", HOUR),
    "billing": ("Opened;Closed;MWh", "{0:%Y-%m-%d};{1:%Y-%m-%d}", DAY),
    "by their times": ("reported;confirmed;MWh", "{1:%Y-%m-%d};{0:%Y-%m-%d}", DAY),
    "a constant": ("updated;reported;MWh", "2024-01-01;{0:%Y-%m-%d}", DAY),
}


@pytest.mark.parametrize("name", TABLES)
def test_starts_are_the_times(tmp_path, name, caplog):
    logging.getLogger("keras_attn").propagate = True
    names, row, step = TABLES[name]
    rows = [f"{row.format(START + n * step, START + (n + 1) * step)};{n / 2}" for n in range(60)]
    (tmp_path / "a.csv").write_text("\n".join([names, *rows]))
    with caplog.at_level("WARNING", "keras_attn"):
        actual = read_series(tmp_path / "a.csv")
    (series,) = actual.series
    label = actual.clock.label(series.start).removesuffix("+00:00")
    assert (label[:16], len(series)) == (str(START)[: 10 if step == DAY else 16], 60)
    assert (actual.targets, series.values[59, 0]) == (["MWh"], 29.5)
    assert "are not used, the times are" in caplog.text
    assert has_series(tmp_path / "a.csv")
