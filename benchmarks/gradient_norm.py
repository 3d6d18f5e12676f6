"""How a gradient fares through 1,000 steps: it decays, it explodes, or it keeps its norm.

    python -m benchmarks.gradient_norm --out gradient_norm.json --plot gradient_norm.png

For each cell, with weights as they are drawn: the norm of the gradient that the last output sends
back to the input at every time, relative to that at the last time. The input kernels of the simple
cells are the identity, so that their norms are those of the recurrence alone. A cell whose
gradient is so small or so large that float32 has no number for it is told as 0 or infinite.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import argparse
import json
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_attn.recurrent.elman_cell import ElmanCell
from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.orthogonal import OrthogonalCell
from keras_attn.recurrent.rnn import RNN
from zoo.bench.machine import machine

ROWS = 8  # the norm is the mean over this many sequences
DISTANCES = (0, 1, 10, 100, 1000)  # steps back from the last, in the table


def scaled(radius: float) -> Any:
    """Normal numbers, then made a matrix of this spectral radius."""

    def initializer(shape: tuple, dtype: Any = None) -> Any:
        matrix = np.random.default_rng(7).normal(size=shape)
        return radius * matrix / np.abs(np.linalg.eigvals(matrix)).max()

    return initializer


def cells(width: int) -> dict[str, Any]:
    def elman(activation: str, radius: float) -> ElmanCell:
        return ElmanCell(
            width,
            activation,
            kernel_initializer="identity",
            recurrent_initializer=scaled(radius),
        )

    return {
        "Elman, linear, radius 0.95": elman("linear", 0.95),
        "Elman, linear, radius 1.05": elman("linear", 1.05),
        "Elman, tanh, radius 0.95": elman("tanh", 0.95),
        "Elman, tanh, radius 1.05": elman("tanh", 1.05),
        "LSTM, forget bias 1": LSTMCell(width),
        "LSTM, forget bias 0": LSTMCell(width, unit_forget_bias=False),
        "GRU": GRUCell(width, reset_after=False),
        "Orthogonal, linear": OrthogonalCell(width, "linear", "identity"),
        "Orthogonal, modReLU": OrthogonalCell(width, "modrelu", "identity"),
        "Orthogonal, tanh": OrthogonalCell(width, "tanh", "identity"),
    }


def gradient_norms(cell: Any, x: np.ndarray) -> np.ndarray:
    """By time: the gradient's norm, relative to the last."""
    layer = RNN(cell)
    layer.build(x.shape)
    rows, _, width = x.shape
    directions = np.random.default_rng(1).normal(size=(rows, width)).astype("float32")

    @tf.function
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(layer(x, training=True) * directions)
        return tape.gradient(loss, x)

    norms = np.linalg.norm(gradient(tf.constant(x)).numpy().astype("float64"), axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        return (norms / norms[:, -1:]).mean(axis=0)


def measure(steps: int, width: int) -> dict[str, np.ndarray]:
    keras.utils.set_random_seed(3)
    x = 0.1 * np.random.default_rng(0).normal(size=(ROWS, steps + 1, width)).astype("float32")
    return {name: gradient_norms(cell, x) for name, cell in cells(width).items()}


def table(found: dict[str, np.ndarray]) -> str:
    width = max(map(len, found))
    back = [k for k in DISTANCES if k < len(next(iter(found.values())))]
    lines = [" " * width + "".join(f"{f'{k} back':>12}" for k in back)]
    lines += [
        f"{name:<{width}}" + "".join(f"{norms[-1 - k]:>12.2e}" for k in back)
        for name, norms in found.items()
    ]
    return "\n".join(lines)


def plot(found: dict[str, np.ndarray], path: str) -> None:
    """One line a cell, the norm by the steps back, on a logarithmic scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for name, norms in found.items():
        axes.semilogy(np.where(norms[::-1] > 0, norms[::-1], np.nan), label=name)
    axes.set(
        xlabel="steps back from the last",
        ylabel="norm of the gradient, relative to the last step's",
        ylim=(1e-25, 1e25),
    )
    axes.axhline(1, color="gray", linewidth=0.5)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", "--output", metavar="FILE", help="JSON file to write")
    parser.add_argument("--plot", metavar="FILE", help="picture to write (PNG, SVG or PDF)")
    parser.add_argument("--quick", action="store_true", help="few steps and narrow cells")
    options = parser.parse_args()
    steps, width = (100, 16) if options.quick else (1000, 128)
    found = measure(steps, width)
    print(f"=== gradient norm through {steps} steps, width {width}\n{table(found)}")
    if options.out:
        report = {
            "machine": machine(),
            "quick": options.quick,
            "steps": steps,
            "width": width,
            # From the last step backwards; an infinite or absent number is null.
            "norms": {
                name: [float(n) if np.isfinite(n) else None for n in norms[::-1]]
                for name, norms in found.items()
            },
        }
        with open(options.out, "w") as file:
            json.dump(report, file, indent=2)
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
