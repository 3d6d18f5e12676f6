"""STNClassifier: the numbers of its equations, its transformers at the start, and its options."""

import keras
import numpy as np
import pytest
from keras import ops
from scipy.signal import correlate

from tests.oracles.spatial import spatial_transformer
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.stn_classifier import STNClassifier

SIZES = {"image_size": [17, 13], "channels": 1, "num_classes": 3}
SMALL = {"layers": [[5, 3], [7, 3]], "localization": [[3, 3]], "localization_units": 5}


def model(**options):
    return STNClassifier(**{**SIZES, **SMALL, **options})


def image(batch=2, channels=1):
    return np.random.default_rng(1).uniform(0, 255, (batch, 17, 13, channels)).astype("float32")


def jittered(model, seed=3):
    random = np.random.default_rng(seed)
    model.set_weights([w + 0.2 * random.normal(size=w.shape) for w in model.get_weights()])
    return model


def numpy(tensor):
    return np.asarray(ops.convert_to_numpy(tensor))


def logits_of(model, images):
    return numpy(model({"image": images})["logits"])


def convolved(x, layer, mode="valid"):
    kernel, bias = (w.astype("float64") for w in layer.get_weights())
    planes = [
        [
            sum(correlate(one[..., c], kernel[..., c, f], mode) for c in range(one.shape[-1]))
            for f in range(kernel.shape[-1])
        ]
        for one in x
    ]
    return np.maximum(np.moveaxis(np.array(planes), 1, -1) + bias, 0)


def pooled(x, whole=False):
    if whole:  # a border of less than any number
        odd = [(0, size % 2) for size in x.shape[1:3]]
        x = np.pad(x, [(0, 0), *odd, (0, 0)], constant_values=-np.inf)
    x = x[:, : x.shape[1] // 2 * 2, : x.shape[2] // 2 * 2]
    return np.maximum.reduce([x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])


def parameters(layer, x):
    """What the localization network of a transformer predicts."""
    for each in layer.localization.layers:
        if isinstance(each, keras.layers.Conv2D):
            x = convolved(pooled(x, whole=True), each, "same")
    kernel, bias = (w.astype("float64") for w in layer.localization.layers[-1].get_weights())
    flat = pooled(x, whole=True).reshape(len(x), -1)
    return np.maximum(flat @ kernel + bias, 0) @ numpy(layer.kernel) + numpy(layer.bias)


def by_hand(model, images):
    """The logits in float64, and what each transformer samples."""
    x, seen = images.astype("float64") / 255, []
    for depth, layer in enumerate(model.convolutions):
        if actual := model.transformers.get(depth):
            seen += [
                spatial_transformer(
                    parameters(each, x), x, each.transform, each.output.shape[1:3], control(each)
                )
                for each in actual
            ]
            x = np.concatenate(seen[-len(actual) :], axis=-1)
        x = pooled(convolved(x, layer))
    kernel, bias = (w.astype("float64") for w in model.head.get_weights())
    return x.reshape(len(x), -1) @ kernel + bias, seen


def control(layer):
    line = np.linspace(-1, 1, layer.grid_size[0])
    x, y = np.meshgrid(line, line)
    points = np.stack([x, y], axis=-1).reshape(-1, 2)
    return points if layer.offset is None else points + numpy(layer.offset)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"transform": "none"},
        {"transform": "projective", "num_transformers": 2},
        {"transform": "thin_plate_spline", "grid_size": 3, "learnable_grid": True},
        {"depths": [0, 1], "output_size": [11, 11]},
        {"depths": [1], "num_transformers": 3},
    ],
)
def test_the_equations(options):
    actual = jittered(model(**options))
    logits, seen = by_hand(actual, image())
    np.testing.assert_allclose(logits_of(actual, image()), logits, rtol=1e-3, atol=2e-3)
    assert len(seen) == len(actual.all_transformers)
    again, samples = actual.read({"image": image()}, with_samples=True)
    np.testing.assert_allclose(numpy(again), logits, rtol=1e-3, atol=2e-3)
    for (sampled, grid), expected in zip(samples, seen, strict=True):
        np.testing.assert_allclose(numpy(sampled), expected, atol=1e-3)
        assert numpy(grid).shape == (*expected.shape[:3], 2)


@pytest.mark.parametrize("transform", ["affine", "projective", "thin_plate_spline"])
def test_transformers_begin_as_the_identity(transform):
    actual = model(transform=transform)
    (layer,) = actual.all_transformers
    assert not numpy(layer.kernel).any()
    ((sampled, _),) = actual.read({"image": image()}, with_samples=True)[1]
    np.testing.assert_allclose(numpy(sampled), image() / 255, atol=1e-4)
    plain = model(transform="none")
    plain.set_weights(actual.get_weights()[len(layer.weights) :])
    np.testing.assert_allclose(logits_of(actual, image()), logits_of(plain, image()), atol=1e-3)


def test_its_config_makes_the_same_model():
    options = {"transform": "thin_plate_spline", "num_transformers": 2, "depths": [1]}
    options |= {
        "grid_size": 3,
        "learnable_grid": True,
        "dropout": 0.3,
        "output_size": [11, 13],
        "channels": 3,
    }
    actual = jittered(model(**options))
    again = STNClassifier.from_config(actual.get_config())
    assert again.get_config() == actual.get_config()
    again.set_weights(actual.get_weights())
    x = image(channels=3)
    np.testing.assert_array_equal(logits_of(again, x), logits_of(actual, x))


def test_presets_have_as_many_weights():
    sizes = {"image_size": [28, 28], "channels": 1, "num_classes": 10}
    counts = {
        name: create_model("stn_classifier", name, **sizes).count_params()
        for name in ("affine", "projective", "tps", "cnn")
    }
    assert max(counts.values()) < 1.02 * min(counts.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transform": "tps"}, "transform must be one of affine, projective, thin_plate_spline"),
        ({"learnable_grid": True}, "learnable_grid is for thin_plate_spline, not for affine"),
        ({"grid_size": 1}, "grid_size must be at least 2, got 1"),
        ({"depths": [2]}, r"depths must be numbers from 0 to 1, got \[2\]"),
        ({"layers": [5, 3]}, "layers must be a list of .filters, kernel size., got"),
        ({"localization": [[5, 0]]}, "localization must have positive integers"),
        ({"output_size": [28]}, r"output_size must be \[height, width\]"),
        ({"image_size": [9, 17]}, "images of 17x9 pixels are too small .* at least 10x10"),
        ({"output_size": [9, 9]}, "images of 9x9 pixels are too small"),
    ],
)
def test_what_it_refuses(options, message):
    with pytest.raises(UserError, match=message):
        model(**options)
    assert model(image_size=[10, 10]).output["logits"].shape == (None, 3)
