"""The contract's cases: export -> how to build, call and check it. One literal table a group."""

from tests.contract.case import Case
from tests.contract.cases import (
    attention,
    audio,
    blocks,
    convolution,
    graph,
    measures,
    other_attention,
    position,
    recurrent,
    scores,
    spatial,
    steps,
)


def by_name(*groups: list[Case]) -> dict[str, Case]:
    actual: dict[str, Case] = {}
    for case in (case for group in groups for case in group):
        if case.name in actual:
            raise ValueError(f"{case.name} has two cases")
        actual[case.name] = case
    return actual


GROUPS = (
    scores,
    attention,
    other_attention,
    position,
    recurrent,
    blocks,
    convolution,
    graph,
    spatial,
    steps,
    audio,
    measures,
)
CASES = by_name(*(group.CASES for group in GROUPS))
