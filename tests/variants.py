"""Cases of a test of which some run thoroughly only."""

from collections.abc import Sequence
from typing import Any

import pytest


def thorough_variants(variants: Sequence[tuple[str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Runs a test with each name and config, thoroughly from the second of a name on."""
    seen: set[str] = set()
    cases = []
    for name, config in variants:
        marks = [pytest.mark.thorough] if name in seen else []
        seen.add(name)
        cases.append(pytest.param(name, config, marks=marks, id=f"{name}-{config}"))
    return pytest.mark.parametrize(("name", "config"), cases)


def thoroughly_but(
    first: str, names: Sequence[str], argument: str = "name"
) -> pytest.MarkDecorator:
    """Runs a test with each name, all but one thoroughly."""
    cases = [
        pytest.param(name, marks=[] if name == first else [pytest.mark.thorough]) for name in names
    ]
    return pytest.mark.parametrize(argument, cases)
