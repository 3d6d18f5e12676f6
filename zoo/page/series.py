"""The description of tables of series that a page reads as the library does."""

from collections.abc import Mapping
from typing import Any

from zoo.data.series import formats
from zoo.data.series.clock import Clock
from zoo.data.series.intervals import PATTERN
from zoo.data.series.part_names import parts_among
from zoo.data.series.rare_dates import RARE
from zoo.data.series.serial_days import are_years, counts_of
from zoo.data.series.targets import FAR, MARKERS
from zoo.data.series.time_column import BETWEEN, TIME
from zoo.data.series.zones import ZONES


def series_facts(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """The clock, the layout of tables and the formats of times; None for a task without series.

    Args:
        config: The description of the task that an artifact keeps.
    """
    series = config.get("series")
    if series is None:
        return None
    clock, layout = Clock(**series["clock"]), series["layout"]
    given = layout["date_format"]
    names = (layout["time"] or "").split(BETWEEN)
    parts = {name: part for part, name in parts_among(names).items()}
    known = [formats.format_of(given)] if given else formats.FORMATS
    return {
        "clock": clock.facts(),
        "words": str(clock),
        "layout": layout,
        "times": TIME,
        "parts": [parts.get(name) for name in names],
        "serials": counts_of(layout["time"] or ""),
        "years": are_years(layout["time"] or ""),
        "markers": MARKERS,
        "far": FAR,
        "formats": [_format(each) for each in known],
        "rare": [] if given else [_format(each) for each in RARE],
        "interval": PATTERN,
        "months": formats.COUNTED,
        "epochs": formats.EPOCHS,
        "first": formats.FIRST,
        "last": formats.LAST,
        "pivots": [formats.EARLY, formats.PIVOT],
        "zones": ZONES,
    }


def _format(given: formats.DateFormat) -> dict[str, Any]:
    return {
        "name": given.name,
        # Python and JavaScript write the names of groups differently.
        "pattern": given.pattern.replace("(?P<", "(?<"),
        "unit": given.unit,
        "digits": given.digits,
        "short": given.is_short,
    }
