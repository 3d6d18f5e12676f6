"""Names of columns of years, months, days, hours and other parts of times, in several languages."""

import re
from collections.abc import Sequence

from zoo.data.series.month_names import plain

# The usual names of each part, without accents; a part of a smaller unit comes later.
PARTS = {
    "year": "year years yr yyyy yy jahr annee an ano anno jaar ar rok vuosi aasta ev yil god год "
    "рік ετος tahun nam 年 年份 년 연도",
    "quarter": "quarter qtr quartal trimestre kwartaal kwartal kvartal kvartaali neljannes",
    "month": "month mon mo mm monat mois mes mese maand maned manad miesiac mesic kuukausi kk "
    "kuu honap ay mesec luna месяц місяць μηνας bulan thang 月 月份 월",
    "day": "day dd dy dom monthday tag jour dia giorno dag dzien den paiva pv paev nap gun dan "
    "zi день ημερα hari tanggal ngay 日 일",
    "day of year": "doy dayofyear yearday yday jday julianday tagdesjahres jourdelannee",
    "hour": "hour hours hr hh stunde std heure hora ora uur time timme tim godzina godz hodina "
    "tunti klo tund saat час ωρα jam gio 时 時 시",
    "minute": "minute minutes min mn minuut minuto minuta minuutti minut perc dakika минута "
    "хвилина 分 분",
    "second": "second seconds sec sekunde seconde segundo secondo sekund seconden sekunti saniye "
    "секунда 秒 초",
}
KNOWN = {part: {plain(name) for name in names.split()} for part, names in PARTS.items()}
DATES = ("year", "quarter", "month", "day", "day of year")
CLOCK = ("hour", "minute", "second")
UNIT = re.compile(r"\s*[\[(].*")  # behind a name
BETWEEN = re.compile(r"[\s_-]+")


def part_of(name: str) -> str | None:
    """The part of a time that a column of this name has; None for another name.

    Example:
        >>> [part_of(name) for name in ("Vuosi", "Kk", "Día", "Hour (UTC)", "day_of_year", "price")]
        ['year', 'month', 'day', 'hour', 'day of year', None]
    """
    return next(iter(_possible(name)), None)


def parts_among(names: Sequence[str]) -> dict[str, str]:
    """The name of the column of each part of a time, the first that can have it.

    Where a name can mean two parts, as `mm`, it is the first that no column before it has.

    Example:
        >>> parts_among(["#YY", "MM", "DD", "hh", "mm", "WTMP"])
        {'year': '#YY', 'month': 'MM', 'day': 'DD', 'hour': 'hh', 'minute': 'mm'}
    """
    parts: dict[str, str] = {}
    for name in names:
        if part := next((each for each in _possible(name) if each not in parts), None):
            parts[part] = name
    return parts


def _possible(name: str) -> list[str]:
    """The parts that a name can mean."""
    word = BETWEEN.sub("", UNIT.sub("", plain(name.strip().lstrip("#"))))
    parts = [part for part, names in KNOWN.items() if word in names]
    return [*parts, "minute"] if word == "mm" else parts
