"""The table and the plot of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def cells(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The header of the table, and a line for each row.

    Example:
        >>> row = {"name": "float32", "size_mb": 1.25, "latency_ms": 2.0, "peak_memory_mb": 9.0}
        >>> row |= {"metrics": {"accuracy": 0.9}, "interval": [0.85, 0.95], "drop": 0.0}
        >>> for line in cells([row, {"name": "static_int8", "refused": "loops"}]):
        ...     print(line[:2], line[-3:])
        ['file', 'MB'] ['accuracy', 'drop', 'worst layer']
        ['float32', '1.25'] ['0.9 (0.85 to 0.95)', '0', '']
        ['static_int8', 'refused: loops'] ['', '', '']
    """
    metric = next((next(iter(row["metrics"])) for row in rows if "metrics" in row), "metric")
    header = ["file", "MB", "ms a call", "peak memory, MB", metric, "drop", "worst layer"]
    lines = []
    for row in rows:
        if "refused" in row:
            lines.append([row["name"], f"refused: {row['refused']}", *[""] * (len(header) - 2)])
            continue
        worst, error = row.get("worst_layer"), row.get("worst_layer_error")
        lines.append(
            [
                row["name"],
                f"{row['size_mb']:.3g}",
                _number(row.get("latency_ms")),
                _number(row.get("peak_memory_mb")),
                _number(row["metrics"][metric]) + _range(row.get("interval")),
                _number(row["drop"]) + _range(row.get("drop_interval")),
                f"{worst}: {error:.3g}" if worst else "",
            ]
        )
    return [header, *lines]


def write_page(
    path: Path, rows: Sequence[dict[str, Any]], max_drop: float | None, best: str | None
) -> None:
    """Writes the table as Markdown."""
    header, *lines = ([cell.replace("|", "\\|") for cell in line] for line in cells(rows))
    text = ["# What each precision costs", ""]
    text += [f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *lines)]
    text += [
        "",
        "In brackets: intervals of 95 %. That of the drop compares both files on the same parts of "
        "the data. The error of a layer is the root mean square of the differences of its output "
        "from that in float32, divided by that of the output.",
    ]
    if max_drop is not None:
        text += ["", f"Recommended for a drop of at most {max_drop:g}: {best or 'none'}."]
    path.write_text("\n".join(text) + "\n", "utf-8")


def write_plot(
    path: Path, rows: Sequence[dict[str, Any]], max_drop: float | None, best: str | None
) -> None:
    """Draws the drop of each file over its size."""
    from matplotlib.figure import Figure

    shown = [row for row in rows if "refused" not in row]
    figure = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for row in shown:
        size, drop = row["size_mb"], row["drop"]
        color = "tab:green" if row["name"] == best else "tab:blue"
        ends = row.get("drop_interval") or (drop, drop)
        error = [[max(0.0, drop - ends[0])], [max(0.0, ends[1] - drop)]]
        axes.errorbar(size, drop, yerr=error, fmt="o", color=color, capsize=3)
        axes.annotate(row["name"], (size, drop), xytext=(4, 4), textcoords="offset points", size=7)
    if max_drop is not None:
        axes.axhline(max_drop, color="tab:red", linestyle="--", linewidth=1)
    axes.set_xlabel("size, MB")
    axes.set_ylabel(f"drop of {next(iter(shown[0]['metrics']))}")
    axes.set_xscale("log")
    figure.savefig(path)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _range(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f" ({ends[0]:.3g} to {ends[1]:.3g})"
