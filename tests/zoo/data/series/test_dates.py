"""How dates of a column are read, and which of them are refused."""

from datetime import date, datetime, timedelta, timezone
from itertools import pairwise
from unicodedata import normalize

import pytest

from zoo.data.series.dates import (
    OtherCalendar,
    Undecided,
    are_dates,
    is_date,
    read_times,
    resemble_dates,
)

DAY = datetime(2024, 1, 31)
NOON = datetime(2024, 1, 31, 12)


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        ("2024-01-31", DAY), ("2024/01/31 00:00", DAY), ("2024.01.31", DAY), ("20240131", DAY),
        ("20240131.0", DAY), ("2024-01-31T12", NOON), ("2024-1-31 12:00:00.000", NOON),
        ("20240131T120000", NOON), ("2024013112", NOON), ("202401311200", NOON),
        ("1706702400", NOON), ("1706702400000", NOON), ("1706702400000000", NOON),
        ("1706702400000000000", NOON), ("1706702400.0", NOON), ("1.7067024e9", NOON),
        ("1/31/2024 12:00 PM", NOON), ("31/1/2024", DAY), ("31.01.2024 12.00", NOON),
        ("31-01-24", DAY), ("1-31-2024", DAY), ("Jan 31 2024", DAY), ("January 31, 2024", DAY),
        ("31 Jan 2024", DAY), ("31-Jan-24", DAY), ("31st January 2024", DAY),
        ("2024-Jan-31", DAY), ("Wed Jan 31 12:00:00 2024", NOON), ("2024年1月31日", DAY),
        ("Jan 2024", datetime(2024, 1, 1)), ("Jan-24", datetime(2024, 1, 1)),
        ("2024M01", datetime(2024, 1, 1)), ("01/2024", datetime(2024, 1, 1)),
        ("202401", datetime(2024, 1, 1)), ("2024 January", datetime(2024, 1, 1)),
        ("2024Q1", datetime(2024, 1, 1)), ("1Q24", datetime(2024, 1, 1)),
        ("2024-W05", datetime(2024, 1, 29)), ("week 5, 2024", datetime(2024, 1, 29)),
        ("2024-W05-3", DAY), ("2024-S05", datetime(2024, 1, 29)), ("T1 2024", datetime(2024, 1, 1)),
        ("31JAN2024:12:00:00", NOON), ("31.01.2024, 12:00 Uhr", NOON), ("31/01/2024 12h", NOON),
        ("31.1.2024 klo 12.00", NOON), ("2024年1月31日 12時", NOON), ("2024년 1월 31일", DAY),
        ("2024年1月", datetime(2024, 1, 1)), ("31 janvier 2024 à 12:00", NOON),
        ("1/31/70", datetime(1970, 1, 31)), ("1/31/30", datetime(2030, 1, 31)),
        ("30.01.2024 24:00", DAY), ("1974", 1974), ("1700.0", 1700), ("-3", -3),
    ],
)  # fmt: skip
def test_formats(cells, first):
    assert read_times([cells]).values == [first]
    assert read_times([cells.upper(), f" {cells.lower()} "]).values == [first, first]


@pytest.mark.parametrize(
    ("cell", "hours"),
    [("2024-01-31 12:00+02:00", 2), ("2024-01-31T12:00:00Z", 0), ("2024-01-31 12:00 -0500", -5),
     ("Wed, 31 Jan 2024 12:00:00 GMT", 0), ("2024-01-31 12:00 CET", 1),
     ("2024-01-31 12:00:00 America/New_York", -5), ("31.01.2024 12:00 UTC+3", 3)],
)  # fmt: skip
def test_zones(cell, hours):
    (actual,) = read_times([cell]).values
    assert actual.replace(tzinfo=None) == NOON
    assert actual.utcoffset() == timezone(timedelta(hours=hours)).utcoffset(None)


@pytest.mark.parametrize(
    ("cells", "day_first", "second"),
    [
        (["1/1/2024", "1/13/2024"], False, datetime(2024, 1, 13)),
        (["1/1/2024", "2/1/2024", "13/1/2024"], True, datetime(2024, 1, 2)),
        (["01.01.2024", "02.01.2024"], True, datetime(2024, 1, 2)),
        # Months: as days they would not be equally far apart.
        ([f"{n % 12 + 1}/1/{2020 + n // 12}" for n in range(14)], False, datetime(2020, 2, 1)),
        ([f"1/{n % 12 + 1}/{2020 + n // 12}" for n in range(14)], True, datetime(2020, 2, 1)),
        (["1/1/2020", "1/1/2021"], True, datetime(2021, 1, 1)),  # the same either way
    ],
)
def test_the_whole_column_decides_the_order_of_day_and_month(cells, day_first, second):
    actual = read_times(cells)
    assert (actual.day_first, actual.values[1]) == (day_first, second)


