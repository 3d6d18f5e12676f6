"""A layer tells the shapes of its outputs before it computes them."""

import inspect
from typing import Any

import keras

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.recorder import Recorder, called

OTHER_SIZES = {"B": 2, "T": 8, "S": 4, "N": 13, "E": 41}  # of the axes that are unknown elsewhere


def told_shapes(case: Case) -> None:
    """For each variant, with known and with unknown batch sizes and lengths."""
    for variant, made in harness.variants(case).items():
        examples = (harness.tensors(harness.example(case, sizes)) for sizes in ({}, OTHER_SIZES))
        real = [called(case, made.layer, x) for x in examples]
        symbolic = called(case, made.layer, harness.symbolic_inputs(case))
        what = f"{case.name} {variant}: "
        for record in real:
            expected = shapes(record.outputs)
            # A layer that is not yet built can tell them, too.
            for layer in (made.layer, case.layer(**case.arguments_of(variant))):
                same(told(layer, record), expected, f"{what}compute_output_shape")
            same(shapes(specs(made.layer, record)), expected, f"{what}compute_output_spec")
        # What depends on the sizes is unknown, and the rest is not.
        first, second = (keras.tree.flatten(record.outputs) for record in real)
        expected = [
            tuple(a if a == b else None for a, b in zip(x.shape, y.shape, strict=True))
            for x, y in zip(first, second, strict=True)
        ]
        same(told(made.layer, symbolic), expected, f"{what}compute_output_shape of unknown sizes")
        same(shapes(symbolic.outputs), expected, f"{what}symbolic call")
        spec = specs(made.layer, symbolic)
        same(shapes(spec), expected, f"{what}compute_output_spec of unknown sizes")
        dtypes = [harness.dtype_of(x) for x in keras.tree.flatten(spec)]
        same(dtypes, [harness.dtype_of(x) for x in first], f"{what}dtypes")


def shapes(outputs: Any) -> list[tuple]:
    return [tuple(x.shape) for x in keras.tree.flatten(outputs)]


def specs(layer: Any, record: Recorder) -> Any:
    """What `compute_output_spec` says of symbols for the recorded arguments."""

    def symbol(x: Any) -> Any:
        is_tensor = keras.ops.is_tensor(x)
        return keras.KerasTensor(tuple(x.shape), harness.dtype_of(x)) if is_tensor else x

    args, kwargs = keras.tree.map_structure(symbol, (record.args, record.kwargs))
    return layer.compute_output_spec(*args, **kwargs)


def told(layer: Any, record: Recorder) -> list[tuple]:
    """What `compute_output_shape` says of the shapes of the recorded arguments."""
    given = inspect.signature(layer.call).bind(*record.args, **record.kwargs).arguments
    first, *names = inspect.signature(layer.compute_output_shape).parameters
    sources = {first: next(iter(given))}  # its name is free, as in Keras
    sources |= {name: name.removesuffix("_shape") for name in names}
    arguments = {
        name: keras.tree.map_structure(lambda x: tuple(x.shape), given[source])
        for name, source in sources.items()
        if given.get(source) is not None
    }
    actual: list[tuple] = []
    keras.tree.map_shape_structure(actual.append, layer.compute_output_shape(**arguments))
    return actual


def same(actual: list, expected: list, what: str) -> None:
    assert actual == expected, f"{what}: {actual}, expected {expected}"
