"""Table 1 of "Attention Is All You Need": sequential operations and longest paths, counted.

    python -m benchmarks.path_lengths

Each layer is traced by JAX. Its sequential operations are the longest chain of operations that wait
for each other, from the input to the output; an operation on whole tensors counts as one, a scan as
often as it has steps, a cumulative sum of n numbers as log2(n). The longest path is the number of
layers until each position depends on each other one that it can ever depend on, by the entries of
the Jacobian that are not zero, times the steps of a scan inside of a layer.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import argparse
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import keras
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

import keras_attn

WIDTH, HEADS, WINDOW, KERNEL = 8, 2, 8, 3
LENGTHS = (32, 64, 128)
CUMULATIVE = {"cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"}

Layer = Callable[[Any], Any]


def operations(primitive: str, shape: Sequence[int], axis: int) -> int:
    """Sequential operations of one operation: log2 of the length of a cumulative one, or else 1."""
    return max(1, math.ceil(math.log2(shape[axis]))) if primitive in CUMULATIVE else 1


def scan_steps(primitive: str, shape: Sequence[int], axis: int) -> int:
    """1 for what stands for the step of a scan, otherwise 0."""
    return int(primitive == "scan")


def depth(closed: ClosedJaxpr, cost: Callable[[str, Sequence[int], int], int] = operations) -> int:
    """The greatest cost of operations of a traced function that wait for each other.

    Args:
        closed: The function.
        cost: Function from the name of an operation, the shape of its first input and the axis that
            it works along, to its cost; of "scan" the cost of a step beside the operations in it.

    Raises:
        ValueError: If there is a loop whose number of steps is not known.

    Example:
        >>> def twice(x):
        ...     return jax.lax.scan(lambda c, y: (jax.numpy.tanh(c) + y, c), x[0], x)[0]
        >>> depth(jax.make_jaxpr(twice)(np.ones(5)), scan_steps)
        5
    """
    return max(_depths(closed.jaxpr, [0] * len(closed.jaxpr.invars), cost), default=0)


def _depths(
    jaxpr: Jaxpr, inputs: Sequence[int], cost: Callable[[str, Sequence[int], int], int]
) -> list[int]:
    """The depth of each output, given those of the inputs."""
    known: dict[Any, int] = dict.fromkeys(jaxpr.constvars, 0)
    known.update(zip(jaxpr.invars, inputs, strict=True))

    def of(variable: Any) -> int:
        return 0 if isinstance(variable, Literal) else known[variable]

    for equation in jaxpr.eqns:
        before, name = [of(each) for each in equation.invars], equation.primitive.name
        inner = [each for each in equation.params.values() if isinstance(each, ClosedJaxpr | Jaxpr)]
        if name == "scan":
            after = _scanned(equation.params, before, cost)
        elif name == "while":
            raise ValueError("the number of steps of a while loop is not known")
        elif inner:
            body = inner[0].jaxpr if isinstance(inner[0], ClosedJaxpr) else inner[0]
            after = _depths(body, before[-len(body.invars) :] if body.invars else [], cost)
        else:
            shape = equation.invars[0].aval.shape if equation.invars else ()
            own = cost(name, shape, equation.params.get("axis", 0))
            after = [max(before, default=0) + own] * len(equation.outvars)
        known.update(zip(equation.outvars, after, strict=True))
    return [of(each) for each in jaxpr.outvars]


def _scanned(
    params: dict[str, Any], before: list[int], cost: Callable[[str, Sequence[int], int], int]
) -> list[int]:
    """The depths after a scan, by going through its steps."""
    body, constants, carried = params["jaxpr"].jaxpr, params["num_consts"], params["num_carry"]
    fixed, carry = before[:constants], before[constants : constants + carried]
    rows = before[constants + carried :]
    stacked = [0] * (len(body.outvars) - carried)
    for _ in range(params["length"]):
        after = [each + cost("scan", (), 0) for each in _depths(body, fixed + carry + rows, cost)]
        carry = after[:carried]
        stacked = [max(pair) for pair in zip(stacked, after[carried:], strict=True)]
    return carry + stacked


def dependencies(layer: Layer, length: int, width: int = WIDTH) -> np.ndarray:
    """Whether each output position depends on each input position, (n, n)."""
    x = np.random.default_rng(3).normal(size=(1, length, width)).astype("float32")
    jacobian = np.asarray(jax.jit(jax.jacfwd(layer))(x))
    return (jacobian[0][:, :, 0] != 0).any(axis=(1, 3))


def layers_to_connect(of_layer: Callable[[int], np.ndarray], most: int) -> int:
    """The number of layers until no further position is connected to another.

    Args:
        of_layer: Function from the number of a layer to its dependencies.
        most: Maximum number of layers.

    Example:
        >>> near = abs(np.subtract.outer(range(9), range(9))) <= 2
        >>> layers_to_connect(lambda number: near, 9)
        4
    """
    connected, needed = of_layer(0), 1
    for number in range(1, most):
        further = (of_layer(number).astype(int) @ connected.astype(int)) > 0
        if (further != connected).any():
            connected, needed = further, number + 1
    return needed


def layers(width: int = WIDTH) -> dict[str, Callable[[int], Layer]]:
    """By name: a function from the number of a layer in a stack to that layer."""
    in_heads = (HEADS, width // HEADS)
    attention = keras_attn.MultiHeadAttention(*in_heads)
    local = keras_attn.LocalAttention(window=WINDOW, num_heads=HEADS, key_dim=width // HEADS)
    linear = keras_attn.LinearAttention(*in_heads)
    gru = keras_attn.GRU(width, return_sequences=True)
    convolution = keras_attn.GatedConv1D(width, KERNEL)

    def dilated(number: int) -> Layer:
        options = {"padding": "causal", "dilation_rate": KERNEL**number}
        layer: Layer = keras_attn.GatedConv1D(width, KERNEL, **options)
        return layer

    def same(layer: Layer) -> Callable[[int], Layer]:
        return lambda _: layer

    def attend(x: Any) -> Any:  # returns its weights, too, as attention in blocks does not
        return attention(x, x, return_attention_scores=True)[0]

    return {
        "self-attention": same(attend),
        f"restricted, window {WINDOW}": same(lambda x: local(x, x)),
        "linear attention": same(lambda x: linear(x, x)),
        "recurrent (GRU)": same(gru),
        f"convolutional, kernel {KERNEL}": same(convolution),
        f"convolutional, causal, dilated by {KERNEL}^i": dilated,
    }


def counted(layer: Callable[[int], Layer], length: int, width: int = WIDTH) -> dict[str, int]:
    """The sequential operations of a layer, and the longest path of a stack of them."""
    one = layer(0)
    one(keras.ops.ones((1, 8, width)))  # builds its weights, which are no part of the graph
    traced = jax.make_jaxpr(one)(np.ones((1, length, width), "float32"))
    found: dict[int, np.ndarray] = {}
    is_same = layer(0) is layer(1)

    def of_layer(number: int) -> np.ndarray:
        key = 0 if is_same else number
        if key not in found:
            found[key] = dependencies(layer(number), length, width)
        return found[key]

    stacked = length if is_same else math.ceil(math.log(length, KERNEL))
    paths = layers_to_connect(of_layer, stacked)
    steps = max(1, depth(traced, scan_steps))
    return {"sequential operations": depth(traced), "longest path": paths * steps}


def table(report: dict[str, dict[int, dict[str, int]]]) -> str:
    """A Markdown table of the counts by length."""
    lengths = list(next(iter(report.values())))
    shown = ", ".join(map(str, lengths))
    lines = [
        f"| layer | sequential operations at n = {shown} | longest path at n = {shown} |",
        "| --- | --- | --- |",
    ]
    for name, of_lengths in report.items():
        cells = (
            ", ".join(str(each[what]) for each in of_lengths.values())
            for what in ("sequential operations", "longest path")
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", "--output", metavar="FILE", help="JSON file to write")
    parser.add_argument("--quick", action="store_true", help="short lengths")
    options = parser.parse_args()
    lengths = (8, 16) if options.quick else LENGTHS
    report = {name: {n: counted(each, n) for n in lengths} for name, each in layers().items()}
    print(table(report))
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"quick": options.quick, "layers": report}, file, indent=2)


if __name__ == "__main__":
    main()
