"""The size and speed of exported files, and what quantization costs them."""

from __future__ import annotations

from typing import Any

from export.report import Check, Report
from export.worker.precisions import Storage

LOWER_IS_BETTER = (
    *("loss", "perplexity", "bits_per_byte", "word_error_rate", "character_error_rate"),
    *("mae", "mase", "rmse", "crps", "pinball_loss", "ter", "log_loss", "calibration_error"),
)
# Of one row of usual length, of a batch, and of the longest row; see `export.worker.timing`.
LATENCIES = ("latency_ms", "batch_latency_ms", "longest_latency_ms")


def row(report: Report, kind: Storage) -> dict[str, Any]:
    """The size, speed and perplexity of a file that was checked, and its share of equal answers.

    These are tokens or labels. The share is the least of those that the checks found.

    Args:
        report: The report of the check.
        kind: How the file stores its weights.
    """
    timing = report.manifest.get("timing", {})
    shares = [
        line["agreement"]
        for line in report.manifest["checks"]
        if "agreement" in line and not line["name"].endswith(": lengths")
    ]
    perplexities = (x["perplexity"] for x in report.manifest["checks"] if "perplexity" in x)
    measured = {
        "file": kind.name,
        "size_mb": round(report.manifest["bytes"] / 1e6, 3),
        **{name: timing.get(name) for name in LATENCIES},
        "tokens_per_second": timing.get("tokens_per_second"),
        "agreement": round(min(shares), 4) if shares else None,
        "passage_perplexity": next(perplexities, None),
    }
    return {key: value for key, value in measured.items() if value is not None}


def loss(metric: str, exact: float, quantized: float) -> float:
    """How much worse a metric became.

    Example:
        >>> loss("bleu", 31.0, 30.75), loss("word_error_rate", 0.25, 0.5)
        (0.25, 0.25)
        >>> loss("price_mae", 3.0, 3.5)
        0.5
    """
    is_lower_better = any(f"_{metric}".endswith(f"_{name}") for name in LOWER_IS_BETTER)
    return quantized - exact if is_lower_better else exact - quantized


def drop(exact: dict[str, float], quantized: dict[str, float], max_drop: float) -> Check:
    """Whether quantization costs at most `max_drop` of the task's first metric.

    Args:
        exact: The metrics of the float32 file.
        quantized: The metrics of the quantized file.
        max_drop: How much worse the first metric may be.

    Example:
        >>> drop({"bleu": 31.0}, {"bleu": 30.75}, max_drop=0.5).passed
        True
        >>> drop({"perplexity": 8.0}, {"perplexity": 9.0}, max_drop=0.5).passed
        False
    """
    name = next(iter(exact))
    lost = loss(name, exact[name], quantized[name])
    detail = f"{name} {exact[name]:.4g} -> {quantized[name]:.4g}, allowed drop {max_drop:g}"
    return Check("max drop", bool(lost <= max_drop), detail)
