"""The table in the documentation is what the formulas give; programs are compared elsewhere."""

import doctest
from pathlib import Path

from benchmarks import cost_model

PAGE = Path(__file__).parents[2] / "docs/how-to/training/scaling.md"


def test_the_table_of_the_page_is_computed():
    text = PAGE.read_text("utf-8")
    for cells in (cost_model.HEADER, *cost_model.table()):
        assert f"| {' | '.join(cells)} |\n" in text


def test_examples():
    actual = doctest.testmod(cost_model)
    assert actual.attempted and not actual.failed
