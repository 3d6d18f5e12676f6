"""What a family of models can be told to be: the first of each always, the others thoroughly."""

from collections.abc import Sequence
from typing import Any

import pytest


def every_variant(variants: Sequence[tuple[str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Runs a test with each name and config."""
    seen: set[str] = set()
    cases = []
    for name, config in variants:
        marks = [pytest.mark.thorough] if name in seen else []
        seen.add(name)
        cases.append(pytest.param(name, config, marks=marks, id=f"{name}-{config}"))
    return pytest.mark.parametrize(("name", "config"), cases)


def before_all(first: str, names: Sequence[str]) -> pytest.MarkDecorator:
    """Runs a test with each name, all but one thoroughly."""
    cases = [
        pytest.param(name, marks=[] if name == first else [pytest.mark.thorough]) for name in names
    ]
    return pytest.mark.parametrize("name", cases)
