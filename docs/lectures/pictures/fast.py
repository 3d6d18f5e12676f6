"""The picture of softmax and what replaces it in fast attention."""

import numpy as np

from docs.lectures.pictures import style
from keras_attn import LinearAttention, RandomFeatureAttention

LENGTH, WIDTH, SEEDS = 24, 16, 8
SIZES = (0.5, 1.0, 1.6)
FEATURES = (16, 32, 64, 128, 256, 512, 1024, 2048)


def softmax(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The weights (T, S) of scaled dot-product attention."""
    scores = q @ k.T / np.sqrt(WIDTH)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def by_features(layer: LinearAttention, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The weights (T, S) of attention by features, in which the layer never computes them."""
    x = np.zeros((1, 1, WIDTH), "float32")
    layer.build(x.shape, x.shape)
    features = layer.query_features(q[None, None]), layer.key_features(k[None, None])
    products = np.asarray(features[0])[0, 0] @ np.asarray(features[1])[0, 0].T
    return products / products.sum(axis=-1, keepdims=True)


def fast() -> None:
    """Weights over the same queries and keys, and errors by the number of random features."""
    rng = np.random.default_rng(2)
    path = rng.normal(size=(LENGTH, WIDTH)).cumsum(axis=0) / 2  # neighbors are alike
    path = path - path.mean(axis=0)
    q = k = (SIZES[-1] * path / path.std()).astype("float32")
    maps = {
        "softmax": softmax(q, k),
        "linear, elu(x) + 1": by_features(LinearAttention(1, WIDTH), q, k),
        "64 random features": by_features(RandomFeatureAttention(1, WIDTH, 64), q, k),
        "2,048 random features": by_features(RandomFeatureAttention(1, WIDTH, 2048), q, k),
    }
    figure = style.figure(9.6, 6.0)
    above, below = figure.subfigures(2, 1, height_ratios=[1, 1.15])
    for axes, (title, weights) in zip(above.subplots(1, 4), maps.items(), strict=True):
        image = style.matrix(axes, weights, vmin=0, vmax=maps["softmax"].max())
        axes.set(xlabel="key", xticks=[0, 10, 20], yticks=[0, 10, 20])
        axes.set_title(title, fontsize=10)
    above.axes[0].set_ylabel("query")
    above.colorbar(image, ax=above.axes, label="weight", fraction=0.02)
    axes = below.subplots()
    for number, size in enumerate(SIZES):
        axes.loglog(
            FEATURES,
            [error((q * size / SIZES[-1]).astype("float32"), m) for m in FEATURES],
            color=style.COLORS[number],
            linestyle=style.LINES[number],
            marker="os^"[number],
            label=f"entries of queries and keys: {size}",
        )
    axes.set(xlabel="random features m", ylabel="error of the weights of a query", ylim=(0.02, 2))
    axes.set_xticks(FEATURES, [f"{m:,}" for m in FEATURES])
    axes.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2], ["0.05", "0.1", "0.2", "0.5", "1", "2"])
    axes.minorticks_off()
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(title="standard deviation of the", loc="lower left")
    style.save(figure, "fast")


def error(q: np.ndarray, features: int) -> float:
    """The sum of the errors of the weights of a query, the mean over queries and seeds."""
    errors = [
        np.abs(by_features(RandomFeatureAttention(1, WIDTH, features, seed), q, q) - softmax(q, q))
        for seed in range(SEEDS)
    ]
    return float(np.mean(errors) * LENGTH)
