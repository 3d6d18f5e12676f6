"""Times of day in a column of their own, and days and such times joined to times."""

import re
from collections.abc import Sequence

# Words in the name of a column of times of day, in lower case.
TIME_NAMES = {"time", "zeit", "temps", "tiempo", "tempo", "tid", "clock", "timeofday"}
HOUR_NAMES = {
    "hour",
    "hr",
    "hh",
    "stunde",
    "heure",
    "hora",
    "ora",
    "uur",
    "timme",
    "time",
    "godzina",
}
HOUR_NAMES |= {"uhrzeit", "uhr", "tijd", "horario", "orario", "saat", "klokkeslett"}
# Of intervals; of single numbers they can be lengths.
INTERVAL_NAMES = {
    "hours",
    "hrs",
    "stunden",
    "heures",
    "horas",
    "uren",
    "timer",
    "period",
    "interval",
}
WORD = re.compile(r"[^\W\d_]+")
# A time of day, maybe with the end of an interval behind it.
CLOCK = re.compile(
    r"(?P<time>\d{1,2}(?:[:.h]\d{2}(?:[:.]\d{2}(?:[.,]\d{1,9})?)?)?(?:\s*[ap]\.?m\.?)?)"
    r"\s*(?:uhr|h|hrs?)?(?:\s*[-–]\s*\d{1,2}(?:[:.h]\d{2}){0,2}(?:\s*[ap]\.?m\.?)?\s*(?:uhr|h)?)?",
    re.IGNORECASE | re.ASCII,
)
SURE = re.compile(r"\d{1,2}:\d{2}|\d{1,2}\.\d{2}\.\d{2}|.*[ap]\.?m\.?", re.IGNORECASE)
DIGITS = re.compile(r"\d{1,6}", re.ASCII)
MIDNIGHT = re.compile(r"[t\s]\s*(?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)? am)$", re.IGNORECASE)
NONE = "no time of day"


def is_time_of_day(name: str, cells: Sequence[str]) -> bool:
    """Whether a column has times of day, by its cells or, where numbers can be meant, its name.

    Args:
        name: The name of the column.
        cells: Its first cells.

    Example:
        >>> is_time_of_day("from", ["12:30", "13:00"]), is_time_of_day("Hour", ["0", "23"])
        (True, True)
        >>> is_time_of_day("Hours", ["00 - 01", "23 - 24"]), is_time_of_day("x", ["09:00-10:00"])
        (True, True)
        >>> is_time_of_day("length", ["0", "23"]), is_time_of_day("hours", ["12.30"])
        (False, False)
    """
    there = [cell.strip() for cell in cells if cell.strip()]
    if not there:
        return False
    if all(CLOCK.fullmatch(cell) and SURE.match(cell) for cell in there):
        return True
    words = {*WORD.findall(name.lower())}
    if all(map(DIGITS.fullmatch, there)):
        long = max(map(len, there)) > 2  # so that these are no steps
        named = words & (HOUR_NAMES - TIME_NAMES) or (long and words & TIME_NAMES)
        return bool(named) and _clock_of_digits(there) is not None
    are_intervals = all("-" in cell or "–" in cell for cell in there)
    names = HOUR_NAMES | TIME_NAMES | (INTERVAL_NAMES if are_intervals else set())
    return bool(words & names) and all(map(CLOCK.fullmatch, there))


def clocks(cells: Sequence[str]) -> list[str]:
    """Times of day as the formats of dates read them.

    Example:
        >>> clocks(["0130", "2300"]), clocks(["9 Uhr", "10.30 Uhr"]), clocks(["0", "24"])
        (['01:30', '23:00'], ['9', '10.30'], ['0', '24'])
    """
    cells = [cell.strip() for cell in cells]
    digits = _clock_of_digits(cells)
    if digits is not None:
        return digits
    return [match["time"] if (match := CLOCK.fullmatch(cell)) else cell for cell in cells]


def _clock_of_digits(cells: Sequence[str]) -> list[str] | None:
    """Numbers as hours, or hours with minutes and maybe seconds; None for other cells."""
    there = [cell for cell in cells if cell]
    if not there or not all(map(DIGITS.fullmatch, there)):
        return None
    longest = max(map(len, there))
    if longest < 3:
        return list(cells) if all(int(cell) <= 24 for cell in there) else None
    width = 4 if longest < 5 else 6
    padded = [cell and cell.zfill(width) for cell in cells]
    parts = [[cell[i : i + 2] for i in range(0, len(cell), 2)] for cell in padded]
    fits = all(int(x[0]) <= 24 and max(map(int, x[1:])) < 60 for x in parts if x)
    return [":".join(each) for each in parts] if fits else None


def days(cells: Sequence[str]) -> list[str]:
    """Days without the midnight that programs write behind them.

    Example:
        >>> days(["2024-01-31 00:00:00", "1/31/2024 12:00:00 AM"])
        ['2024-01-31', '1/31/2024']
    """
    return [MIDNIGHT.sub("", cell.strip()) for cell in cells]


def joined(day: Sequence[str], time: Sequence[str]) -> list[str]:
    """Days with their times of day; without one of both, what no format reads.

    Example:
        >>> joined(["31.1.2024", "31.1.2024", ""], ["9", "", ""])
        ['31.1.2024 9', '31.1.2024 (no time of day)', '']
    """
    pairs = zip(days(day), clocks(time), strict=True)
    return [f"{x} {y or f'({NONE})'}" if x else y for x, y in pairs]
