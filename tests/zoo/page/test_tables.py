"""Tables of series on a page are read as the library reads them: columns, numbers and times."""

import csv
import io
import json
import shutil
import subprocess
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np
import pytest

from tests.zoo.data.series.test_clock_changes import CHANGES, wall_times
from tests.zoo.data.series.test_dates import RARE
from tests.zoo.data.series.test_periods import DAYS as ROMAN_DAYS
from tests.zoo.data.series.test_periods import PERIODS
from tests.zoo.data.series.test_serial_days import TABLES as SERIAL_DAYS
from tests.zoo.data.series.test_serial_days import table as serial_days
from tests.zoo.data.series.test_targets import MARKED
from tests.zoo.data.series.test_two_columns import TABLES as TWO_COLUMNS
from tests.zoo.data.series.test_two_columns import table as two_columns
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.page import template
from zoo.page.series import series_facts
from zoo.preprocessing.series import SeriesPreprocessor

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
STEPS = 3  # that are forecast
SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const answer = ({ text, columns, series, named }) => {
  try {
    const { rows, notes, next } = readTable(text, columns, series, named);
    return { rows, notes, times: [0, 1, 2].map(next) };
  } catch (error) {
    return { error: error.message };
  }
};
console.log(JSON.stringify(given.map(answer)));
"""
DAYS = [date(2024, 1, 1) + timedelta(each) for each in range(40)]
HOURS = [datetime(2024, 3, 30, 12) + timedelta(hours=each) for each in range(40)]
SIXTIES = [date(1968, 12, 20) + timedelta(each) for each in range(40)]
WEEKDAYS = [day for day in DAYS if day.weekday() < 5]
ENDS = ["2024-01-31", "2024-02-29", "2024-03-29", "2024-04-30", "2024-05-31", "2024-06-28"]
BERLIN = ["2024-10-26 00:00+02:00", "2024-10-27 00:00+02:00", "2024-10-28 00:00+01:00"]
TIMES = {
    "ISO": map(str, DAYS),
    "compact": (f"{day:%Y%m%d}" for day in DAYS),
    "milliseconds": (str(1704067200000 + 3600000 * each) for each in range(9)),
    "slashes": (f"{day:%Y/%m/%d} 00:00" for day in DAYS),
    "month first": (f"{day.month}/{day.day}/{day.year}" for day in DAYS),
    "day first": (f"{day:%d.%m.%Y} 00:00" for day in DAYS),
    "names": (f"{name} 1 2000" for name in ("Jan", "Feb", "Mar")),
    "French": ["1er févr. 2021", "2 FÉVR. 2021", "3 fevr. 2021"],
    "Spanish": ["28 de febrero de 2021", "1 de marzo de 2021", "2 de marzo de 2021"],
    "German": ["So. 28. Feb. 2021", "Mo. 1. Mär. 2021", "Di. 2. Mrz 2021"],
    "Turkish": ["Ocak 2021", "Şubat 2021", "MART 2021", "nisan 2021", "mayıs 2021"],
    "quarters": ["2023Q3", "2023Q4", "2024Q1"],
    "quarters first": ["Q3 2023", "Q4 2023", "Q1 2024"],
    "weeks": [f"2024-W{week}" for week in (50, 51, 52)],
    "months": ["1949-10", "1949-11", "1949-12"],
    "years": map(str, range(1700, 1740)),
    "years of two digits": (f"Jan-{year}" for year in range(49, 61)),
    "years of two digits across 69": (f"{day:%m/%d/%y}" for day in SIXTIES),
    "years of two digits of this century": (f"Q1 {year}" for year in range(20, 60)),
    **{f"digits: {name}": cells for name, cells in RARE.items()},
    "days of weeks": ("{}-W{:02}-{}".format(*day.isocalendar()) for day in DAYS),
    "o'clock": (f"{hour:%d.%m.%Y um %H:%M} Uhr" for hour in HOURS[:10]),
    "Japanese hours": (f"{hour:%Y年%m月%d日} {hour.hour}時" for hour in HOURS[:10]),
    "Korean days": (f"{day.year}년 {day.month}월 {day.day}일" for day in DAYS),
    "weekdays": map(str, WEEKDAYS),
    "ends of months": ["2024-01-31", "2024-02-29", "2024-04-30"],
    "last weekdays": ENDS,
    "an offset": (f"{day} 00:00:00+02:00" for day in DAYS),
    "UTC": (f"{hour:%Y-%m-%dT%H:%M:%S}Z" for hour in HOURS),
    "a named zone": (f"{hour} Europe/Berlin" for hour in HOURS[:10]),
    "days in summer and winter": BERLIN,
    "hours in summer and winter": [
        "2024-10-27 02:00+02:00", "2024-10-27 02:00+01:00", "2024-10-27 03:00+01:00",
    ],
    "a gap": ["2024-01-01", "2024-01-02", "2024-01-05"],
    "tenths of a second": (f"2024-01-01 00:00:{each / 10:06.3f}" for each in range(40)),
    "microseconds": (f"2024-01-01T00:00:00.{250 * each:06}Z" for each in range(40)),
    "decimals of seconds": (f"{1704067200 + each / 50:.2f}" for each in range(40)),
    "hours with decimals of seconds": (f"{hour}.123456" for hour in HOURS[:10]),
    "intervals": (f"{hour:%d.%m.%Y %H:%M} - {hour:%d.%m.%Y} 23:59 " for hour in HOURS[:10]),
    "intervals of ISO 8601": (f"{hour:%Y-%m-%dT%H:%M}Z/PT1H" for hour in HOURS),
    "intervals with zones": (f"{hour:%Y-%m-%d %H:%M} (CET) - {hour:%H:%M} (CET)" for hour in HOURS),
    "intervals of a day": (f"{hour:%Y-%m-%d %H:%M}-{hour:%H}:59" for hour in HOURS),
    "seasons": (f"{year}/{(year + 1) % 100:02}" for year in range(1985, 2010)),
    "seconds": ["Jan 1 2024 12:00:00 AM", "Jan 1 2024 12:00:01 AM"],
    **{f"period {name.replace('/', ' of ')}": cells for name, cells in PERIODS.items()},
    **{f"days {x.replace('/', ' ')}": map(day, range(20, 27)) for x, day in ROMAN_DAYS.items()},
}  # fmt: skip


def asked(*requests):
    """What the page reads."""
    scripts = ("clock_changes.js", "times.js", "workbooks.js", "tables.js")
    script = "".join(map(template.part, scripts)) + SCRIPT
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def facts_of(actual):
    preprocessor = SeriesPreprocessor.of(actual, 2, 1)
    return series_facts({"series": preprocessor.table_facts()})


def test_times_and_those_that_follow_are_those_of_the_library(tmp_path):
    requests, expected = [], []
    for name, cells in TIMES.items():
        cells = [*cells]
        text = "date,b,a\n" + "".join(f"{x},{n + 0.5},{n}\n" for n, x in enumerate(cells))
        path = tmp_path / f"{name}.csv"
        path.write_text(text, "utf-8")
        actual = read_series(path, ReadingOptions().with_names(target="a,b"))
        (series,), clock = actual.series, actual.clock
        ends = [series.start + (len(series) + step) * clock.step for step in range(STEPS)]
        values = np.where(np.isnan(series.values), None, series.values.astype(object)).tolist()
        expected.append({"rows": values, "notes": [], "times": [*map(clock.label, ends)]})
        requests.append({"text": text, "columns": ["a", "b"], "series": facts_of(actual)})
    answers = asked(*requests)
    for name, answer, wanted in zip(TIMES, answers, expected, strict=True):
        assert answer == wanted, name
    assert expected[[*TIMES].index("a named zone")]["times"][0] == "2024-03-30 22:00:00+01:00"
    assert len(expected[[*TIMES].index("a gap")]["rows"]) == 5


@pytest.fixture(scope="module")
def weather():
    rows = {"date": [*map(str, DAYS)], "temp_max": [*range(40)], "temp_min": [*range(40)]}
    return facts_of(read_series(rows, ReadingOptions().with_names(target="temp_max,temp_min")))


def table(*names, rows=3, mark=","):
    """A table whose cells say their column."""
    cells = {"date": DAYS, "temp_max": [10, 11, 12], "temp_min": [1, 2, 3], "wind": [7, 7, 7]}
    cells["weather"] = ["drizzle", '"rain, then ""sun"""', "sun"]
    lines = [mark.join(str(cells[name][row]) for name in names) for row in range(rows)]
    return "\n".join([mark.join(names), *lines])


