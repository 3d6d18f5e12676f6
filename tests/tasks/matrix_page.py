"""The page of formats of each model, from what `tests.tasks.matrix` measured."""

from collections.abc import Callable, Iterable
from typing import Any

PAGE = """# Formats of each model

Which formats and precisions each model can be exported to, with size, latency and metric.
`make export-matrix` writes this page. It trains a small model of each task for a few epochs on a
few made-up rows, exports it to every format, verifies each file in a process that cannot import
this library, and evaluates the task's first metric on it. The models are so small that most of the
size is overhead of the format: [quantization](../how-to/export/quantization.md) and
[the results](index.md) have models of real data.

- Files in columns without "bytes" take and return token ids, except for a SavedModel, which takes
  text.
- Latencies are medians of calls with one row of usual length, on a busy machine: only large
  differences are meaningful. A call of a model that generates writes a whole text.
- In the table of metrics, "=" is the same value as that of the model itself, and "-" was not
  evaluated, since web pages and MediaPipe's files take one text in a call.
- "n/a" has the number of its [reason](#reasons): either the format does not support the model, or
  verification refused the file, since so small a model loses too much with fewer bits.
"""
Row = dict[str, Any]


def markdown(actual: dict[str, Row], missing: Iterable[str] = ()) -> str:
    """The page: a table of sizes, of latencies and of metrics, and why cells are empty.

    Args:
        actual: What was measured of each case.
        missing: The cases that were not measured.
    """
    reasons: dict[str, int] = {}
    for row in actual.values():
        for cell in row["formats"].values():
            if "reason" in cell:
                reasons.setdefault(_reason(cell), len(reasons) + 1)

    def table(title: str, own: list[str], values: Callable[[Row], list[str]], text: Any) -> str:
        formats = list(next(iter(actual.values()))["formats"])
        lines = [["task", *own, *formats], ["---"] * (1 + len(own) + len(formats))]
        for name, row in actual.items():
            cells = [_cell(cell, text(cell, row), reasons) for cell in row["formats"].values()]
            lines.append([name, *values(row), *cells])
        return "\n".join([f"## {title}\n", *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"

    absent = ", ".join(missing)
    parts = [
        PAGE,
        *([f"Not measured: {absent}.\n"] if absent else []),
        table("Size, kB", ["model", "weights"], _model, _size),
        table("Latency, ms", [], lambda row: [], _latency),
        table("Metric", ["the model itself"], _own_metric, _metric),
        "## Reasons\n",
        "".join(f"{number}. {why}\n" for why, number in reasons.items()),
    ]
    return "\n".join(parts)


def _cell(cell: dict[str, Any], text: str, reasons: dict[str, int]) -> str:
    number = f"({reasons[_reason(cell)]})" if "reason" in cell else ""
    state = "" if cell["state"] == "ok" else cell["state"]
    return " ".join(filter(None, [text, state, number]))


def _reason(cell: dict[str, Any]) -> str:
    """Why a cell has no file, without the name of the file."""
    line = cell["reason"].strip().splitlines()[0]
    return line.partition(" was refused: ")[2] or line


def _model(row: Row) -> list[str]:
    return [row["model"], f"{row['parameters']:,}"]


def _own_metric(row: Row) -> list[str]:
    return ["{} {:.4g}".format(*row["metric"])]


def _size(cell: dict[str, Any], row: Row) -> str:
    return f"{cell['bytes'] / 1e3:,.0f}" if "bytes" in cell else ""


def _latency(cell: dict[str, Any], row: Row) -> str:
    return f"{cell['latency_ms']:.2g}" if "latency_ms" in cell else ""


def _metric(cell: dict[str, Any], row: Row) -> str:
    if "metric" not in cell:
        return "-" if cell["state"] == "ok" else ""
    exact, own = row["metric"][1], cell["metric"][1]
    same = abs(own - exact) <= 1e-3 * max(1.0, abs(exact))
    return "=" if same else f"{own:.4g}"
