"""The order of the rows of a series: rising times, each of them once."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from zoo.data.readers.profile import Profile
from zoo.data.readers.table import as_texts
from zoo.data.series.clock import Clock
from zoo.data.series.clock_changes import is_turned, second_hours
from zoo.data.series.duplicates import LAST, MEAN
from zoo.data.series.tables import RawSeries, RawTable
from zoo.data.series.value_columns import has_numbers
from zoo.errors import DataError

USUAL = 0.7  # share of steps of one length, below which rows are events
EVENTS = (
    "; its rows seem to be events, which come at any time: write one row for each day, week or "
    "hour, such as their sum or their mean"
)


class RepeatedTime(DataError):
    """A time that a series has twice.

    Args:
        path: Path of the file.
        line: Number of the line, starting from 1.
        reason: What is wrong, in a few words.
        series_columns: The columns that may have the names of several series.
    """

    def __init__(self, path: str, line: int, reason: str, series_columns: Sequence[str]) -> None:
        super().__init__(path, line, reason)
        self.series_columns = series_columns

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.line, self.reason, self.series_columns)


def merged(raw: RawSeries, clock: Clock, how: str) -> RawSeries:
    """The series with one row for each time: the mean or the sum of its rows, or the last one.

    Args:
        raw: The series.
        clock: Its clock.
        how: "mean" or "sum", of known covariates the mean; or "last".
    """
    same_time: dict[int, list[int]] = {}
    for row, time in enumerate(raw.times):
        same_time.setdefault(clock.count(time), []).append(row)
    if len(same_time) == len(raw.times):
        return raw
    groups = [same_time[count] for count in sorted(same_time)]
    last = [rows[-1] for rows in groups]
    if how == LAST:
        targets, known = raw.targets[last], raw.known[last]
    else:
        one = _mean if how == MEAN else _sum
        targets = np.stack([one(raw.targets[rows]) for rows in groups])
        known = np.stack([_mean(raw.known[rows]) for rows in groups])
    lines, rows = ([part[row] for row in last] for part in (raw.lines, raw.rows))
    times = [raw.times[row] for row in last]
    return replace(raw, lines=lines, rows=rows, times=times, targets=targets, known=known)


def oldest_first(raw: RawSeries) -> RawSeries:
    """The series with its rows in reverse if these are newest first; otherwise as it is."""
    if not is_turned(raw.times):
        return raw
    lines, rows, times = (part[::-1] for part in (raw.lines, raw.rows, raw.times))
    targets, known = raw.targets[::-1], raw.known[::-1]
    return replace(raw, lines=lines, rows=rows, times=times, targets=targets, known=known)


def _mean(rows: np.ndarray) -> np.ndarray:
    """The mean of each column over what is not missing."""
    there = ~np.isnan(rows)
    count = there.sum(axis=0)
    total = np.where(there, rows, 0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).astype("float32")


def _sum(rows: np.ndarray) -> np.ndarray:
    """The sum of each column over what is not missing; missing if nothing is there."""
    there = ~np.isnan(rows)
    total = np.where(there, rows, 0).sum(axis=0, dtype="float64")
    return np.where(there.any(axis=0), total, np.nan).astype("float32")


def check_order(raw: RawSeries, counts: Sequence[int], clock: Clock, table: RawTable) -> None:
    """Raises a `DataError` unless times rise in steps of the clock.

    Args:
        raw: The series.
        counts: Its times, as the clock counts them.
        clock: The clock.
        table: The table that it is in.
    """
    lines = {counts[0]: raw.lines[0]}
    for row, (before, after) in enumerate(pairwise(counts), 1):
        if after not in lines and after > before and not (after - counts[0]) % clock.step:
            lines[after] = raw.lines[row]
            continue
        label, name = clock.label(after), f"series {raw.name!r:.40}"
        if after in lines:
            reason = f"{name} has the time {label} in line {lines[after]}, too"
            columns = _series_columns(raw, clock, table)
            raise RepeatedTime(raw.path, raw.lines[row], reason + _advice(columns), columns)
        if after < before and len({*counts}) == len(counts):
            reason = f"{name}: the time {label} is before {clock.label(before)} in line "
            reason += f"{raw.lines[row - 1]}; sort the rows by time"
            raise DataError(raw.path, raw.lines[row], reason)
        if after < before:  # then some other time is there twice
            continue
        reason = f"{name}: the time {label} does not fit times {clock} from "
        reason += clock.label(counts[0]) + (EVENTS if _are_events(counts, clock) else "")
        raise DataError(raw.path, raw.lines[row], reason)


def _are_events(counts: Sequence[int], clock: Clock) -> bool:
    """Whether few times are a step of the clock after the time before."""
    gaps = [after - before for before, after in pairwise(counts)]
    return gaps.count(clock.step) < USUAL * len(gaps)


def _advice(columns: Sequence[str]) -> str:
    """What to do about a time that is there twice."""
    names = ", ".join(columns)
    column = f" ({names})" if names else ""
    advice = f"; name the column of series with --series-column{column}, or choose --duplicates "
    return f"{advice}mean or sum"


def _series_columns(raw: RawSeries, clock: Clock, table: RawTable) -> list[str]:
    """The columns that repeat, with which each time is there once: of names, or else of numbers."""
    names = []
    for name, column in table.others.items():
        texts = as_texts(column)
        times: dict[str, list[Any]] = {}
        for row, time in zip(raw.rows, raw.times, strict=True):
            times.setdefault(texts[row].strip(), []).append(time)
        if 1 < len(times) <= len(raw.rows) // 2 and not any(
            _has_repeats(own, clock) for own in times.values()
        ):
            names.append(name)
    numbers = [name for name in table.others if has_numbers(table.others[name])]
    of_names = [name for name in names if name not in numbers]
    # One with decimals is measured, and another has to be left to forecast.
    whole = [x for x in names if not Profile.of(as_texts(table.others[x])).fractions]
    return of_names or (whole if len(numbers) > 1 else [])


def _has_repeats(times: Sequence[Any], clock: Clock) -> bool:
    """Whether a time is there twice, and not since clocks are put back."""
    repeats = len(times) - len({*times})
    return repeats > 0 and len(second_hours(times, clock)) != repeats