def test_columns_are_found_by_name(weather):
    columns, right = ["temp_max", "temp_min"], [[10, 1], [11, 2], [12, 3]]
    texts = [
        table("date", "temp_max", "temp_min"),
        table("date", "temp_min", "temp_max"),
        table("weather", "temp_min", "date", "wind", "temp_max"),
        table("date", "temp_min", "temp_max", mark=";").replace("1;10", "1,0;10,0"),
        "\ufeff" + table("temp_min", "temp_max", "date", mark="\t").replace("\n", "\r\n"),
    ]
    answers = asked(*({"text": x, "columns": columns, "series": weather} for x in texts))
    assert [answer["rows"] for answer in answers] == [right] * 5
    assert {answer["times"][0] for answer in answers} == {"2024-01-04"}
    assert [answer["notes"] for answer in answers] == [[], [], ["Not used: weather, wind."], [], []]


@pytest.mark.parametrize(
    "above",
    ["Station;San Francisco\nUnit;°C\n\n", "A report, of 2010\n", '"a quote\n', "a|b|c|d\n\n"],
)
def test_lines_above_the_names_are_not_read(weather, above):
    request = {"columns": ["temp_max", "temp_min"], "series": weather}
    own = table("date", "temp_max", "temp_min", mark=";")
    plain, titled = asked(*(request | {"text": each + own} for each in ("", above)))
    (note,) = [each for each in titled["notes"] if each not in plain["notes"]]
    assert note == f"Not read: {'2 lines' if 'Unit' in above else 'a line'} above the table."
    assert (titled["rows"], titled["times"]) == (plain["rows"], plain["times"])
    (refused,) = asked(request | {"text": f"{above}{own}\nx;y"})
    assert f"line {above.count(chr(10)) + 5}: expected 3 cells" in refused["error"]


