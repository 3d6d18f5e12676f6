"""Spatial transformers."""

import keras
import numpy as np

from keras_attn import SpatialTransformer
from tests.contract.case import SIZES, Case, floats
from tests.oracles import spatial as oracles

SIZE = SIZES["Y"], SIZES["X"]
NO_MASK = "images have no padding"


def localization():
    """Weights (C, 3) and (3): the mean colour, through a bounded dense layer."""
    return keras.Sequential(
        [keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(3, activation="tanh")]
    )


def oracle(weights, x, a):
    kernel, bias, *offset, inner_kernel, inner_bias = weights
    rows, columns = a["grid_size"]
    points = [(x, y) for y in np.linspace(-1, 1, rows) for x in np.linspace(-1, 1, columns)]
    control = np.array(points) + (offset[0] if offset else 0)
    features = np.tanh(x["image"].mean((1, 2)) @ inner_kernel + inner_bias)
    size = a["output_size"] or x["image"].shape[1:3]
    parameters = features @ kernel + bias
    return oracles.spatial_transformer(parameters, x["image"], a["transform"], size, control)


CASES = [
    Case(
        SpatialTransformer,
        arguments=lambda: {
            "localization": localization(),
            "transform": "thin_plate_spline",
            "output_size": SIZE,
            "grid_size": (2, 3),
            "learnable_grid": True,
        },
        variants={
            "default": {"transform": "affine", "output_size": None, "learnable_grid": False},
            "projective": {"transform": "projective", "learnable_grid": False},
            "fixed grid": {"grid_size": (3, 2), "learnable_grid": False},
        },
        inputs={"image": floats("BIJC")},
        outputs={"y": "BYXC"},
        call=lambda layer, x: layer(x["image"]),
        oracle=oracle,
        not_applicable={
            "keras layer": "Keras has no spatial transformer",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "NaN behind the mask": NO_MASK,
            "length 0": "images have rows and columns instead of a length",
            "implicit mask": NO_MASK,
            "neighbours": NO_MASK,
            "causal": "the pixels of an image have no causal order",
            "maps": "has a sampling grid instead of attention weights",
        },
    ),
]
