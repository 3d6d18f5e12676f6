"""The page of what leaves each model."""

import re
from pathlib import Path

from tests.tasks.cases import CASES
from tests.tasks.matrix import FORMATS
from tests.tasks.matrix_page import markdown
from zoo.models.create import list_models

PAGE = Path(__file__).parents[2] / "docs/results/export-matrix.md"


def test_cells_have_sizes_latencies_and_metrics_that_differ():
    lacks = {"state": "n/a", "reason": "x.tflite was refused: conversion (no loops)\nmore"}
    formats = {
        "LiteRT": {"state": "ok", "bytes": 12_345, "latency_ms": 0.1234, "metric": ["loss", 2.5]},
        "int8": {"state": "ok", "bytes": 2_345, "latency_ms": 12.34, "metric": ["loss", 2.625]},
        "static int8": lacks,
        "web page": {"state": "ok", "bytes": 67_890, "latency_ms": 1.0},
        "broken": {"state": "FAILED", "reason": "x.tflite was refused: operators (custom: X)"},
    }
    row = {"model": "gpt", "parameters": 1234, "metric": ["loss", 2.5], "formats": formats}
    lines = markdown({"causal_lm": row, "other": row}, ["absent"]).splitlines()
    assert "Not measured: absent." in lines
    assert [line for line in lines if line.startswith("| causal_lm |")] == [
        "| causal_lm | gpt | 1,234 | 12 | 2 | n/a (1) | 68 | FAILED (2) |",
        "| causal_lm | 0.12 | 12 | n/a (1) | 1 | FAILED (2) |",
        "| causal_lm | loss 2.5 | = | 2.625 | n/a (1) | - | FAILED (2) |",
    ]
    assert lines[-2:] == ["1. conversion (no loops)", "2. operators (custom: X)"]


def test_the_page_in_the_documentation_has_every_task_and_format():
    text = PAGE.read_text("utf-8")
    assert "FAILED" not in text
    heads = [line for line in text.splitlines() if line.startswith("| task |")]
    assert len(heads) == 3 and all(head.endswith(f"| {' | '.join(FORMATS)} |") for head in heads)
    missing = "".join(line for line in text.splitlines() if line.startswith("Not measured: "))
    for name in CASES:
        assert text.count(f"\n| {name} |") == (0 if name in re.findall(r"\w+", missing) else 3)


def test_the_page_in_the_documentation_has_every_model():
    sizes = PAGE.read_text("utf-8").split("\n## ")[1]
    actual = {line.split(" | ")[1] for line in sizes.splitlines() if line.count(" | ") > 3}
    assert {each.name for each in list_models()} <= actual
