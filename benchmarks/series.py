"""Forecasts of a series beside the baselines and statsforecast's AutoETS.

    python -m benchmarks.series co2.csv --horizon 12 --windows 5 --peer PYTHON

The last forecasts of the series are evaluated, each a horizon after the one before it. The model
and the baselines learn once from the values before the first of them, of which the last tenth
selects the best epoch; AutoETS is fitted again before each. PYTHON is an interpreter with
`statsforecast`, such as that of another environment.
"""

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from zoo.bench.machine import machine
from zoo.data.series.read import read_series
from zoo.data.series.series import SeriesSet
from zoo.metrics.forecasts import ForecastRows, seasonal_error
from zoo.registry.metrics import FORECASTS
from zoo.tasks.measuring import default_values

PEER = Path(__file__).with_name("series_peer.py")


def main() -> None:
    """Prints the scores of each, and the seconds that they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a table of one series with one target")
    parser.add_argument("--horizon", type=int, default=12)
    parser.add_argument("--season", type=int, help="steps of a season, if not that of the times")
    parser.add_argument("--context", type=int, help="values that the model reads")
    parser.add_argument("--windows", type=int, default=5, help="number of forecasts")
    parser.add_argument("--encoder", nargs="+", default=["rnn", "conv", "attention"])
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--peer", help="Python interpreter with statsforecast")
    given = parser.parse_args()
    examples = read_series(given.data)
    print(json.dumps({"machine": machine(), "data": str(examples)}), flush=True)
    for encoder in given.encoder:
        for seed in range(given.seeds):
            task, found = ours(examples, given, encoder, seed)
            print(json.dumps(found), flush=True)
    if given.peer:
        print(json.dumps(theirs(examples, task.settings, given.windows, given.peer)))


def ours(
    examples: SeriesSet, given: argparse.Namespace, encoder: str, seed: int
) -> tuple[Any, dict[str, Any]]:
    """Trains a forecaster on the values before the forecasts, and scores it."""
    held = given.horizon * given.windows
    known = replace(
        examples,
        series=[replace(each, values=each.values[:-held]) for each in examples.series],
        horizon=given.horizon,
    )
    task = zoo.SeriesForecaster(
        preset=given.preset,
        encoder=encoder,
        seed=seed,
        horizon=given.horizon,
        seasonality=given.season,
        context_length=given.context,
        windows=given.windows,
    )
    task.adapt(known)
    begin = time.perf_counter()
    history = task.fit(known, 0.1, seed=seed, verbose=False)
    seconds = time.perf_counter() - begin
    scores = {name: round(value, 4) for name, value in task.evaluate(examples).items()}
    who = f"keras-attn {encoder} {given.preset}, seed {seed}"
    return task, {"who": who, "seconds": round(seconds, 1), "epoch": history.best_epoch, **scores}


def theirs(examples: SeriesSet, settings: Any, windows: int, python: str) -> dict[str, Any]:
    """Forecasts the same steps with AutoETS, in another process."""
    (series,), horizon, season = examples.series, settings.horizon, settings.seasonality
    starts = len(series) - horizon * np.arange(windows, 0, -1)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("given.npz", "found.npz")]
        np.savez(
            files[0],
            values=series.values[:, 0],
            starts=starts,
            horizon=horizon,
            season=season,
            quantiles=settings.quantiles,
        )
        subprocess.run([python, str(PEER), *map(str, files)], check=True)
        found = np.load(files[1])
        forecasts, seconds = found["forecasts"][:, :, None], float(found["seconds"])
    true = np.stack([series.values[start : start + horizon] for start in starts])
    errors = np.stack([seasonal_error(series.values[:start], season) for start in starts])
    rows = ForecastRows(true, forecasts, settings.quantiles, errors)
    scores = default_values({FORECASTS: lambda: rows})
    rounded = {name: round(value, 4) for name, value in scores.items()}
    return {"who": "statsforecast AutoETS", "seconds": round(seconds, 1), **rounded}


if __name__ == "__main__":
    main()
