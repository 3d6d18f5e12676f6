"""The picture of where a captioner looks for each word."""

import keras
import numpy as np

from docs.lectures.pictures import style
from keras_attn import RNN, Attention, AttentionCell, LSTMCell, MaskedCrossentropy

SIZE, GRID, EPOCHS, COUNT = 48, 6, 24, 6000
COLORS = {"red": (0.84, 0.27, 0.0), "blue": (0.0, 0.45, 0.7), "yellow": (0.94, 0.89, 0.26)}
SHAPES = ("circle", "square", "cross")
WORDS = ["", "<s>", "</s>", "a", "and", *COLORS, *SHAPES]
LEFT, RIGHT = np.array([24, 12]), np.array([24, 36])  # row and column


def scenes(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images of two shapes, and captions that name the left one first."""
    rng = np.random.default_rng(seed)
    images = np.full((count, SIZE, SIZE, 3), 0.9, "float32")
    captions = np.zeros((count, 9), "int32")
    for image, caption in zip(images, captions, strict=True):
        words = ["<s>"]
        for place in (LEFT, RIGHT):
            color, shape = rng.choice([*COLORS]), rng.choice(SHAPES)
            _draw(image, place + rng.integers((-14, -3), (15, 4)), COLORS[color], shape)
            words += ["a", color, shape] + (["and"] if len(words) == 1 else [])
        caption[:] = [WORDS.index(word) for word in [*words, "</s>"]]
    return images.clip(0, 1), captions


def _draw(image: np.ndarray, center: np.ndarray, color: tuple, shape: str) -> None:
    rows, columns = np.abs(np.moveaxis(np.mgrid[:SIZE, :SIZE], 0, -1) - center).transpose(2, 0, 1)
    inside = {
        "circle": rows**2 + columns**2 < 49,
        "square": np.maximum(rows, columns) < 6,
        "cross": (np.minimum(rows, columns) < 2.5) & (np.maximum(rows, columns) < 8),
    }[shape]
    image[inside] = color


def captioner() -> keras.Model:
    """The network of Show, Attend and Tell in small, with its attention as a second output."""
    image = keras.Input((SIZE, SIZE, 3))
    words = keras.Input((None,), dtype="int32")
    rows, columns = np.mgrid[-1 : 1 : SIZE * 1j, -1 : 1 : SIZE * 1j]
    places = np.stack([rows, columns], axis=-1).astype("float32")
    places = keras.ops.zeros_like(image[..., :2]) + places
    grid = keras.layers.Concatenate()([image, places])  # or it could not tell left from right
    for filters in (16, 32, 64):
        grid = keras.layers.Conv2D(filters, 3, 2, padding="same", activation="relu")(grid)
    cells = keras.layers.Reshape((GRID * GRID, 64))(grid)
    cell = AttentionCell(LSTMCell(64), Attention(score="additive"), order="bahdanau")
    embedded = keras.layers.Embedding(len(WORDS), 32)(words)
    states, maps = RNN(cell, return_sequences=True)(
        embedded, memory=cells, return_attention_scores=True
    )
    return keras.Model([image, words], [keras.layers.Dense(len(WORDS))(states), maps])


def captions() -> None:
    """An image, and the cells of its grid by their weight for each word."""
    keras.utils.set_random_seed(0)
    images, texts = scenes(COUNT, seed=0)
    model = captioner()
    learner = keras.Model(model.inputs, model.outputs[0])
    rate = keras.optimizers.schedules.CosineDecay(2e-3, EPOCHS * COUNT // 64)
    learner.compile(keras.optimizers.Adam(rate, clipnorm=1.0), MaskedCrossentropy(ignore_id=0))
    learner.fit([images, texts[:, :-1]], texts[:, 1:], batch_size=64, epochs=EPOCHS, verbose=0)
    test, wanted = scenes(500, seed=1)
    logits, maps = model.predict([test, wanted[:, :-1]], verbose=0)
    print("right words", (logits.argmax(-1) == wanted[:, 1:]).all(axis=1).mean())
    figure = style.figure(9.8, 3.0)
    both = figure.subplots(2, 8)
    for axes_of_row, row in zip(both, (0, 3), strict=True):
        axes_of_row[0].imshow(test[row])
        axes_of_row[0].set_title("image", fontsize=10)
        for step, axes in enumerate(axes_of_row[1:]):
            weights = np.kron(maps[row, step].reshape(GRID, GRID), np.ones((8, 8)))
            shown = weights / weights.max()
            axes.imshow(test[row] * (0.15 + 0.85 * shown[..., None]))
            axes.set_title(WORDS[logits[row, step].argmax()], fontsize=10)
        for axes in axes_of_row:
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
    style.save(figure, "captions")