def test_quotes_are_those_of_csv():
    """Also behind characters that are two units of UTF-16."""
    names = ['say "a"', '😀😀"', '"', "a,b", "a\nb", "𝒳", '😀"😀""😀']
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([names, range(len(names))])
    requests = [{"text": file.getvalue(), "columns": [name], "series": None} for name in names]
    answers = asked(*requests)
    assert [answer.get("rows", answer) for answer in answers] == [[[i]] for i in range(len(names))]


def test_without_names_columns_are_taken_by_position(weather):
    columns = ["temp_max", "temp_min"]
    texts = ["10,1\n11,2", "2024-01-01,10,1\n2024-01-02,11,2"]
    answers = asked(*({"text": x, "columns": columns, "series": weather} for x in texts))
    assert [answer["rows"] for answer in answers] == [[[10, 1], [11, 2]]] * 2
    assert [answer["times"][0] for answer in answers] == ["1", "2024-01-03"]
    given = {"text": "any,names\n10,1\n11,2", "columns": ["value 1", "value 2"], "series": None}
    (answer,) = asked({**given, "named": False})  # of a model without names
    assert answer["rows"] == [[10, 1], [11, 2]] and answer["times"][0] == "1"


def test_rows_that_are_newest_first(weather):
    text = table("date", "temp_max", "temp_min")
    head, *rows = text.splitlines()
    columns = ["temp_max", "temp_min"]
    given = {"columns": columns, "series": weather}
    forward, back = asked(
        {"text": text, **given}, {"text": "\n".join([head, *rows[::-1]]), **given}
    )
    notes = ["The rows, which were newest first, were put in order."]
    assert len(rows) > 1 and back == {**forward, "notes": notes}


