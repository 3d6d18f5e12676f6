"""Builds a case's layer with fixed weights and runs it on fixed inputs, on any backend."""

import contextlib
import functools
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from tests.contract.case import SIZES, Case, Tensor

Arrays = dict[str, np.ndarray]


def random(*key: object) -> np.random.Generator:
    """A generator that gives the same numbers for the same key in every process."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def lengths(letter: str, sizes: dict[str, int]) -> np.ndarray:
    """One length a row: the first is the whole axis, the last is 1."""
    longest = sizes[letter]
    return np.maximum(longest - np.arange(sizes["B"]) * max(longest // 2, 1), 1)


def example(case: Case, sizes: dict[str, int] | None = None, masking: str = "holes") -> Arrays:
    """The case's inputs: masks have holes, or mark right padding, or are all True."""
    sizes = SIZES | (sizes or {})
    x = {}
    for name, tensor in case.inputs.items():
        rng, shape = random(case.name, name), tensor.shape(sizes)
        if tensor.kind == "float":
            x[name] = rng.normal(size=shape).astype("float32")
        elif tensor.kind == "ids":
            x[name] = rng.integers(0, limit(tensor, sizes, masking), shape).astype("int32")
        else:
            x[name] = example_mask(tensor.axes, shape, sizes, masking, rng)
    return x


def limit(tensor: Tensor, sizes: dict[str, int], masking: str) -> Any:
    """What ids are below; positions are below the length of their row, where it is padded."""
    if isinstance(tensor.below, int):
        return tensor.below
    if masking != "padding":
        return sizes[tensor.below]
    return np.expand_dims(lengths(tensor.below, sizes), [*range(1, len(tensor.axes))])


def example_mask(axes, shape, sizes, masking, rng) -> np.ndarray:
    if masking == "all":
        return np.ones(shape, bool)
    keep = rng.random(shape) < 0.5
    # The first position takes part everywhere, so that no row is empty by chance, and one that
    # takes part is followed by a hole.
    keep[..., 0] = True
    if shape[-1] > 2:
        keep[0, ..., 1] = False
    if masking == "padding":
        short = np.arange(shape[-1]) < lengths(axes[-1], sizes)[:, None]
        short = short.reshape(short.shape[0], *(1 for _ in shape[2:]), shape[-1])
        return short if len(shape) == 2 else keep & short
    return keep


