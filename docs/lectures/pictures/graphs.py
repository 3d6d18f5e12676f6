"""The picture of attention along the edges of a graph."""

import keras
import numpy as np
import tensorflow as tf
from matplotlib.collections import LineCollection

from docs.lectures.pictures import style
from keras_attn import GraphAttention

# Zachary 1977: who met whom outside of a karate club, and who followed the instructor (node 0)
# when it split; the others followed the officers (node 33).
NEIGHBORS = {
    0: "1 2 3 4 5 6 7 8 10 11 12 13 17 19 21 31", 1: "2 3 7 13 17 19 21 30",
    2: "3 7 8 9 13 27 28 32", 3: "7 12 13", 4: "6 10", 5: "6 10 16", 6: "16", 8: "30 32 33",
    9: "33", 13: "33", 14: "32 33", 15: "32 33", 18: "32 33", 19: "33", 20: "32 33", 22: "32 33",
    23: "25 27 29 32 33", 24: "25 27 31", 25: "31", 26: "29 33", 27: "33", 28: "31 33",
    29: "32 33", 30: "32 33", 31: "32 33", 32: "33",
}  # fmt: skip
NODES = 34
INSTRUCTOR = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21)
PAIRS = np.array([(a, int(b)) for a, each in NEIGHBORS.items() for b in each.split()])


def layout(steps: int = 400) -> np.ndarray:
    """Places (N, 2): neighbors attract and all repel each other (Fruchterman & Reingold 1991)."""
    places = np.random.default_rng(3).normal(size=(NODES, 2))
    linked = np.zeros((NODES, NODES))
    linked[PAIRS[:, 0], PAIRS[:, 1]] = linked[PAIRS[:, 1], PAIRS[:, 0]] = 1
    near = 0.55
    for step in range(steps):
        apart = places[:, None] - places
        distance = np.maximum(np.linalg.norm(apart, axis=-1, keepdims=True), 0.01)
        force = near**2 / distance - linked[..., None] * distance**2 / near
        move = (apart / distance * force).sum(axis=1)
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        places += move / length * np.minimum(length, 0.2 * (1 - step / steps))
    return places - places.mean(axis=0)


def graph() -> None:
    """The two halves of a club, by the labels of two nodes, and the attention along its edges."""
    keras.utils.set_random_seed(1)
    both = np.concatenate([PAIRS, PAIRS[:, ::-1]])
    edges = np.concatenate([both, np.tile(np.arange(NODES), (2, 1)).T]).T.astype("int32")
    features = np.eye(NODES, dtype="float32")
    labels = np.array([0 if node in INSTRUCTOR else 1 for node in range(NODES)])
    known = np.array([0, 33])
    layers = GraphAttention(8, num_heads=4), GraphAttention(2, aggregate="mean")
    optimizer = keras.optimizers.Adam(0.01)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for _ in range(150):
        with tf.GradientTape() as tape:
            logits = layers[1](keras.ops.elu(layers[0](features, edges)), edges)
            value = loss(labels[known], tf.gather(logits, known))
        weights = [w for layer in layers for w in layer.trainable_weights]
        optimizer.apply(tape.gradient(value, [w.value for w in weights]), weights)
    predicted = np.asarray(logits).argmax(axis=1)
    print("right", (predicted == labels).sum(), "of", NODES)
    hidden = layers[0](features, edges)
    _, attention = layers[1](keras.ops.elu(hidden), edges, return_attention_scores=True)
    _draw(layout(), edges, np.asarray(attention).reshape(-1), predicted, labels, known)


def _draw(places, edges, attention, predicted, labels, known) -> None:
    figure = style.figure(9.6, 4.8)
    axes = figure.subplots()
    order = np.argsort(attention)
    between = order[edges[0, order] != edges[1, order]]
    lines = LineCollection(
        places[edges[:, between].T], array=attention[between], cmap="Greys", clim=(0, None),
        linewidths=0.6 + 3 * attention[between], zorder=1,
    )  # fmt: skip
    axes.add_collection(lines)
    for side, (color, marker) in enumerate(zip((style.ORANGE, style.SKY), "os", strict=True)):
        nodes = np.flatnonzero(predicted == side)
        name = ("follower of 0", "follower of 33")[side]
        axes.scatter(*places[nodes].T, s=230, c=color, marker=marker, label=name, zorder=2)
    wrong = np.flatnonzero(predicted != labels)
    if len(wrong):
        axes.scatter(*places[wrong].T, s=420, facecolors="none", edgecolors=style.RED, zorder=3)
    axes.scatter(*places[known].T, s=420, facecolors="none", edgecolors="black", linewidths=2)
    for node, place in enumerate(places):
        axes.text(*place, str(node), ha="center", va="center", fontsize=8, zorder=4)
    axes.legend(title="classified as", markerscale=0.6, labelspacing=0.8, loc="lower left")
    figure.colorbar(lines, ax=axes, label="attention weight", shrink=0.7)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.set_aspect("equal")
    style.save(figure, "graph")
