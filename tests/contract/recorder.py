"""The arguments that a case's call gives to its layer."""

import inspect
from collections.abc import Iterator
from typing import Any

import keras

from tests.contract import harness
from tests.contract.case import Case


class Recorder:
    """Stands in for a layer in a case's call, and keeps the arguments and the outputs."""

    def __init__(self, layer: Any, runs: bool = True):
        self.layer, self.runs = layer, runs

    def __getattr__(self, name: str) -> Any:
        return getattr(self.layer, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.args, self.kwargs = args, kwargs
        if not self.runs:
            raise StopRecording
        self.outputs = self.layer(*args, **kwargs)
        return self.outputs


class StopRecording(Exception):
    """Ends a call of which only the arguments are wanted."""


def called(case: Case, layer: Any, x: dict[str, Any]) -> Recorder:
    record = Recorder(layer)
    case.call(record, x)
    return record


def arguments(case: Case, layer: Any) -> dict[str, Any]:
    """The arguments by name, on the example's inputs; the layer itself is not called."""
    record = Recorder(layer, runs=False)
    try:
        case.call(record, harness.tensors(harness.example(case)))
    except StopRecording:
        pass
    bound = inspect.signature(layer.call).bind(*record.args, **record.kwargs)
    return {name: value for name, value in bound.arguments.items() if value is not None}


def leaves(given: dict[str, Any], masks: bool = False) -> Iterator[tuple[str, tuple, Any]]:
    """Yields the tensors: what a message calls each, its path and its value.

    The values of a dict go by their own names, those of a list by their places. `masks`: whether
    to yield those, too.
    """
    for name, value in given.items():
        if isinstance(value, dict):
            actual = [(key, (name, key), x) for key, x in value.items()]
        elif isinstance(value, (list, tuple)):
            actual = [(f"{name}[{place}]", (name, place), x) for place, x in enumerate(value)]
        else:
            actual = [(name, (name,), value)]
        for title, path, x in actual:
            if keras.ops.is_tensor(x) and (masks or not title.endswith("mask")):
                yield title, path, x


def replaced(given: dict[str, Any], path: tuple, value: Any) -> dict[str, Any]:
    """The arguments with another value at a path."""
    name, *inner = path
    if not inner:
        return given | {name: value}
    outer = given[name].copy()
    outer[inner[0]] = value
    return given | {name: outer}