@pytest.mark.parametrize("minutes", [15, 60])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("last", [None, -290])
def test_the_hour_that_comes_twice_is_averaged(tmp_path, minutes, order, last):
    times = wall_times("Europe/Berlin", CHANGES["Europe/Berlin"], minutes)
    times = times[: last if minutes == 15 else None]  # which ends within the hour, or after it
    rows = [f"{time:%Y-%m-%d %H:%M},{n % 13}\n" for n, time in enumerate(times)]
    (tmp_path / "a.csv").write_text(text := "time,price\n" + "".join(rows[::order]))
    actual = read_series(tmp_path / "a.csv")
    (answer,) = asked({"text": text, "columns": ["price"], "series": facts_of(actual)})
    (series,) = actual.series
    np.testing.assert_allclose(np.array(answer["rows"], "float64"), series.values, rtol=1e-6)
    assert answer["times"][0] == actual.clock.label(series.start + len(series) * actual.clock.step)
    assert "Clocks were put back: the mean of both rows was read for" in answer["notes"][-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (table("date", "temp_min"), "the table has no column temp_max; its columns are date, "
         "temp_min"),
        ("1,2,3\n4,5,6", "line 1: expected 2 numbers (temp_max, temp_min), got 3"),
        (table("temp_max", "temp_min") + "\n1,two", "line 5: two is not a number"),
        (table("temp_max", "temp_min") + "\n1,2,3", "line 5: expected 2 cells, got 3"),
        (table("temp_max", "temp_min") + '\n1,"2', "line 5: a quote is not closed"),
        (table("date", "temp_max", "temp_min") + "\n2024-01-03,1,1",
         "line 5: the time 2024-01-03 is not after 2024-01-03; sort the rows of one series by "
         "time"),
        (table("date", "temp_max", "temp_min") + "\nsoon,1,1",
         "line 5: soon is not a time like 2024-01-01"),
        ("date,temp_max,temp_min\n1/2/2024,1,1\n1/3/2024,1,1",
         "1/2/2024 can be read day first and month first: write dates like 2024-01-31"),
        ("temp_max;temp_min\n1,234;5", "line 2: 1,234 can have a decimal comma, or one between "
         "thousands"),
        ("temp_max,temp_min", "the table has no rows of numbers"),
        ("", "write a series, or choose a file, first"),
    ],
)  # fmt: skip
def test_tables_that_are_refused(text, message, weather):
    (answer,) = asked({"text": text, "columns": ["temp_max", "temp_min"], "series": weather})
    assert answer == {"error": message}


def test_other_times_than_in_training_are_said(weather):
    text = "date,temp_max,temp_min\n2024-01-01 12:30,1,2\n2024-01-01 12:31,3,4"
    (answer,) = asked({"text": text, "columns": ["temp_max", "temp_min"], "series": weather})
    assert answer["rows"] == [[1, 2], [3, 4]] and answer["times"] == ["1", "2", "3"]
    assert answer["notes"] == [
        "The times of date are not every day, as in training: steps are numbered."
    ]


@pytest.mark.parametrize("units", [";°C;m/s", "ISO 8601;degC;m/s\n;Avg;Smp"])
def test_rows_of_units_are_not_read(weather, units):
    rows = "".join(f"2024-01-{n:02};{n}.5;{n}\n" for n in range(1, 9))
    text = f"date;temp_max;temp_min\n{units}\n{rows}"
    given = {"text": text, "columns": ["temp_max", "temp_min"], "series": weather}
    (actual,) = asked(given)
    assert actual["rows"] == [[n + 0.5, n] for n in range(1, 9)]
    shown = units.replace(";", ", ").replace("\n", "; ").replace("; , ", "; ").removeprefix(", ")
    assert f"Not read, as units: {shown}." in actual["notes"]