def test_what_cannot_be_decided_is_asked_for():
    cells = ["1/2/2024", "1/3/2024"]
    message = "'1/2/2024' can be read day first and month first: choose --date-format %d/%m/%Y or "
    with pytest.raises(Undecided, match=message):
        read_times(cells)
    assert read_times(cells, day_first=True).values[1] == datetime(2024, 3, 1)
    assert read_times(cells, "%m/%d/%Y").values[1] == datetime(2024, 1, 3)
    assert read_times(["31Jan2024 at 12h"], "%d%b%Y at %Hh").values == [NOON]
    for given in ("%Q", "31", "%m/%d", "%Y %Y"):
        with pytest.raises(ValueError, match="date_format"):
            read_times(cells, given)


YEARS = (1998, 1999, 2000)
MONTHS = {
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "German, short": "Jan. Feb. Mär. Apr. Mai Jun. Jul. Aug. Sep. Okt. Nov. Dez.",
    "German of Excel": "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "Austrian": "Jänner Feber März April Mai Juni Juli August September Oktober November Dezember",
    "French": "janvier février mars avril mai juin juillet août septembre octobre "
    "novembre décembre",
    "French, short": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "French, plain": "janv fevr mars avr mai juin juil aout sept oct nov dec",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "Spanish, short": "ene feb mar abr may jun jul ago sept oct nov dic",
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
    "novembre dicembre",
    "Italian, short": "gen feb mar apr mag giu lug ago set ott nov dic",
    "Dutch": "januari februari maart april mei juni juli augustus september oktober november "
    "december",
    "Dutch, short": "jan. feb. mrt. apr. mei jun. jul. aug. sep. okt. nov. dec.",
    "Portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "Portuguese, short": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    "Swedish": "januari februari mars april maj juni juli augusti september oktober november "
    "december",
    "Danish": "januar februar marts april maj juni juli august september oktober november december",
    "Norwegian, short": "jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des.",
    "Polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "Czech": "ledna února března dubna května června července srpna září října listopadu prosince",
    "Turkish": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "Russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
WRITTEN = ("{}. {} {}", "{:02}-{}-{}", "{} {} {}", "{} de {} de {}", "{}º de {} de {}", "{}{}{}")


@pytest.mark.parametrize("language", MONTHS)
def test_names_of_months(language):
    names = MONTHS[language].split()
    assert len(names) == 12
    dates = [datetime(2021, month, day) for month in range(1, 13) for day in (3, 21)]
    for pattern in WRITTEN:
        cells = [pattern.format(each.day, names[each.month - 1], each.year) for each in dates]
        for column in (cells, [*map(str.upper, cells)], [normalize("NFD", x) for x in cells]):
            assert read_times(column).values == dates, column[4]
    monthly = [f"{name} {year}" for year in (98, 1999, "de 2000") for name in names]
    found = read_times(monthly).values
    assert found == [datetime(year, month, 1) for year in YEARS for month in range(1, 13)]


@pytest.mark.parametrize(
    "weekday", ["Mittwoch,", "Mi.", "mercredi", "miércoles", "quarta-feira,", "wo", "śr."]
)
def test_weekdays_before_names_of_months(weekday):
    assert read_times([f"{weekday} 31 mars 2021"]).values == [datetime(2021, 3, 31)]
    assert read_times(["about 31 mars 2021"]).values == [None]


def test_years_of_other_calendars_are_no_years_of_the_common_era():
    thai = ["31/01/2564", "01/02/2564"]
    with pytest.raises(OtherCalendar, match="Buddhist era: choose --date-format.*2564 as 2021"):
        read_times(thai)
    with pytest.raises(OtherCalendar, match="Iranian"):
        read_times(["1400-01-15", "1400-01-16"])
    expected = [datetime(2021, 1, 31), datetime(2021, 2, 1)]
    assert read_times(thai, "%d/%m/%EY").values == expected
    assert read_times(thai, "%d/%m/%Y").values[0] == datetime(2564, 1, 31)  # who says so
    assert read_times(["2564", "2565"]).values == [2564, 2565]  # counted, not dates
    assert read_times(["1400-01-15", "1600-01-15"]).values[0] == datetime(1400, 1, 15)


def test_one_wrong_date_does_not_make_a_column_of_numbers():
    days = [f"202401{day:02}" for day in range(1, 31)]
    assert read_times([*days, "20240230"]).values[-1] is None
    steps = [str(20240101 + each) for each in range(99)]
    assert read_times(steps).values == [*map(int, steps)]


@pytest.mark.parametrize(
    "cell",
    ["", "soon", "1.5", "2024-02-30", "2024-13-01", "inf", "nan", "May", "12:00", "2024Q5",
     "2024-01-31 25:00", "2024-01-31 12:00 Middle/Earth", "2024-01-31 12:00 /etc/passwd",
     "2024-W60", "2024-01-31 12:00 ort", "31.01.2024 12:00 xyz"],
)  # fmt: skip
def test_no_times(cell):
    assert not is_date(cell) and not are_dates([cell])
    assert read_times([cell]).values == [None]


def test_numbers_are_dates_only_where_they_must_be():
    assert are_dates(["20240131", "20240201"]) and not are_dates(["20240131", "20240232"])
    assert not are_dates(["190112"]) and not are_dates(["1974"]) and not is_date("20240131")


def test_days_of_weeks_are_labeled_as_days():
    """Forecasts of days would otherwise all have the name of their week."""
    days = read_times([f"1987-W10-{each}" for each in range(1, 8)])
    assert days.style == "" and days.values[1] == datetime(1987, 3, 3)
    assert read_times(["1987-W10", "1987-W11"]).style == "week"
    assert read_times(["1987-W10-1", "1987-W11-1"]).style == "week"


@pytest.mark.parametrize(
    ("cells", "years"),
    [
        ([f"Jan-{year}" for year in range(49, 61)], (1949, 1960)),
        ([f"1/2/{year}" for year in range(65, 73)], (1965, 1972)),  # not 2065 to 1972
        ([f"{year}-01-02" for year in (98, 99, "00", "01")], (1998, 2001)),
        ([f"Q1 {year}" for year in range(20, 60)], (2020, 2059)),  # a projection, without a break
        (["31.12.24", "01.01.25"], (2024, 2025)),
    ],
)
def test_years_of_two_digits_are_of_the_century_in_which_a_column_is_shorter(cells, years):
    first, *_, last = read_times(cells, day_first=True).values
    assert (first.year, last.year) == years


def test_a_given_format_reads_years_of_two_digits_alike():
    first, last = read_times(["0101-49", "0101-50"], "%d%m-%y").values
    assert (first.year, last.year) == (1949, 1950)


DAYS = [date(1953, 2, 20) + timedelta(each) for each in range(45)]
RARE = {
    "yymmdd": [f"{day:%y%m%d}" for day in DAYS],
    "ddmmyy": [f"{day:%d%m%y}" for day in DAYS],
    "mmddyy": [f"{day:%m%d%y}" for day in DAYS],
    "ddmmyyyy": [f"{day:%d%m%Y}" for day in DAYS],
    "mmddyyyy": [f"{day:%m%d%Y}" for day in DAYS],
    "days of business": [f"{day:%y%m%d}" for day in DAYS if day.weekday() < 5],
    "months": [f"{each % 12 + 1:02}{1965 + each // 12}" for each in range(30)],
    "weeks": [f"{1990 + each // 52}{each % 52 + 1:02}" for each in range(70)],
    "quarters": [f"{1965 + each // 4}.{each % 4 + 1}" for each in range(10)],
}


@pytest.mark.parametrize("cells", RARE.values(), ids=RARE)
def test_digits_are_dates_if_the_whole_column_says_so(cells):
    """They would be numbers of steps, with gaps at the ends of months, and 530229 a time."""
    times = read_times([*cells, ""]).values
    steps = {b - a for a, b in pairwise(times[:-1])}
    assert all(isinstance(each, datetime) for each in times[:-1]) and times[-1] is None
    assert max(steps) - min(steps) <= timedelta(4) and times[0].year in (1953, 1965, 1990)


@pytest.mark.parametrize(
    "cells",
    [
        ["870101", "870102", "870103"],
        ["101010", "101110", "321310"],
        ["530228", "530229", "530301"],
    ],
)
def test_numbers_of_six_digits_stay_numbers(cells):
    assert read_times(cells).values == [*map(int, cells)]


def test_digits_of_other_scripts_are_no_times():
    assert read_times(["\u00b2\u00b3", "530220", "530228"]).values == [None, 530220, 530228]


def test_months_in_digits_stay_months():
    months = [f"{2001 + each // 12}{each % 12 + 1:02}" for each in range(30)]
    assert read_times([*months, ""]).values[:2] == [datetime(2001, 1, 1), datetime(2001, 2, 1)]


@pytest.mark.parametrize(
    ("cells", "may_be"),
    [
        (["昭和62年3月2日", "昭和62年3月3日"], True), (["S62.3.2", "S62.3.3"], True),
        (["02.03.", "03.03."], True), (["2-Mar", "13-Mar"], True), (["2 marzo", "3 marzo"], True),
        (["A-17", "A-18"], False), (["1.2.3.4", "1.2.3.5"], False), (["x 99 88", "x 99 89"], False),
        (["12:00", "13:00"], False), (["may be", "march on"], False), (["3", "4"], False),
        (["1.234", "2.345"], False), (["lot 4 of March sale no 5 here", "lot 5"], False),
    ],
)  # fmt: skip
def test_dates_in_forms_that_are_not_read_are_noticed(cells, may_be):
    """Rows would otherwise be numbered without a word."""
    assert resemble_dates(cells) == may_be
