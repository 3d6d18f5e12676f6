"""A layer refuses inputs of a wrong rank or dtype, and says which and what it expects."""

import re
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import pytest
from keras import ops

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.recorder import arguments, leaves, replaced


def wrong_inputs(case: Case) -> None:
    """Each float or integer argument of the case's call, of a layer that is built and one that is
    not yet."""
    new = case.layer(**case.arguments())
    built = new.built  # as Dropout is from the start
    for layer in (harness.made(case).layer, new):
        given = arguments(case, case.layer(**case.arguments()))
        for title, path, x in leaves(given):
            for wrong in wrong_ranks(case, given, x, path[0].endswith("mask")):
                refused(case, layer, replaced(given, path, wrong), title)
            other = "int32" if is_float(x) else "float32"
            if other == "float32" or path[0] not in case.integers:
                refused(case, layer, replaced(given, path, ops.cast(x, other)), title)
    assert new.built == built, "was built for inputs that are wrong"
    if case.other_ranks is not None:
        takes_other_ranks(case)
    if case.integers:
        takes_integers(case)


def is_float(x: Any) -> bool:
    return keras.backend.is_float_dtype(harness.dtype_of(x))


def wrong_ranks(case: Case, given: dict[str, Any], x: Any, is_mask: bool = False) -> Iterator[Any]:
    """The input with one axis too few, and with one too many."""
    ranks = case.other_ranks
    # An input by itself may have another rank, where there is no other one that it has to fit.
    alone = ranks is not None and len(list(leaves(given))) == 1
    if not (alone and ranks.fewer):
        yield x[0]
        if not (is_mask and ranks is not None and ranks.within):
            yield x[..., 0]
    if not (alone and ranks.extra_at is not None):
        yield from (ops.expand_dims(x, axis) for axis in (0, 1, -1))


def refused(case: Case, layer: Any, given: dict[str, Any], title: str) -> None:
    shapes = [tuple(x.shape) for _, _, x in leaves(given)]
    try:
        layer(**given)
    except ValueError as error:
        message = str(error)
    else:
        pytest.fail(f"{case.name} took a wrong {title}, among {shapes}")
    # Of several inputs that may have other ranks together, another one may be named.
    titles = [title] if case.other_ranks is None else [*given, case.other_ranks.within or title]
    named = "|".join(re.escape(name) for name in titles)
    what = r"(be|have) [^\n]*\([^\n]*\)[^\n]*"
    if case.other_ranks is not None:  # which may also be ones where the wrong axis is the last
        what += r"|have the width \d+ that the layer was built for"
    form = rf"({named}|.* and ({named})) must ({what}); received [^\n]*\."
    assert re.fullmatch(form, message), f"{case.name}, {title} among {shapes}: {message}"


def takes_other_ranks(case: Case) -> None:
    """The same numbers for one sample alone, or with one more axis."""
    ranks = case.other_ranks
    assert ranks.fewer or ranks.extra_at is not None or ranks.within
    variant = ranks.variant
    layer, given = (
        harness.made(case, variant).layer,
        without_masks(arguments(case, case.layer(**case.arguments_of(variant)))),
    )
    expected = outputs(layer, given)

    def changed(change: Any) -> dict[str, Any]:
        actual = given
        for _, path, x in leaves(given):
            actual = replaced(actual, path, change(x))
        return actual

    if ranks.fewer:
        actual = outputs(layer, changed(lambda x: x[1]))
        close(actual, [y[1] for y in expected], f"{case.name}: one sample")
    if ranks.extra_at is not None:
        actual = outputs(layer, changed(lambda x: ops.expand_dims(x, ranks.extra_at)))
        expected = [np.expand_dims(y, ranks.extra_at) for y in expected]
        close(actual, expected, f"{case.name}: one more axis")


def takes_integers(case: Case) -> None:
    """The numbers of the same values as floats."""
    layer = harness.made(case).layer
    given = arguments(case, layer)
    floats = integers = given
    for _, path, x in leaves(given):
        if path[0] in case.integers:
            whole = ops.round(2 * x)
            floats = replaced(floats, path, whole)
            integers = replaced(integers, path, ops.cast(whole, "int32"))
    close(outputs(layer, integers), outputs(layer, floats), f"{case.name}: integers")


def without_masks(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if not name.endswith("mask")}


def outputs(layer: Any, given: dict[str, Any]) -> list[np.ndarray]:
    return [harness.to_numpy(y) for y in keras.tree.flatten(layer(**given))]


def close(actual: list[np.ndarray], expected: list[np.ndarray], what: str) -> None:
    harness.close(dict(enumerate(actual)), dict(enumerate(expected)), 1e-6, what)
