"""The picture of attention in each layer of a convolutional decoder."""

from docs.lectures.pictures import style
from docs.lectures.pictures.dates import trained
from zoo.attention_map import label


def layers() -> None:
    """What each of the four layers of the decoder of a ConvS2S looked at."""
    maps = trained("conv_s2s").attention("Friday, 26 July 2024")
    figure = style.figure(9.8, 5.6)
    rows = [label(token) for token in maps[0].target_tokens]
    columns = [label(token) for token in maps[0].source_tokens]
    shown = {f"layer {number}": each.mean() for number, each in enumerate(maps, 1)}
    for axes, (title, weights) in zip(figure.subplots(2, 2).flat, shown.items(), strict=True):
        image = style.matrix(axes, weights, rows, columns, vmin=0, vmax=1)
        axes.set(title=title, xlabel="character that is read", ylabel="character that is written")
    figure.colorbar(image, ax=figure.axes, label="attention weight", shrink=0.6, pad=0.02)
    style.save(figure, "conv-layers")
