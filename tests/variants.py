"""Cases of a test of which some run in thorough tests only, and others in long ones."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest


def marks(earlier: int) -> list[pytest.MarkDecorator]:
    """Marks of a case by the number of those before it: quick, thorough, and all others long."""
    if earlier > 1:
        return [pytest.mark.long]
    return [pytest.mark.thorough] if earlier else []


def thorough_variants(variants: Sequence[tuple[str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Runs a test with each name and config: the second of a name thoroughly, further ones long."""
    seen: Counter[str] = Counter()
    cases = []
    for name, config in variants:
        cases.append(pytest.param(name, config, marks=marks(seen[name]), id=f"{name}-{config}"))
        seen[name] += 1
    return pytest.mark.parametrize(("name", "config"), cases)


def thoroughly_but(
    first: str, names: Sequence[str], argument: str = "name"
) -> pytest.MarkDecorator:
    """Runs a test with each name: the first quickly, another one thoroughly, and the rest long."""
    ordered = [first, *(name for name in names if name != first)]
    cases = [pytest.param(name, marks=marks(i)) for i, name in enumerate(ordered)]
    return pytest.mark.parametrize(argument, cases)
