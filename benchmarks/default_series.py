"""Series that `benchmarks.defaults` trains forecasters on.

They are `co2/co2.csv` and `elnino/elnino.csv`, which statsmodels has in `statsmodels/datasets`, and
`seattle/seattle-weather.csv`, which vega_datasets has in `vega_datasets/_data`.
"""

import csv
from pathlib import Path

import numpy as np

from benchmarks.default_files import Files


def co2(data: Path, out: Path, rows: int) -> Files:
    """Monthly means of the CO2 concentration at Mauna Loa, of which the last 60 are forecast."""
    months: dict[str, list[float]] = {}
    for row in _rows(data / "co2/co2.csv"):
        month = months.setdefault(f"{row['date'][:4]}-{row['date'][4:6]}-01", [])
        month += [float(row["co2"])] if row["co2"] else []
    lines = [f"{month},{np.mean(of):.3f}" if of else f"{month}," for month, of in months.items()]
    return _last(out, "month,co2", lines, rows, windows=5, horizon=12)


def elnino(data: Path, out: Path, rows: int) -> Files:
    """Monthly temperatures of the Pacific near Peru, of which the last 120 are forecast."""
    lines = [
        f"{year}-{month:02}-01,{value}"
        for year, *values in (row.values() for row in _rows(data / "elnino/elnino.csv"))
        for month, value in enumerate(values, start=1)
    ]
    return _last(out, "month,celsius", lines, rows, windows=10, horizon=12)


def seattle(data: Path, out: Path, rows: int) -> Files:
    """The highest temperature of each day in Seattle, of which the last 140 are forecast."""
    days = _rows(data / "seattle/seattle-weather.csv")
    lines = [f"{each['date'][:10].replace('/', '-')},{each['temp_max']}" for each in days]
    return _last(out, "day,celsius", lines, rows, windows=20, horizon=7)


def _last(out: Path, header: str, lines: list[str], rows: int, windows: int, horizon: int) -> Files:
    """Files of a series whose last forecasts are evaluated."""
    out.mkdir(parents=True, exist_ok=True)
    known = lines[: -windows * horizon][-rows:]
    for name, part in (("train", known), ("test", lines)):
        (out / f"{name}.csv").write_text("\n".join([header, *part, ""]), "utf-8")
    return Files(out / "train.csv", 0.1, out / "test.csv", scored=("--windows", str(windows)))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))
