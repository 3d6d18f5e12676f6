"""Quarters, halves of years and months as statistics write them: the whole column decides."""

from datetime import datetime

import pytest

from zoo.data.series.clock import Clock
from zoo.data.series.dates import is_date, read_times

ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
NTH = ["st", "nd", "rd", "th"]


def column(per, write, rows):
    """The cells of periods, of which a year has so many, from the second one of 1989."""
    return [write(1989 + each // per, each % per) for each in range(1, rows)]


PERIODS = {
    "1. Quartal 1989": column(4, lambda year, n: f"{n + 1}. Quartal {year}", 9),
    "Quartal 1 1989": column(4, lambda year, n: f"Quartal {n + 1} {year}", 9),
    "1989 1. Quartal": column(4, lambda year, n: f"{year} {n + 1}. Quartal", 9),
    "1st quarter of 1989": column(4, lambda year, n: f"{n + 1}{NTH[n]} quarter of {year}", 9),
    "1989 Qtr 1": column(4, lambda year, n: f"{year} Qtr {n + 1}", 9),
    "1º trimestre de 1989": column(4, lambda year, n: f"{n + 1}º trimestre de {year}", 9),
    "I kwartał 1989": column(4, lambda year, n: f"{ROMAN[n]} kwartał {year}", 9),
    "1989. I. negyedév": column(4, lambda year, n: f"{year}. {ROMAN[n]}. negyedév", 9),
    "1 квартал 1989 г.": column(4, lambda year, n: f"{n + 1} квартал {year} г.", 9),
    "1989K1": column(4, lambda year, n: f"{year}K{n + 1}", 9),
    "I/1989": column(4, lambda year, n: f"{ROMAN[n]}/{year}", 9),
    "1989-I": column(4, lambda year, n: f"{year}-{ROMAN[n]}", 9),
    "1989:1": column(4, lambda year, n: f"{year}:{n + 1}", 9),
    "1989-1": column(4, lambda year, n: f"{year}-{n + 1}", 9),
    "1/1989": column(4, lambda year, n: f"{n + 1}/{year}", 9),
    "1989H1": column(2, lambda year, n: f"{year}H{n + 1}", 7),
    "1989-S1": column(2, lambda year, n: f"{year}-S{n + 1}", 7),
    "H1/1989": column(2, lambda year, n: f"H{n + 1}/{year}", 7),
    "1H 1989": column(2, lambda year, n: f"{n + 1}H {year}", 7),
    "1. Halbjahr 1989": column(2, lambda year, n: f"{n + 1}. Halbjahr {year}", 7),
    "month I/1989": column(12, lambda year, n: f"{ROMAN[n]}/{year}", 15),
    "month 1989.I": column(12, lambda year, n: f"{year}.{ROMAN[n]}", 15),
    "month 1989:1": column(12, lambda year, n: f"{year}:{n + 1}", 15),
    "month 1989:01": column(12, lambda year, n: f"{year}:{n + 1:02}", 4),
    "month 1989-1": column(12, lambda year, n: f"{year}-{n + 1}", 15),
    "month 1/1989": column(12, lambda year, n: f"{n + 1}/{year}", 15),
}
DAYS = {
    "20.II.1953": lambda day: f"{day}.II.1953",
    "20 II 1953": lambda day: f"{day} II 1953",
    "20/II/53": lambda day: f"{day}/II/53",
    "20-ii-1953": lambda day: f"{day}-ii-1953",
    "1953. II. 20.": lambda day: f"1953. II. {day}.",
}


@pytest.mark.parametrize("name", PERIODS)
def test_periods_of_years(name):
    """Months where there are more than four, or where they alone are equally far apart."""
    cells = PERIODS[name]
    times = read_times(cells)
    months = 1 if name.startswith("month") else 12 // (2 if times.style == "half" else 4)
    first = datetime(1989, 1 + months, 1)
    assert times.values[0] == first and times.style == {1: "", 3: "quarter", 6: "half"}[months]
    clock = Clock.of([times.values], times.style)
    assert (clock.unit, clock.step) == ("month", months)
    count = clock.count(times.values[-1])
    assert count == clock.count(first) + months * (len(cells) - 1)
    assert all(map(is_date, cells))


@pytest.mark.parametrize("name", DAYS)
def test_months_of_days_in_roman_numerals(name):
    times = read_times([DAYS[name](day) for day in (26, 27, 28)]).values
    assert [each.day for each in times] == [26, 27, 28] and {each.month for each in times} == {2}
    november = DAYS[name](28).replace("II", "XI").replace("ii", "xi")
    assert read_times([november]).values == [datetime(1953, 11, 28)]
    assert read_times([f"{DAYS[name](28)} 12:30"]).values == [datetime(1953, 2, 28, 12, 30)]


def test_dates_in_russian_with_the_word_for_year():
    for end in (" г.", " года", "г.", ""):
        times = read_times([f"{day} апреля 2011{end}" for day in (5, 6)]).values
        assert times == [datetime(2011, 4, 5), datetime(2011, 4, 6)]
    assert read_times(["6 апреля 2011 г., 12:30"]).values == [datetime(2011, 4, 6, 12, 30)]
    assert read_times(["Апрель 2011 г."]).values == [datetime(2011, 4, 1)]


def test_halves_of_years_are_labeled_as_such():
    clock = Clock.of([read_times(["2023H1", "2023H2", "2024H1"]).values], "half")
    assert [clock.label(clock.count(datetime(2024, 1, 1)) + 6 * n) for n in range(3)] == [
        "2024H1",
        "2024H2",
        "2025H1",
    ]


@pytest.mark.parametrize(
    "cell", ["V 12", "I95", "X1 2024", "5 trimestre 1991", "V/1965/3", "1 Halbe 1990"]
)
def test_what_is_no_period(cell):
    assert not is_date(cell)


def test_weeks_stay_weeks():
    cells = [f"2024-S{week}" for week in range(1, 5)]
    assert read_times(cells).style == "week"
