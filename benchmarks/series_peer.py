"""Forecasts of statsforecast's AutoETS, in an environment of its own; see `benchmarks.series`.

    PYTHON series_peer.py INPUT.npz OUTPUT.npz

It is fitted again before each forecast. Missing values, which it does not take, are interpolated.
"""

import sys
import time

import numpy as np
from statsforecast.models import AutoETS


def main() -> None:
    """Writes the quantiles (N, H, Q) of each forecast, and the seconds of all."""
    given = np.load(sys.argv[1])
    values, levels, horizon = given["values"], given["quantiles"], int(given["horizon"])
    steps, there = np.arange(len(values)), ~np.isnan(values)
    begin, found = time.perf_counter(), []
    for start in given["starts"]:
        seen = there & (steps < start)
        before = np.interp(steps[:start], steps[seen], values[seen])
        widths = sorted({round(100 * abs(2 * level - 1)) for level in levels} - {0})
        model = AutoETS(season_length=int(given["season"]))
        forecast = model.forecast(y=before.astype("float64"), h=horizon, level=widths)
        found.append(np.stack([_quantile(forecast, level) for level in levels], axis=-1))
    np.savez(sys.argv[2], forecasts=np.stack(found), seconds=time.perf_counter() - begin)


def _quantile(forecast: dict, level: float) -> np.ndarray:
    width = round(100 * abs(2 * level - 1))
    return forecast["mean"] if not width else forecast[f"{'lo' if level < 0.5 else 'hi'}-{width}"]


if __name__ == "__main__":
    main()
