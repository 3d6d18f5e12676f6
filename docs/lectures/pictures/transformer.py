"""The picture of warm-up: learning rates, and gradients of stacks of blocks."""

import keras
import numpy as np
import tensorflow as tf

from docs.lectures.pictures import style
from keras_attn import EncoderBlock
from zoo.training.schedule import learning_rates

DEPTHS = (2, 4, 8, 16, 32)
WIDTH, CLASSES, SEEDS = 64, 50, 4


def last_gradient(depth: int, pre_norm: bool, seed: int) -> float:
    """The norm of the gradient of the last kernel of a stack of blocks with initial weights."""
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    x = tf.constant(rng.normal(size=(8, 32, WIDTH)), "float32")
    labels = rng.integers(0, CLASSES, (8, 32))
    blocks = [EncoderBlock(4, 4 * WIDTH, pre_norm=pre_norm) for _ in range(depth)]
    end = [keras.layers.LayerNormalization()] if pre_norm else []
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        for layer in (*blocks, *end, keras.layers.Dense(CLASSES)):
            x = layer(x)
        value = loss(labels, x)
    kernel = blocks[-1].feed_forward.weights[2]
    return float(tf.norm(tape.gradient(value, kernel.value)))


def warmup() -> None:
    """Learning rates by step, and the gradient of the last block by depth."""
    figure = style.figure(9.6, 3.6)
    left, right = figure.subplots(1, 2)
    steps = np.arange(1, 20_001, 50)
    for number, name in enumerate(("noam", "cosine", "linear", "constant")):
        rates = learning_rates(name, 0.0007, warmup_steps=4000, steps=20_000)
        values = [float(rates(step)) for step in steps]
        left.plot(
            steps, values, color=style.COLORS[number], linestyle=style.LINES[number], label=name
        )
    left.set(
        xlabel="step", ylabel="learning rate", title="warm-up of 4,000 steps", ylim=(0, 0.00092)
    )
    left.set_xticks([0, 5000, 10_000, 15_000, 20_000])
    left.legend(ncols=2, loc="upper right")
    for number, pre_norm in enumerate((False, True)):
        norms = [
            [last_gradient(depth, pre_norm, seed) for seed in range(SEEDS)] for depth in DEPTHS
        ]
        right.errorbar(
            DEPTHS,
            np.mean(norms, axis=1),
            np.std(norms, axis=1),
            color=style.COLORS[number],
            linestyle=style.LINES[number],
            marker="os"[number],
            capsize=3,
            label=("post-norm", "pre-norm")[number],
        )
    right.set_xscale("log", base=2)
    right.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
    right.set(xlabel="blocks", ylabel="norm of the gradient", ylim=(0, None))
    right.set_title("last block, initial weights (4 seeds)")
    right.legend()
    style.save(figure, "warmup")
