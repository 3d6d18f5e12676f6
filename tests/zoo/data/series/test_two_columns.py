"""Days and times of day in columns of their own are read together."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from zoo.data.series.read import read_series
from zoo.data.series.reading import DEFAULT
from zoo.data.series.series import SeriesLayout
from zoo.errors import DataError, UserError

START = datetime(2024, 1, 30, 1)
HOURS = [START + timedelta(hours=each) for each in range(60)]
QUARTERS = [START + timedelta(minutes=15 * each) for each in range(200)]
# Names of the columns, how a row is written, and the delimiter.
TABLES = {
    "air quality": ("Date,Time", "{:%d/%m/%Y,%H.%M.%S}", HOURS),
    "ISO": ("date,time", "{:%Y-%m-%d,%H:%M}", QUARTERS),
    "midnight behind": ("Date,Time", "{:%Y-%m-%d 00:00:00,%H:%M:%S}", QUARTERS),
    "American": ("Day,Start Time", "{:%m/%d/%Y,%I:%M %p}", HOURS),
    "American midnight": ("Day,Time", "{:%m/%d/%Y 12:00:00 AM,%I:%M:%S %p}", HOURS),
    "digits": ("DATE,TIME", "{:%Y%m%d,%H%M}", QUARTERS),
    "digits without zeros": ("Date,Time", "{:%m/%d/%y,%-H%M}", HOURS),
    "six digits": ("date,time_utc", "{:%Y%m%d,%H%M%S}", QUARTERS),
    "German": ("Datum,Uhrzeit", "{:%d.%m.%Y,%H:%M Uhr}", HOURS),
    "French": ("jour,heure", "{:%d/%m/%Y,%Hh%M}", HOURS),
    "hours": ("Day,HR", "{:%d-%b-%y,%H}", HOURS),
    "hours and their ends": ("Date,Hours", "{:%d-%m-%Y,%H - 99}", HOURS),
    "times and their ends": ("Date,Time", "{:%Y-%m-%d,%H:%M–%H:59}", QUARTERS),
    "another order": ("from,date", "{:%H:%M,%Y-%m-%d}", HOURS),
    "Finnish": ("Vuosi,Kk,Pv,Klo", "{:%Y,%-m,%-d,%H:%M}", HOURS),
    "Finnish with a unit": (
        "Vuosi,Kuukausi,Päivä,Aika [Paikallinen aika]",
        "{:%Y,%-m,%-d,%H:%M}",
        HOURS,
    ),
    "Dutch": ("jaar,maand,dag,uur", "{:%Y,%m,%d,%H}", HOURS),
    "Spanish": ("Año,Mes,Día,Hora", "{:%Y,%-m,%-d,%-H}", HOURS),
    "Portuguese": ("ano,mês,dia,hora,minuto", "{:%Y,%m,%d,%H,%M}", QUARTERS),
    "Danish": ("År,Måned,Dag,Time", "{:%Y,%m,%d,%H}", HOURS),
    "Chinese": ("年,月,日,时", "{:%Y,%m,%d,%H}", HOURS),
    "buoys": ("YY,MM,DD,hh,mm", "{:%y,%m,%d,%H,%M}", QUARTERS),
    "days of the year": ("YEAR,DOY,HR", "{:%Y,%-j,%H}", HOURS),
    "ordinal dates": ("date,time", "{:%Y-%j,%H:%M}", QUARTERS),
    "parts": ("year,month,day,hour", "{:%Y,%m,%d,%H}", HOURS),
    "more parts": ("YEAR,MONTH,DAY,HOUR,MINUTE", "{:%Y,%m,%d,%H,%M}", QUARTERS),
}


def table(names, pattern, times, mark=";"):
    rows = [f"{names},pm2.5".split(",")]
    rows += [[*pattern.format(each).split(","), str(n / 2)] for n, each in enumerate(times)]
    return "".join(f"{mark.join(row)}\n" for row in rows)


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_days_and_of_times_of_day(tmp_path, name):
    path = tmp_path / "air.csv"
    path.write_text(table(*TABLES[name]))
    found = read_series(path)
    (series,), times = found.series, TABLES[name][2]
    ends = [found.clock.label(series.start + n * found.clock.step) for n in (0, len(series) - 1)]
    assert (ends, found.targets) == ([str(times[0]), str(times[-1])], ["pm2.5"])
    assert series.values[:, 0].tolist() == [n / 2 for n in range(len(times))]


def test_hours_from_1_to_24(tmp_path):
    rows = [f"{day},{hour},1" for day in ("2024-01-30", "2024-01-31") for hour in range(1, 25)]
    (tmp_path / "a.csv").write_text("date,hour,y\n" + "\n".join(rows))
    found = read_series(tmp_path / "a.csv")
    (series,) = found.series
    assert found.clock.label(series.start + 47 * 3600) == "2024-02-01 00:00:00"


def test_columns_that_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("on,at,seen,y\n1.2.2024,9:00,2024-02-03,1\n")
    options = DEFAULT.with_names(time="on,at")
    found = read_series(tmp_path / "a.csv", options)
    assert found.clock.label(found.series[0].start).startswith("2024-02-01")
    assert found.layout.time == "on, at"
    with pytest.raises(UserError, match="has no column when"):
        read_series(tmp_path / "a.csv", DEFAULT.with_names(time="on,when"))
    with pytest.raises(UserError, match="time_column takes a column, or a column of days"):
        read_series(tmp_path / "a.csv", DEFAULT.with_names(time="on,at,y"))


@pytest.mark.parametrize("time", ["date, time", "year, month, day, hour"])
def test_one_row_is_read_as_the_training_data(tmp_path, time):
    names = time.replace(" ", "")
    row = "2024-01-30,2300,1" if "date" in time else "2024,1,30,23,1"
    (tmp_path / "a.csv").write_text(f"{names},y\n{row}\n")
    found = read_series(tmp_path / "a.csv", replace(DEFAULT, layout=SeriesLayout(time)))
    assert found.layout.time == time
    assert found.clock.label(found.series[0].start).startswith("2024-01-30 23:00")


def test_a_day_without_a_time_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("date,time,y\n2024-01-30,1:00,1\n2024-01-30,,2\n")
    with pytest.raises(
        DataError, match=r"a.csv:3: date, time: .* got '2024-01-30 \(no time of day"
    ):
        read_series(tmp_path / "a.csv")


def test_days_that_do_not_repeat_are_times(tmp_path):
    (tmp_path / "a.csv").write_text("date,sunrise,y\n2024-01-30,7:31,1\n2024-01-31,7:30,2\n")
    assert read_series(tmp_path / "a.csv").layout.time == "date"
    series = "date,shop,hours,y\n2024-01-30,a,7,1\n2024-01-31,a,8,2\n2024-01-30,b,7,1\n"
    (tmp_path / "b.csv").write_text(series)
    found = read_series(tmp_path / "b.csv", DEFAULT.with_names(series="shop", target="y"))
    assert (found.layout.time, len(found.series)) == ("date", 2)
