"""Bilinear sampling: PyTorch's numbers, the paper's gradients, edges, half precision."""

from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.spatial.grids import affine_grid
from keras_attn.spatial.sampler import bilinear_sample
from tests.gradients import value_and_gradient
from tests.oracles import spatial as oracle

REFERENCE = Path(__file__).parents[2] / "references" / "spatial.npz"
CORNERS = {"corners": True, "edges": False}


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def numpy(x):
    return ops.convert_to_numpy(x)


def gradients(image, grid, upstream, align_corners, xla=False):
    def loss(image, grid):
        return ops.sum(bilinear_sample(image, grid, align_corners) * upstream)

    of_image = value_and_gradient(lambda image: loss(image, grid), image, xla)[1]
    of_grid = value_and_gradient(lambda grid: loss(image, grid), grid, xla)[1]
    return of_image, of_grid


@pytest.mark.parametrize("corners", CORNERS)
def test_the_numbers_and_gradients_of_pytorch(corners):
    with np.load(REFERENCE) as file:
        reference = {name: file[name].astype("float32") for name in file}
    image, grid = reference["image"], reference[f"{corners} grid"]
    actual = bilinear_sample(image, grid, CORNERS[corners])
    np.testing.assert_allclose(numpy(actual), reference[f"{corners} sample"], atol=5e-6)
    upstream = reference[f"{corners} upstream"]
    of_image, of_grid = gradients(image, grid, upstream, CORNERS[corners])
    np.testing.assert_allclose(of_image, reference[f"{corners} gradient of image"], atol=2e-5)
    np.testing.assert_allclose(of_grid, reference[f"{corners} gradient of grid"], atol=5e-5)
    assert (reference[f"{corners} sample"] == 0).all(-1).any()  # some places lie outside
    assert np.abs(of_grid).max() > 0.1


@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("align_corners", [False, True])
def test_the_gradients_of_the_paper(align_corners, xla):
    image, grid, upstream = draw(2, 5, 7, 3), 0.7 * draw(2, 4, 6, 2), draw(2, 4, 6, 3, seed=2)
    actual = gradients(image, grid, upstream, align_corners, xla)
    wide = (v.astype("float64") for v in (image, grid, upstream))
    expected = oracle.sample_gradients(*wide, align_corners)
    for gradient, formula in zip(actual, expected, strict=True):
        np.testing.assert_allclose(gradient, formula, atol=5e-5)


@pytest.mark.parametrize("of", [0, 1])
def test_the_formulas_of_the_paper_are_the_slopes_of_the_samples(of):
    """The oracle of the gradients against finite differences of the oracle of the values."""
    inputs = [draw(2, 5, 7, 3).astype("float64"), 0.7 * draw(2, 4, 6, 2).astype("float64")]
    upstream = draw(2, 4, 6, 3, seed=2)
    gradient = oracle.sample_gradients(*inputs, upstream)[of]
    direction, losses = draw(*inputs[of].shape, seed=3), []
    for step in (1e-6, -1e-6):
        moved = [v + step * direction if i == of else v for i, v in enumerate(inputs)]
        losses.append((oracle.bilinear_sample(*moved) * upstream).sum())
    slope = (losses[0] - losses[1]) / 2e-6
    np.testing.assert_allclose((gradient * direction).sum(), slope, rtol=1e-6)


@settings(max_examples=10, deadline=None)
@given(
    size=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    align_corners=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_image_size(size, align_corners, seed):
    image, grid = draw(3, *size, 2, seed=seed), draw(3, 5, 7, 2, seed=seed + 1)
    expected = oracle.bilinear_sample(image, grid.astype("float64"), align_corners)
    actual = numpy(bilinear_sample(image, grid, align_corners))
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("align_corners", [False, True])
def test_the_identity_gives_the_image(align_corners):
    image = draw(3, 5, 7, 2)
    grid = affine_grid(np.tile(np.eye(2, 3), (3, 1, 1)), (5, 7), align_corners)
    actual = bilinear_sample(image, grid, align_corners)
    np.testing.assert_allclose(numpy(actual), image, rtol=1e-6, atol=2e-6)


def test_half_a_pixel_outside_is_half_the_pixel():
    image = np.array([[[[8.0]], [[4.0]]]], "float32")  # two rows of one pixel
    grid = np.array([[[[0, -1.0], [0, 1.0], [0, -1.5], [0, 1.4999]]]], "float32")
    actual = numpy(bilinear_sample(image, grid)).ravel()
    np.testing.assert_allclose(actual, [4.0, 2.0, 0.0, 0.0], atol=1e-3)


@pytest.mark.parametrize("far", [3.0, 1e9, 3e38, np.inf])
def test_far_outside_is_zero_and_finite(far):
    image = draw(1, 5, 7, 2)
    grid = np.array([[[[far, 0], [-far, 0], [0, far], [far, -far]]]], "float32")
    assert not numpy(bilinear_sample(image, grid)).any()
    if np.isfinite(far):
        of_image, of_grid = gradients(image, grid, draw(1, 1, 4, 2), False)
        assert not of_image.any() and not of_grid.any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_rounds_colours_and_not_places(dtype):
    """Pixel 500 of 1,000 is read as itself, though half precision has no such place."""
    image = ops.cast(np.tile(np.arange(1000) % 2, (1, 1, 1))[..., None], dtype)
    grid = affine_grid(np.eye(2, 3)[None], (1, 1000))
    actual = bilinear_sample(image, grid)
    assert keras.backend.standardize_dtype(actual.dtype) == dtype
    actual = numpy(ops.cast(actual, "float32")).ravel()
    np.testing.assert_allclose(actual, np.arange(1000) % 2, atol=1e-3)
