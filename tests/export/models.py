"""Small Keras models to export, with jittered weights."""

import keras
import numpy as np
from keras import ops

from keras_attn import GraphAttention

KEYS, WIDTH = 17, 11


def jitter(model, seed=5):
    random = np.random.default_rng(seed)
    for weight in model.weights:
        weight.assign(random.normal(scale=0.5, size=weight.shape))
    return model


def tagger(masked=True, dtype=None):
    """Ids and a mask -> logits for each place, and a pooled vector, as dicts."""
    ids = keras.Input((None,), dtype="int32", name="token_ids")
    mask = keras.Input((None,), dtype="bool", name="padding_mask")
    x = keras.layers.Embedding(KEYS, WIDTH, dtype=dtype)(ids)
    keep = ops.expand_dims(ops.cast(mask, x.dtype), -1)
    total = ops.sum(x * keep if masked else x, axis=1)
    outputs = {
        "logits": keras.layers.Dense(5, dtype=dtype)(x),
        "pooled": keras.layers.Dense(3, dtype=dtype)(total / ops.sum(keep, axis=1)),
    }
    inputs = {"token_ids": ids, "padding_mask": mask}
    return jitter(keras.Model(inputs, outputs, name="tagger"))


def reader(shape):
    """Ids of a shape, where 0 is padding -> logits for each place, and a sum of all."""
    ids = keras.Input(batch_shape=shape, dtype="int32", name="token_ids")
    x = keras.layers.Embedding(KEYS, WIDTH)(ids)
    keep = ops.expand_dims(ops.cast(ops.not_equal(ids, 0), x.dtype), -1)
    total = keras.layers.Dense(3)(ops.sum(x * keep, axis=1))
    return jitter(keras.Model(ids, {"logits": keras.layers.Dense(5)(x), "total": total}))


def regressor(width=7):
    """A tensor -> a tensor, no names anywhere."""
    return jitter(keras.Sequential([keras.Input((width,)), keras.layers.Dense(2)]))


def flexible():
    """A model that needs an operator LiteRT lacks."""
    ids = keras.Input((None,), dtype="int32", name="token_ids")
    return keras.Model({"token_ids": ids}, {"odd": OddLayer()(ids)})


class OddLayer(keras.layers.Layer):
    def call(self, x):
        return ops.bitwise_and(x, ops.ones_like(x))


def graph(pooled=False):
    """Nodes (N, F) and edges (2, E) -> a vector for each node, or one of all."""
    nodes = keras.Input((3,), name="nodes")
    edges = keras.Input(batch_shape=(2, None), dtype="int32", name="edges")
    x = GraphAttention(2, num_heads=2)(nodes, edges)
    outputs = ops.mean(x, axis=0, keepdims=True) if pooled else x
    return jitter(keras.Model({"nodes": nodes, "edges": edges}, outputs, name="graph"))


def graphs(masks=("nodes_mask", "edges_mask"), pooled=False):
    """A batch of graphs -> a vector for each node, or the sum of each graph's."""
    x = {
        "nodes": keras.Input((None, 3), name="nodes"),
        "edges": keras.Input((2, None), dtype="int32", name="edges"),
    }
    x |= {name: keras.Input((None,), dtype="bool", name=name) for name in masks}
    y = GraphAttention(2, num_heads=2)(**x)
    return jitter(keras.Model(x, ops.sum(y, axis=1) if pooled else y, name="graphs"))


def image(dtype="float32"):
    """Images of any height and width -> classes."""
    pixels = keras.Input((None, None, 3), dtype=dtype, name="pixels")
    x = keras.layers.Conv2D(5, 3, strides=2, padding="same")(ops.cast(pixels, "float32"))
    x = keras.layers.GlobalMaxPooling2D()(x)
    return jitter(keras.Model(pixels, keras.layers.Dense(2)(x), name="image"))


def halved():
    """Ids -> half as many vectors: its length is no axis of the inputs."""
    ids = keras.Input((None,), dtype="int32", name="ids")
    x = keras.layers.Embedding(KEYS, WIDTH)(ids)
    return jitter(keras.Model(ids, keras.layers.Conv1D(5, 2, strides=2, padding="same")(x)))
