"""The picture of what a spatial transformer samples from distorted digits."""

import keras
import numpy as np
from sklearn.datasets import load_digits

from benchmarks.distorted_mnist import DIGIT, rotated_translated_scaled
from docs.lectures.pictures import style
from keras_attn import SpatialTransformer

TEST, COPIES, EPOCHS, SIZE = 360, 6, 12, 42


def digits() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Images and labels to train on, several distortions of each digit, and others to test."""
    images, labels = load_digits(return_X_y=True)
    small = images.reshape(-1, 8, 8, 1).astype("float32") / 16
    large = np.asarray(keras.ops.image.resize(small, (DIGIT, DIGIT), interpolation="bicubic"))
    large, rng = large[..., 0].clip(0, 1), np.random.default_rng(0)
    train = np.tile(np.arange(TEST, len(large)), COPIES)

    def distorted(indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = rotated_translated_scaled(255 * large[indices], rng)
        return np.asarray(found, "float32").reshape(-1, SIZE, SIZE, 1) / 255, labels[indices]

    return distorted(train), distorted(np.arange(TEST))


def trained() -> tuple[SpatialTransformer, np.ndarray, np.ndarray]:
    """The transformer of a classifier of digits, and test images with their labels."""
    keras.utils.set_random_seed(0)
    (images, labels), test = digits()
    localization = keras.Sequential(
        [
            keras.layers.MaxPooling2D(2),
            keras.layers.Conv2D(16, 5, activation="relu"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Conv2D(32, 5, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(32, activation="relu"),
        ]
    )
    transformer = SpatialTransformer(localization, output_size=(DIGIT, DIGIT))
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            transformer,
            keras.layers.Conv2D(16, 5, activation="relu"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Conv2D(32, 5, activation="relu"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )
    rate = keras.optimizers.schedules.CosineDecay(2e-3, EPOCHS * len(images) // 64)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    model.fit(images, labels, batch_size=64, epochs=EPOCHS, verbose=0)
    print("test accuracy", model.evaluate(*test, verbose=0)[1])
    return transformer, *test


def sampled() -> None:
    """Frames around ten digits, and what is in the frames."""
    transformer, images, labels = trained()
    chosen = np.array([np.flatnonzero(labels == digit)[1] for digit in range(10)])
    grids = np.asarray(transformer.grid(images[chosen]))
    outputs = np.asarray(transformer(images[chosen]))
    figure = style.figure(9.6, 2.5)
    for image, grid, output, (above, below) in zip(
        images[chosen], grids, outputs, figure.subplots(2, 10).T, strict=True
    ):
        above.imshow(image[..., 0], cmap="gray", vmin=0, vmax=1)
        below.imshow(output[..., 0], cmap="gray", vmin=0, vmax=1)
        corners = (grid[[0, 0, -1, -1, 0], [0, -1, -1, 0, 0]] + 1) * SIZE / 2 - 0.5
        above.plot(*corners.T, color=style.ORANGE, linewidth=1.2)
        above.plot(*corners[:2].T, color=style.ORANGE, linewidth=3)
        above.set(xlim=(-14, SIZE + 13), ylim=(SIZE + 13, -14))
        above.set_facecolor("#444444")
        for axes in (above, below):
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
    figure.axes[0].set_ylabel("image")
    figure.axes[10 if len(figure.axes) > 10 else 1].set_ylabel("sampled")
    style.save(figure, "sampled")
