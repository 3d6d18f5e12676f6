"""The distortions of digits: points go where the paper says."""

import numpy as np
import pytest

from benchmarks.distorted_mnist import KINDS, distorted, homographies, warped_affine

SIZES = {"R": 28, "RTS": 42, "P": 42, "E": 28, "C": 60}


def digits(count=7):
    actual = np.zeros((count, 28, 28), np.uint8)
    actual[:, 6:22, 10:18] = 200
    actual[:, 6:10, 18:22] = 100
    return actual


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_and_the_seed(kind):
    actual = distorted(kind, digits(), seed=1)
    assert actual.shape == (7, SIZES[kind], SIZES[kind]) and actual.dtype == np.uint8
    np.testing.assert_array_equal(actual, distorted(kind, digits(), seed=1))
    assert not np.array_equal(actual, distorted(kind, digits(), seed=2))
    assert (actual.reshape(7, -1).max(axis=1) > 150).all()  # the digit is still there


def test_a_quarter_turn():
    actual = warped_affine(digits(2), np.array([90.0, -90.0]), 1, 0, 28)
    np.testing.assert_allclose(actual[0].astype(int), np.rot90(digits(1)[0]), atol=1)
    np.testing.assert_allclose(actual[1].astype(int), np.rot90(digits(1)[0], -1), atol=1)


def test_a_place_and_a_scale():
    actual = warped_affine(digits(1), np.zeros(1), np.ones(1), np.array([[0.5], [-0.5]]), 42)
    expected = np.zeros((42, 42))
    expected[:28, 14:] = digits(1)[0]
    np.testing.assert_allclose(actual[0].astype(int), expected, atol=1)
    half = warped_affine(digits(1), np.zeros(1), np.full(1, 0.5), np.zeros((2, 1)), 28)
    assert half[0][:7].sum() == 0 and half[0][14, 14] == 200


def test_four_points_determine_a_projection():
    random = np.random.default_rng(3)
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    points = corners + random.normal(scale=0.2, size=(5, 4, 2))
    images = corners + random.normal(scale=0.2, size=(5, 4, 2))
    with_ones = np.concatenate([points, np.ones((5, 4, 1))], axis=2)
    actual = np.einsum("bij,bpj->bpi", homographies(points, images), with_ones)
    np.testing.assert_allclose(actual[..., :2] / actual[..., 2:], images, atol=1e-9)
