"""Spatial transformers: they start as the identity, and learn where to look."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.spatial.transformer import SpatialTransformer

TRANSFORMS = "affine", "projective", "thin_plate_spline"


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def numpy(x):
    return ops.convert_to_numpy(x)


def localization():
    return keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(13, activation="relu")])


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
@pytest.mark.parametrize(
    ("transform", "learnable"), [*((name, False) for name in TRANSFORMS), (TRANSFORMS[2], True)]
)
def test_it_starts_as_the_identity(transform, learnable, policy):
    layer = SpatialTransformer(
        localization(), transform, grid_size=(3, 5), learnable_grid=learnable, dtype=policy
    )
    image = draw(3, 11, 7, 2)
    tolerance = 1e-5 if policy == "float32" else 1e-2
    np.testing.assert_allclose(numpy(layer(image)), image, atol=tolerance)
    assert not layer.kernel.numpy().any()


def test_the_output_size_shows_the_whole_image_in_as_many_pixels():
    image = np.tile(np.arange(8.0)[:, None, None], (1, 1, 4, 1)).astype("float32")
    y = numpy(SpatialTransformer(localization(), output_size=(4, 2))(image))
    np.testing.assert_allclose(y[0, :, 0, 0], [0.5, 2.5, 4.5, 6.5], atol=1e-5)
    assert y.shape == (1, 4, 2, 1)


@pytest.mark.parametrize(("transform", "count"), list(zip(TRANSFORMS, (6, 8, 30), strict=True)))
def test_weights_come_in_the_order_of_the_docstring(transform, count):
    layer = SpatialTransformer(
        localization(), transform, grid_size=(3, 5), learnable_grid=count == 30
    )
    layer(draw(1, 3, 5, 2))
    own = [(13, count), (count,), *([(15, 2)] if count == 30 else [])]
    assert [w.shape for w in layer.weights] == [*own, (30, 13), (13,)]
    assert {w.dtype for w in layer.weights[: len(own)]} == {"float32"}


def test_a_shift_is_a_shift():
    """b = (1, 0, 2/5, 0, 1, 0) looks one pixel of five further to the right."""
    layer, image = SpatialTransformer(localization()), draw(2, 3, 5, 2)
    layer.build(image.shape)
    layer.bias.assign([1, 0, 2 / 5, 0, 1, 0])
    y = numpy(layer(image))
    np.testing.assert_allclose(y[:, :, :-1], image[:, :, 1:], rtol=1e-6, atol=2e-6)
    np.testing.assert_allclose(y[:, :, -1], 0, rtol=1e-6, atol=2e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_it_learns_to_look_at_what_is_elsewhere(transform):
    """A blob away from the centre is to appear in the centre."""
    columns, rows = np.meshgrid(np.linspace(-1, 1, 12), np.linspace(-1, 1, 12))

    def blob(at_x, at_y):
        distance = (columns - at_x) ** 2 + (rows - at_y) ** 2
        return np.exp(-4 * distance).astype("float32")[None, :, :, None]

    image, wanted = blob(0.4, -0.3), blob(0, 0)
    layer = SpatialTransformer(
        localization(), transform, grid_size=(2, 2), learnable_grid=transform == TRANSFORMS[2]
    )
    model = keras.Sequential([keras.Input((12, 12, 1)), layer])
    model.compile(keras.optimizers.Adam(0.02), "mse")
    before = model.evaluate(image, wanted, verbose=0)
    many = [np.repeat(x, 60, axis=0) for x in (image, wanted)]
    model.fit(*many, batch_size=1, verbose=0)
    assert model.evaluate(image, wanted, verbose=0) < 0.05 * before


def test_bad_arguments_name_themselves():
    for arguments, message in [
        ({"transform": "rigid"}, "transform must be one of affine, projective, .*'rigid'"),
        ({"output_size": (3, 0)}, r"output_size must be two integers .* received \(3, 0\)"),
        ({"grid_size": (1, 4)}, r"grid_size must be two integers .* received \(1, 4\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            SpatialTransformer(localization(), **arguments)
    with pytest.raises(ValueError, match="learnable_grid requires transform='thin_plate_spline'"):
        SpatialTransformer(localization(), learnable_grid=True)(draw(1, 3, 5, 2))
    with pytest.raises(ValueError, match=r"localization must return \(B, F\)"):
        SpatialTransformer(keras.layers.Identity())(draw(1, 3, 5, 2))
    with pytest.raises(ValueError, match="output_size is required if the height"):
        pooling = keras.layers.GlobalAveragePooling2D()
        SpatialTransformer(pooling)(keras.Input((None, 5, 2)))


@pytest.mark.thorough
@pytest.mark.parametrize("jit_compile", [False, True])
def test_several_in_parallel_and_in_depth_train_together(jit_compile):
    """Jaderberg et al. 2015, section 3.3: anywhere in a network, and any number of them."""
    image = keras.Input((11, 7, 2))
    heads = [SpatialTransformer(localization(), name=f"head_{i}") for i in range(2)]
    x = ops.concatenate([head(image) for head in heads], axis=-1)
    x = keras.layers.Conv2D(3, 3, activation="relu")(x)
    x = SpatialTransformer(localization(), "thin_plate_spline", output_size=(5, 3), name="deep")(x)
    model = keras.Model(image, keras.layers.Dense(2)(keras.layers.Flatten()(x)))
    model.compile(keras.optimizers.SGD(0.02), "mse", jit_compile=jit_compile)
    own = [model.get_layer(name) for name in ("head_0", "head_1", "deep")]
    before = [numpy(layer.bias).copy() for layer in own]
    x, y = draw(13, 11, 7, 2), draw(13, 2, seed=2)
    losses = [model.train_on_batch(x, y) for _ in range(9)]
    assert np.isfinite(losses).all() and losses[-1] < losses[0]
    moved = [np.abs(numpy(layer.bias) - old).max() for layer, old in zip(own, before, strict=True)]
    assert min(moved) > 1e-5, moved
    # Two that look at one image learn to look elsewhere each.
    assert np.abs(numpy(own[0].bias) - numpy(own[1].bias)).max() > 1e-6
