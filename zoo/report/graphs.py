"""The picture of a graph: its nodes by their hidden states, and the attention along its edges."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import label
from zoo.data.graphs.read import Graphs
from zoo.report import figures, html
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.node_classifier import NodeClassifier

NODES = 3000  # maximum number of nodes that are drawn
WIDTH = 6.4  # of the picture, in inches
LEAST = 0.02  # smaller weights are not drawn
ISOLATED = 1e-6


def section(task: "NodeClassifier", examples: Graphs, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with the first graph of the data; empty without scikit-learn."""
    if find_spec("sklearn") is None:
        return ""  # without scikit-learn there is no map of the nodes
    drawn = figures.svg(picture(task, examples.graphs[0]), "graph")
    return html.section(
        "Nodes",
        "The nodes of the graph as the last layer of the model sees them, in two dimensions "
        "(t-SNE); the color is the label. The wider an edge, the more attention it gets in the "
        "first layer.",
        f'<div class="pictures"><figure>{drawn}</figure></div>',
    )


def picture(task: "NodeClassifier", graph: Any, size: float = WIDTH) -> Any:
    """Draws a graph.

    Source: Veličković et al. 2018, figure 2: t-SNE of the first hidden layer, edges as thick as
        their attention weights summed over the heads.

    Args:
        task: A node classifier.
        graph: The graph; of a large one, a random part of the nodes is drawn.
        size: Width and height in inches.

    Returns:
        A Matplotlib figure.
    """
    from matplotlib.collections import LineCollection

    shown = np.arange(len(graph))
    if len(graph) > NODES:
        shown = np.sort(np.random.default_rng(0).choice(len(graph), NODES, replace=False))
    points = np.full((len(graph), 2), np.nan)
    points[shown] = _in_two_dimensions(task.hidden(graph)[shown])
    first = task.edge_attention(graph)[0]
    ends, weights = first.edges, first.weights.mean(axis=1)
    drawn = (ends[0] != ends[1]) & (weights > LEAST) & ~np.isnan(points[ends]).any(axis=(0, 2))
    figure = figures.new_figure(size, size)
    axes = figure.add_axes((0, 0, 1, 1))
    lines = np.stack([points[ends[0, drawn]], points[ends[1, drawn]]], axis=1)
    widths = 1.6 * weights[drawn]
    axes.add_collection(
        LineCollection(list(lines), linewidths=widths, colors="#888888", alpha=0.5, rasterized=True)
    )
    classes, names = _classes(graph)
    dots = []
    for number in range(len(names)):
        own = shown[classes[shown] == number]
        dots += axes.plot(
            *points[own].T, ".", color=f"C{number % 10}", markersize=4, rasterized=True
        )
    axes.autoscale()
    axes.set_axis_off()
    if 1 < len(names) <= 20:
        axes.legend(
            dots, names, loc="best", fontsize=figures.TICKS, frameon=False, labelcolor=figures.INK
        )
    figure.set_dpi(130)
    return figure


def _in_two_dimensions(nodes: np.ndarray) -> np.ndarray:
    from sklearn.manifold import TSNE

    if len(nodes) < 4 or np.ptp(nodes) < ISOLATED:
        return np.random.default_rng(0).normal(size=(len(nodes), 2))
    perplexity = min(30.0, (len(nodes) - 1) / 3)
    return TSNE(perplexity=perplexity, random_state=0, init="pca").fit_transform(nodes)


def _classes(graph: Any) -> tuple[np.ndarray, list[str]]:
    """The number of each node's label, and the labels; one class if nodes have several."""
    if graph.labels is None or graph.multi_label:
        return np.zeros(len(graph), int), [""]
    names, classes = np.unique(graph.labels, return_inverse=True)
    return classes, [label(str(name)) or "no label" for name in names]
