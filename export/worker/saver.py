"""The functions of a SavedModel that TensorFlow saves and restores its weights with.

They read and write files, as no other part of a model may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .allowed import RESTORING, SAVING


def weight_operators(meta: Any) -> dict[str, frozenset[str]]:
    """The operators on files that some functions may have, by the name of the function.

    Args:
        meta: A `MetaGraphDef`. Functions that not only its saver calls are not in the result.
    """
    names = meta.saver_def.save_tensor_name, meta.saver_def.restore_op_name
    kinds = {
        name.partition(":")[0]: kind for name, kind in zip(names, (SAVING, RESTORING), strict=True)
    }
    calls = {
        each.signature.name: set(_called_by(each.node_def))
        for each in meta.graph_def.library.function
    }
    operators: dict[str, frozenset[str]] = {}
    for node in meta.graph_def.node:
        if node.name in kinds:
            for function in _reached(_called_by([node]), calls):
                operators[function] = operators.get(function, kinds[node.name]) & kinds[node.name]
    rest = [node for node in meta.graph_def.node if node.name not in kinds]
    others = [*_called_by(rest), *(function for function in calls if function not in operators)]
    for function in _reached(others, calls):
        operators.pop(function, None)
    return operators


def _reached(starts: Iterable[str], calls: Mapping[str, set[str]]) -> set[str]:
    """All functions that are called from some of them."""
    reached: set[str] = set()
    waiting = list(starts)
    while waiting:
        function = waiting.pop()
        if function not in reached:
            reached.add(function)
            waiting.extend(calls.get(function, ()))
    return reached


def _called_by(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        yield node.op
        yield from _named_in(node.attr)


def _named_in(attributes: Mapping[str, Any]) -> Iterator[str]:
    for value in attributes.values():
        for function in (value.func, *value.list.func):
            yield function.name
            yield from _named_in(function.attr)
