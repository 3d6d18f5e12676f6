"""Contenders that take turns, and what came of it."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Contender = Callable[[], Any]
Versus = dict[str, tuple[str, str]]  # name of a ratio -> (peer, ours)


@dataclass(frozen=True)
class Result:
    """The times of all contenders of one comparison.

    Args:
        name: What was measured.
        seconds: By contender, the time of each turn.
        ratios: How many times as fast ours is as the peer; above 1 ours is faster.
        work: How much one turn does, where a rate is told.
        unit: What is counted, such as "tokens".
    """

    name: str
    seconds: dict[str, list[float]]
    ratios: dict[str, float]
    work: float | None = None
    unit: str = ""

    def rate(self, contender: str) -> float | None:
        """Units of work in a second, by the median turn."""
        return self.work and self.work / statistics.median(self.seconds[contender])

    def as_json(self) -> dict[str, Any]:
        contenders = {}
        for name, turns in self.seconds.items():
            milliseconds = [round(1e3 * turn, 3) for turn in turns]
            contenders[name] = {
                "median_ms": round(statistics.median(milliseconds), 3),
                "least_ms": min(milliseconds),
                "turns_ms": milliseconds,
            }
            if rate := self.rate(name):
                contenders[name][f"{self.unit}_per_second"] = round(rate, 1)
        ratios = {name: round(ratio, 3) for name, ratio in self.ratios.items()}
        return {"name": self.name, "contenders": contenders, "ratios": ratios}


def take_turns(contenders: dict[str, Contender], turns: int) -> dict[str, list[float]]:
    """Seconds of each turn of each contender, after two that warm it up.

    They alternate, so that a busy moment of the machine falls on all of them.
    """
    for run in contenders.values():
        run()
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(turns):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def compare(seconds: dict[str, list[float]], versus: Versus) -> dict[str, float]:
    """Ratios of the median turns; those whose contenders took part."""
    median = {name: statistics.median(turns) for name, turns in seconds.items()}
    return {
        name: median[peer] / median[ours]
        for name, (peer, ours) in versus.items()
        if peer in median and ours in median
    }


def best(seconds: dict[str, list[float]], *names: str) -> str:
    """The fastest of the named contenders that took part, by the median turn."""
    return min(
        (name for name in names if name in seconds),
        key=lambda name: statistics.median(seconds[name]),
    )
