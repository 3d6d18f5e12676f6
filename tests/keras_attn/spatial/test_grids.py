"""Grids: PyTorch's and SciPy's numbers, identities, and what each transformation keeps."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.spatial.grids import affine_grid, projective_grid, thin_plate_spline_grid
from tests.gradients import value_and_gradient
from tests.oracles import spatial as oracle

REFERENCE = Path(__file__).parents[2] / "references" / "spatial.npz"
CORNERS = {"corners": True, "edges": False}
SIZES = st.tuples(st.integers(1, 5), st.integers(1, 5))


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def numpy(x):
    return ops.convert_to_numpy(x)


def control_points(rows=3, columns=4):
    x, y = np.meshgrid(np.linspace(-1, 1, columns), np.linspace(-1, 1, rows))
    points = np.stack([x, y], axis=-1).reshape(-1, 2)
    return (points + 0.1 * draw(*points.shape)).astype("float32")


@pytest.mark.parametrize("corners", CORNERS)
def test_the_affine_grid_of_pytorch(corners):
    with np.load(REFERENCE) as reference:
        grid = affine_grid(reference["theta"], (4, 6), CORNERS[corners])
        np.testing.assert_allclose(numpy(grid), reference[f"{corners} grid"], rtol=1e-6, atol=1e-6)


def test_the_thin_plate_spline_of_scipy():
    with np.load(REFERENCE) as reference:
        control, moved = reference["control"], reference["moved"]
        grid = thin_plate_spline_grid(control, moved, (4, 5), align_corners=True)
        np.testing.assert_allclose(numpy(grid), reference["spline"], atol=5e-6)


@settings(max_examples=8, deadline=None)
@given(size=SIZES, align_corners=st.booleans(), seed=st.integers(0, 99))
def test_any_size(size, align_corners, seed):
    options = {"size": size, "align_corners": align_corners}
    theta = np.eye(3, dtype="float32") + 0.2 * draw(3, 3, 3, seed=seed)
    for function, expected in [
        (affine_grid, oracle.affine_grid(theta[:, :2], **options)),
        (projective_grid, oracle.projective_grid(theta, **options)),
    ]:
        grid = function(theta[:, :2] if function is affine_grid else theta, **options)
        scale = max(1, np.abs(expected).max())
        np.testing.assert_allclose(numpy(grid), expected, atol=1e-5 * scale)
    control = control_points()
    moved = control + 0.3 * draw(3, *control.shape, seed=seed)
    expected = oracle.thin_plate_spline_grid(control, moved, **options)
    grid = thin_plate_spline_grid(control, moved, **options)
    np.testing.assert_allclose(numpy(grid), expected, atol=1e-5)


def test_places_of_pixels_by_hand():
    identity = np.eye(2, 3)[None]
    grid = numpy(affine_grid(identity, (1, 4)))
    np.testing.assert_allclose(grid[0, 0], [[-0.75, 0], [-0.25, 0], [0.25, 0], [0.75, 0]])
    grid = numpy(affine_grid(identity, (3, 1), align_corners=True))
    np.testing.assert_allclose(grid[0, :, 0], [[0, -1], [0, 0], [0, 1]])


def test_a_projection_without_perspective_is_affine():
    theta = draw(3, 3, 3)
    theta[:, 2] = [0, 0, 2]
    expected = affine_grid(theta[:, :2] / 2, (5, 7))
    np.testing.assert_allclose(
        numpy(projective_grid(theta, (5, 7))), numpy(expected), rtol=1e-6, atol=1e-6
    )


def test_the_horizon_is_finite():
    theta = np.array([[[1, 0, 0], [0, 1, 0], [1, 0, 0]]], "float32")  # x = 0 lies on it
    value, gradient = value_and_gradient(
        lambda theta: ops.sum(projective_grid(theta, (3, 3), align_corners=True)), theta
    )
    assert np.isfinite(value) and np.isfinite(gradient).all()


def test_control_points_go_where_they_are_moved():
    """The map interpolates; with control points on pixels the grid itself shows it."""
    x, y = np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 1.0])
    control = np.stack([x, y], axis=-1).reshape(-1, 2)
    moved = control + 0.3 * draw(2, 6, 2)
    grid = numpy(thin_plate_spline_grid(control, moved, (2, 3), align_corners=True))
    np.testing.assert_allclose(grid.reshape(2, 6, 2), moved, rtol=1e-6, atol=2e-6)


def test_control_points_moved_by_an_affine_map_move_all_by_it():
    control, theta = control_points(), draw(3, 2, 3)
    ones = np.ones((len(control), 1))
    moved = np.einsum("bij,kj->bki", theta, np.concatenate([control, ones], axis=1))
    grid = thin_plate_spline_grid(control, moved, (5, 7))
    np.testing.assert_allclose(numpy(grid), numpy(affine_grid(theta, (5, 7))), atol=1e-5)


@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("of", ["control", "moved"])
def test_gradients_of_a_thin_plate_spline(of, xla):
    """A control point that lies on a pixel, where the distance is zero, among them."""
    control = control_points()
    control[5] = [0.5, 0.0]  # of pixel (0, 1) in a row of two
    moved, upstream = control + 0.3 * draw(3, *control.shape), draw(3, 1, 2, 2)
    given = {"control": control, "moved": moved}

    def loss(function, values):
        return (function(**(given | {of: values}), size=(1, 2)) * upstream).sum()

    _, gradient = value_and_gradient(
        lambda v: ops.sum(thin_plate_spline_grid(**(given | {of: v}), size=(1, 2)) * upstream),
        given[of],
        jit_compile=xla,
    )
    for seed in range(3):
        step = 1e-6 * draw(*given[of].shape, seed=seed).astype("float64")
        up, down = (loss(oracle.thin_plate_spline_grid, given[of] + s) for s in (step, -step))
        np.testing.assert_allclose((gradient * step).sum() / 1e-6, (up - down) / 2e-6, atol=1e-3)


def test_grids_are_float32_whatever_the_dtype_of_their_parameters():
    theta = ops.cast(np.eye(3)[None], "bfloat16")
    for grid in (affine_grid(theta[:, :2], (2, 257)), projective_grid(theta, (2, 257))):
        places = numpy(grid)[0, 0, :, 0]
        assert places.dtype == np.float32
        np.testing.assert_allclose(np.diff(places), 2 / 257, rtol=1e-6, atol=1e-6)


def test_too_few_control_points():
    with pytest.raises(ValueError, match="control must have at least three points; received 2"):
        thin_plate_spline_grid(np.eye(2), np.eye(2)[None], (2, 2))