@contextlib.contextmanager
def policy(name: str) -> Iterator[None]:
    """Layers made inside have this dtype policy, and so have the layers they are given."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


@dataclass(frozen=True)
class Made:
    """A layer of a case or of one of its variants, and the arguments it was made with."""

    layer: Any
    arguments: dict[str, Any]


def variants(case: Case, **options: bool) -> dict[str, Made]:
    """The case itself ("") and its variants, made or kept; `options` as in `made`."""
    return {name: made(case, name, **options) for name in ("", *case.variants)}


def made(case: Case, variant: str = "", dropout: bool = True, aligned: bool = False) -> Made:
    """A variant's layer under the policy that holds here, without dropout or aligned if asked.

    It is kept, as many checks of one case ask for it, and so none may change its weights.
    """
    return kept(case, variant, dropout, aligned, keras.config.dtype_policy().name)


@functools.lru_cache(maxsize=64)  # those of one case, under all policies
def kept(case: Case, variant: str, dropout: bool, aligned: bool, policy_name: str) -> Made:
    arguments = case.arguments_of(variant)
    if not dropout:
        arguments = without_dropout(arguments)
    if aligned:
        arguments |= case.aligned
    return Made(make(case, arguments), arguments)


def without_dropout(arguments: dict[str, Any]) -> dict[str, Any]:
    shares = {name for name in arguments if name == "rate" or name.endswith("dropout")}
    return arguments | dict.fromkeys(shares, 0.0)


def make(case: Case, changes: dict[str, Any] | None = None, call=None, inputs=()) -> Any:
    """The layer, built by a symbolic call, and its weights such that none is zero or one."""
    layer = case.layer(**(case.arguments() | (changes or {})))
    if isinstance(layer, keras.layers.Layer):
        (call or case.call)(layer, symbolic_inputs(case, inputs or case.inputs))
        layer.set_weights([jitter(i, w.shape) for i, w in enumerate(layer.weights)])
    return layer


def jitter(index: int, shape: tuple[int, ...]) -> np.ndarray:
    return random("weight", index, tuple(shape)).normal(size=shape) * 0.4


def tensors(x: Arrays) -> dict[str, Any]:
    return {name: keras.ops.convert_to_tensor(value) for name, value in x.items()}


def flat(case: Case, outputs: Any) -> dict[str, Any]:
    """The outputs by name, however the layer nests them."""
    if isinstance(outputs, dict):  # of a functional model; flattening would sort it
        return {name: outputs[name] for name in case.outputs}
    actual = keras.tree.flatten(outputs)
    assert len(actual) == len(case.outputs), f"{len(actual)} outputs, expected {list(case.outputs)}"
    return dict(zip(case.outputs, actual, strict=True))


def run(case: Case, layer: Any, x: Arrays, call=None) -> Arrays:
    """The outputs as float64 arrays."""
    return {name: to_numpy(value) for name, value in outputs(case, layer, x, call).items()}


def outputs(case: Case, layer: Any, x: Arrays, call=None) -> dict[str, Any]:
    """The outputs by name, as the backend has them."""
    call = call or case.call
    if keras.backend.backend() == "jax" and isinstance(layer, keras.layers.Layer):
        return flat(case, compiled_once(layer, call)(tensors(x)))
    return flat(case, call(layer, tensors(x)))


@functools.lru_cache(maxsize=32)  # the layers of a case, under two policies
def compiled_once(layer: Any, call: Callable) -> Callable:
    """JAX compiles each operation and each loop by itself where nothing is compiled around it."""
    import jax

    def pure(values, x):
        with keras.StatelessScope(state_mapping=list(zip(layer.weights, values, strict=True))):
            return call(layer, x)

    compiled = jax.jit(pure)
    return lambda x: compiled([w.value for w in layer.weights], x)


def dtype_of(value: Any) -> str:
    return keras.backend.standardize_dtype(value.dtype)


def to_numpy(value: Any) -> np.ndarray:
    return keras.ops.convert_to_numpy(keras.ops.cast(value, "float32")).astype("float64")


def weights_of(layer: Any) -> list[np.ndarray]:
    if not isinstance(layer, keras.layers.Layer):
        return []
    return [np.asarray(w, "float64") for w in layer.get_weights()]


def oracle(case: Case, weights: list[np.ndarray], x: Arrays, arguments: dict) -> Arrays:
    """What the formula gives, in float64."""
    wide = {k: v.astype("float64") if v.dtype.kind == "f" else v for k, v in x.items()}
    outputs = case.oracle(weights, wide, arguments)
    actual = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    return dict(zip(case.outputs, map(np.asarray, actual), strict=True))


def symbolic_inputs(case: Case, names=None) -> dict[str, Any]:
    """The inputs as Keras's symbolic tensors, batch and time unknown."""
    return {
        name: keras.Input(batch_shape=tensor.unknown_shape(), dtype=tensor.dtype, name=name)
        for name, tensor in case.inputs.items()
        if names is None or name in names
    }


def functional(case: Case, layer: Any) -> keras.Model:
    """A model of this one layer, with dict inputs and outputs."""
    inputs = symbolic_inputs(case)
    return keras.Model(inputs, flat(case, case.call(layer, inputs)))


def apply(model: keras.Model, x: dict[str, Any]) -> dict[str, Any]:
    """The call of a functional model."""
    return model(x)


def close(actual: Arrays, expected: Arrays, tolerance: float, what: str) -> None:
    """Every output within `tolerance`, relative to its own scale."""
    assert list(actual) == list(expected), f"{what}: {list(actual)} and {list(expected)}"
    for name, value in expected.items():
        assert actual[name].shape == value.shape, (
            f"{what}: {name} has shape {actual[name].shape}, expected {value.shape}"
        )
        scale = max(1.0, float(np.abs(value).max(initial=0.0)))
        np.testing.assert_allclose(
            actual[name], value, rtol=0, atol=tolerance * scale, err_msg=f"{what}: {name}"
        )