def test_the_rows_of_several_series_are_refused():
    rows = {"date": [*map(str, DAYS)], "shop": ["a"] * 40, "sales": [*range(40)]}
    actual = facts_of(read_series(rows, ReadingOptions().with_names(series="shop")))
    text = "shop,date,sales\na,2024-01-01,1\nb,2024-01-01,2"
    (answer,) = asked({"text": text, "columns": ["sales"], "series": actual})
    assert answer == {"error": "the table has several series (shop: a, b): leave the rows of one"}


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (("1.5 %", "12%"), [1.5, 12]),
        (("20,1 °C", "-3,5°C"), [20.1, -3.5]),
        (("12.8 µg/m3", "3 µg/m3"), [12.8, 3]),
        (("1 234,5 kg", "3 kg"), [1234.5, 3]),
        (("$1,234.50", "-$2"), [1234.5, -2]),
        (("1.234,50 €", "−3 €"), [1234.5, -3]),
        (("(47.5)", "#N/A"), [-47.5, None]),
        (("CHF 1'250.5", "-"), [1250.5, None]),
    ],
)
def test_units_and_signs_of_missing_numbers(cells, numbers):
    text = "a;b\n" + "".join(f"{cell};1\n" for cell in cells)
    (answer,) = asked({"text": text, "columns": ["a", "b"], "series": None})
    assert [row[0] for row in answer["rows"]] == numbers


@pytest.mark.parametrize("name", TWO_COLUMNS)
def test_days_and_times_of_day_in_columns_of_their_own(tmp_path, name):
    text = two_columns(*TWO_COLUMNS[name], mark=",")
    (tmp_path / "a.csv").write_text(text)
    actual = read_series(tmp_path / "a.csv")
    (series,), clock = actual.series, actual.clock
    (answer,) = asked({"text": text, "columns": ["pm2.5"], "series": facts_of(actual)})
    assert answer["rows"] == series.values.tolist()
    assert answer["times"][0] == clock.label(series.start + len(series) * clock.step)


@pytest.mark.parametrize("name", SERIAL_DAYS)
def test_numbers_of_days(tmp_path, name):
    (tmp_path / "a.csv").write_text(serial_days(name))
    actual = read_series(tmp_path / "a.csv")
    (series,), clock = actual.series, actual.clock
    text = {"text": serial_days(name), "columns": ["y"], "series": facts_of(actual)}
    (answer,) = asked(text)
    assert answer["rows"] == series.values.tolist()
    assert answer["times"][0] == clock.label(series.start + len(series) * clock.step)


@pytest.mark.parametrize("values", [values for values, _ in MARKED])
def test_marks_of_missing_values(tmp_path, values):
    text = "date,y\n" + "".join(f"2024-01-{n:02},{x}\n" for n, x in enumerate(values, 1))
    (tmp_path / "a.csv").write_text(text)
    actual = read_series(tmp_path / "a.csv")
    (answer,) = asked({"text": text, "columns": ["y"], "series": facts_of(actual)})
    np.testing.assert_allclose(
        np.array(answer["rows"], "float32"), actual.series[0].values, equal_nan=True
    )


def test_years_of_the_buddhist_era():
    text = "date,y\n31/01/2564,1\n01/02/2564,2\n"
    rows = {"date": ["31/01/2564", "01/02/2564"], "y": [1.0, 2.0]}
    actual = read_series(rows, replace(ReadingOptions(), date_format="%d/%m/%EY"))
    (answer,) = asked({"text": text, "columns": ["y"], "series": facts_of(actual)})
    assert answer["times"][0] == "2021-02-02"
