"""The picture of gradients through time."""

import keras
import numpy as np

from benchmarks.gradient_norm import gradient_norms, scaled
from docs.lectures.pictures import style
from keras_attn import ElmanCell, GRUCell, LSTMCell, OrthogonalCell

STEPS, WIDTH = 200, 64


def cells() -> dict[str, keras.layers.Layer]:
    """Cells with initial weights by name."""

    def elman(activation: str, radius: float) -> ElmanCell:
        return ElmanCell(
            WIDTH, activation, kernel_initializer="identity", recurrent_initializer=scaled(radius)
        )

    remembers = LSTMCell(WIDTH, unit_forget_bias=False, bias_initializer=forget_bias)
    return {
        "Elman, linear, radius 1.05": elman("linear", 1.05),
        "orthogonal, modReLU": OrthogonalCell(WIDTH, "modrelu", "identity"),
        "LSTM, forget bias 5": remembers,
        "Elman, linear, radius 0.95": elman("linear", 0.95),
        "Elman, tanh, radius 1.05": elman("tanh", 1.05),
        "GRU": GRUCell(WIDTH),
        "LSTM, forget bias 1": LSTMCell(WIDTH),
    }


def forget_bias(shape: tuple, dtype: str | None = None) -> np.ndarray:
    """Zeros, and 5 for the forget gate."""
    bias = np.zeros(shape, "float32")
    bias[WIDTH : 2 * WIDTH] = 5.0
    return bias


def gradients() -> None:
    """The norm of the gradient by steps back, for each cell."""
    keras.utils.set_random_seed(3)
    x = 0.1 * np.random.default_rng(0).normal(size=(8, STEPS + 1, WIDTH)).astype("float32")
    figure = style.figure(9.6, 4.4)
    axes = figure.subplots()
    for number, (name, cell) in enumerate(cells().items()):
        norms = gradient_norms(cell, x)[::-1]
        axes.semilogy(
            np.where(norms > 0, norms, np.nan),
            color=style.COLORS[number],
            linestyle=style.LINES[number],
            label=name,
        )
        print(name, norms[[1, 10, 100, STEPS]])
    axes.set(
        xlabel="steps back from the last",
        ylabel="norm of the gradient, relative to the last step's",
        ylim=(1e-20, 1e8),
        xlim=(0, STEPS),
    )
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.save(figure, "gradients")
