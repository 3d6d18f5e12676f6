"""Pictures of scores and alignment."""

import numpy as np

import keras_attn
from docs.lectures.pictures import style
from docs.lectures.pictures.dates import trained
from zoo.attention_map import label

NORMALIZERS = (
    ("softmax, which is the sigmoid here", keras_attn.softmax),
    ("1.5-entmax", keras_attn.entmax15),
    ("sparsemax", keras_attn.sparsemax),
)


def normalizers() -> None:
    """The weight of the first of two keys, by the difference of their scores."""
    figure = style.figure(6.4, 3.4)
    axes = figure.subplots()
    difference = np.linspace(-3, 3, 241)
    scores = np.stack([difference, np.zeros_like(difference)], axis=-1).astype("float32")
    for number, (name, normalizer) in enumerate(NORMALIZERS):
        weights = np.asarray(normalizer(scores))[:, 0]
        color, line = style.COLORS[number], style.LINES[number]
        axes.plot(difference, weights, color=color, linestyle=line, label=name)
    axes.set(
        xlabel="score of the first key minus score of the second, which is 0",
        ylabel="weight of the first key",
        yticks=[0, 0.5, 1],
    )
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(loc="upper left")
    style.save(figure, "normalizers")


def alignment() -> None:
    """Which characters of a written date each character of the answer looked at."""
    task = trained("attention_seq2seq")
    figure = style.figure(9.8, 3.3)
    texts = ("Friday, 26 July 2024", "3. Oktober 1998")
    maps = [task.attention(text)[-1] for text in texts]
    ratios = [len(found.source_tokens) for found in maps]
    for axes, found in zip(figure.subplots(1, 2, width_ratios=ratios), maps, strict=True):
        image = style.matrix(
            axes,
            found.mean(),
            [label(token) for token in found.target_tokens],
            [label(token) for token in found.source_tokens],
            vmin=0,
            vmax=1,
        )
        axes.set(xlabel="character that is read", ylabel="character that is written")
    figure.colorbar(image, ax=axes, label="attention weight", fraction=0.06)
    style.save(figure, "alignment")
