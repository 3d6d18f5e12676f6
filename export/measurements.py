"""What the files of an export weigh, how fast they are, and what quantization costs them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from export.report import Check, Report
from export.signatures import Signature
from export.worker import artifact as artifacts

ROWS = 32  # texts predicted at a time
ERROR_RATES = ("loss", "perplexity", "wer", "cer")  # metrics that are better when lower


def row(report: Report, quantize: str | None) -> dict[str, Any]:
    """The size and speed of a file that was checked."""
    timing = report.manifest.get("timing", {})
    shares = [
        line["agreement"]
        for line in report.manifest["checks"]
        if "agreement" in line and not line["name"].endswith(": lengths")
    ]
    measured = {
        "file": quantize or "float32",
        "size_mb": round(report.manifest["bytes"] / 1e6, 3),
        "latency_ms": timing.get("latency_ms"),
        "tokens_per_second": timing.get("tokens_per_second"),
        "token_agreement": round(min(shares), 4) if shares else None,
    }
    return {key: value for key, value in measured.items() if value is not None}


def predictor(path: Path, signature: Signature, strings: bool) -> Callable[..., list[str]]:
    """A function from lists of texts, one for each input, to texts that runs the artifact.

    Args:
        path: the artifact.
        signature: the task's `serving_default` from text to text; its outer stages surround a file
            that takes ids.
        strings: whether the artifact takes text itself.
    """
    run = artifacts.load(path, strings).run

    def predict(*columns: list[str]) -> list[str]:
        found: list[str] = []
        for start in range(0, len(columns[0]), ROWS):
            rows = {
                name: np.array([text.encode() for text in texts[start : start + ROWS]], object)
                for name, texts in zip(signature.inputs, columns, strict=True)
            }
            found += [text.decode() for text in _texts(run, rows, signature, strings)]
        return found

    return predict


def _texts(
    run: Callable, rows: dict[str, np.ndarray], signature: Signature, strings: bool
) -> list[bytes]:
    if strings or signature.stages is None:
        outputs = run("serving_default", rows)
    else:
        before, _, after = signature.stages
        ids = {key: np.asarray(tensor) for key, tensor in before(**rows).items()}
        outputs = after(**run("serving_default", ids))
    (texts,) = (x for x in map(np.asarray, outputs.values()) if x.dtype.kind in "OS")
    return list(texts)


def drop(exact: dict[str, float], quantized: dict[str, float], max_drop: float) -> Check:
    """Whether the quantized file keeps the task's first metric to within `max_drop`."""
    name = next(iter(exact))
    lost = exact[name] - quantized[name]
    if name in ERROR_RATES:
        lost = -lost
    detail = f"{name} {exact[name]:.4g} -> {quantized[name]:.4g}, drop allowed {max_drop:g}"
    return Check("max drop", bool(lost <= max_drop), detail)
