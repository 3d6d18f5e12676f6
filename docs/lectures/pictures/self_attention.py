"""Pictures of heads, masks and positions."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.ticker import MaxNLocator

import keras_attn
from docs.lectures.pictures import style
from docs.lectures.pictures.dates import trained
from zoo.attention_map import label

LENGTH = 8


def heads() -> None:
    """The heads of the last layer of an encoder that read a date."""
    task = trained("transformer")
    found = task.attention("Friday, 26 July 2024", part="encoder")[-1]
    names = [label(token) for token in found.source_tokens]
    top = found.weights.max()
    figure = style.figure(9.6, 9.4)
    for number, axes in enumerate(figure.subplots(2, 2).flat):
        image = style.matrix(axes, found.weights[number], names, names, vmin=0, vmax=top)
        axes.set(title=f"head {number + 1}", xlabel="looked at (key)", ylabel="looks (query)")
    figure.colorbar(image, ax=figure.axes, label="attention weight", shrink=0.5, pad=0.02)
    style.save(figure, "heads")


def masks() -> None:
    """Who may attend to whom by four masks."""
    padding = np.broadcast_to(keras_attn.padding_mask(np.array([6]), LENGTH), (LENGTH, LENGTH))
    found = {
        "padding_mask([6])": padding,
        "causal_mask": keras_attn.causal_mask(LENGTH)[0],
        "prefix_mask([3])": keras_attn.prefix_mask(np.array([3]), LENGTH)[0],
        "local_mask(window=2)": keras_attn.local_mask(LENGTH, LENGTH, window=2)[0],
    }
    figure = style.figure(9.6, 2.9)
    colors = ListedColormap(["#e6e6e6", style.BLUE])
    for axes, (name, mask) in zip(figure.subplots(1, 4), found.items(), strict=True):
        axes.pcolormesh(
            np.asarray(mask).astype(int), cmap=colors, edgecolors="white", linewidth=1.5
        )
        axes.invert_yaxis()
        axes.set_aspect("equal")
        at = np.arange(LENGTH)
        axes.set(xticks=at + 0.5, xticklabels=at, yticks=at + 0.5, yticklabels=at)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set(title=name, xlabel="key")
    figure.axes[0].set_ylabel("query")
    style.save(figure, "masks")


def positions() -> None:
    """Sinusoidal positions, and the products of two of them."""
    length, width = 64, 64
    zeros = np.zeros((1, length, width), "float32")
    p = np.asarray(keras_attn.SinusoidalPositions(layout="halves")(zeros))[0]
    figure = style.figure(9.6, 4.0)
    left, right = figure.subplots(1, 2)
    image = style.matrix(left, p, cmap=style.SIGNED, vmin=-1, vmax=1)
    left.set(xlabel="feature", ylabel="position t", title='layout="halves": sines, cosines')
    figure.colorbar(image, ax=left, label="value", shrink=0.8)
    image = style.matrix(right, p @ p.T, vmin=0)
    right.set(xlabel="position s", ylabel="position t", title="products of two positions")
    figure.colorbar(image, ax=right, label="$p_t^\\top p_s$", shrink=0.8)
    for axes in (left, right):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.save(figure, "positions")
