"""Attention of nine heads is a 3 x 3 convolution, if each head looks at one shift.

Cordonnier et al. 2020, theorem 1: with relative scores that put all the weight of head h on the
key at shift h, `output[p] = sum_h x[p + shift_h] W_h`, which is a convolution with kernel W.
"""

import keras
import numpy as np
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.position.relative import ShawPositions

HEIGHT, WIDTH, CHANNELS, FILTERS = 5, 7, 3, 2
SHIFTS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def test_nine_heads_are_a_convolution():
    rng = np.random.default_rng(0)
    image = rng.normal(size=(2, HEIGHT, WIDTH, CHANNELS)).astype("float32")
    kernel = rng.normal(size=(3, 3, CHANNELS, FILTERS)).astype("float32")
    bias = rng.normal(size=FILTERS).astype("float32")
    conv = keras.layers.Conv2D(FILTERS, 3, padding="same")
    expected = ops.convert_to_numpy(_with(conv, [kernel, bias], image)(image))

    # A frame of zeros makes the image a sequence in which a shift is always the same distance.
    framed = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
    sequence = framed.reshape(2, -1, CHANNELS)
    row = WIDTH + 2
    furthest = row + 2  # beyond the shifts, so that what is clipped is none of them
    layer = MultiHeadAttention(
        9, 9, value_dim=CHANNELS, output_shape=FILTERS, position=ShawPositions(furthest)
    )
    # Head h asks with the h-th unit vector, times a score that leaves the others nothing. Keys
    # have no content; the vector of the distance of shift h is the h-th unit vector.
    of_keys = np.zeros((2 * furthest + 1, 9))
    for h, (down, right) in enumerate(SHIFTS):
        of_keys[down * row + right + furthest, h] = 1
    weights = [
        of_keys,
        np.zeros((2 * furthest + 1, CHANNELS)),  # of values
        np.zeros((CHANNELS, 9, 9)), 300 * np.eye(9),  # queries
        np.zeros((CHANNELS, 9, 9)), np.zeros((9, 9)),  # keys
        np.stack([np.eye(CHANNELS)] * 9, axis=1), np.zeros((9, CHANNELS)),  # values
        kernel.reshape(9, CHANNELS, FILTERS), bias,
    ]  # fmt: skip
    _with(layer, weights, sequence, sequence)
    output, maps = layer(sequence, sequence, return_attention_scores=True)
    got = ops.convert_to_numpy(output).reshape(2, HEIGHT + 2, row, FILTERS)[:, 1:-1, 1:-1]
    np.testing.assert_allclose(got, expected, atol=1e-4)
    middle = row * (HEIGHT // 2 + 1) + WIDTH // 2 + 1
    looked_at = ops.convert_to_numpy(maps)[0, :, middle].argmax(-1)
    assert looked_at.tolist() == [middle + down * row + right for down, right in SHIFTS]


def _with(layer, weights, *inputs):
    layer.build(*(x.shape for x in inputs))
    layer.set_weights(weights)
    return layer
