"""Sampling grids: the point of the input image from which each output pixel is sampled.

A grid (B, H, W, 2) holds the point (x, y) of each pixel; x runs from -1 at the left edge to 1 at
the right edge, y from top to bottom. With `align_corners`, -1 and 1 are the centers of the
outermost pixels, otherwise their outer edges. Grids are float32, because half precision cannot
distinguish neighboring pixels of a large image.
"""

from typing import Any

import numpy as np
from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.functional.dense import dense


@dense_only
def affine_grid(theta: Any, size: tuple[int, int], align_corners: bool = False) -> Any:
    """Sampling grid of an affine transformation: translation, scaling, rotation and shear.

    Source: Jaderberg et al. 2015, equation 1.
    Formula: `(x_s, y_s) = theta (x_t, y_t, 1)`

    Args:
        theta: Tensor (B, 2, 3).
        size: Height and width of the grid, in pixels.
        align_corners: Whether -1 and 1 are the centers of the outermost pixels instead of their
            edges.

    Returns:
        float32 tensor (B, H, W, 2).

    Example:
        >>> from keras import ops
        >>> from keras_attn import affine_grid
        >>> shifted = affine_grid([[[1.0, 0.0, 0.25], [0.0, 1.0, 0.0]]], size=(1, 2))
        >>> ops.convert_to_numpy(shifted).tolist()
        [[[[-0.25, 0.0], [0.75, 0.0]]]]
    """
    x, y = _plane(size, align_corners)
    a, b, c, d, e, f = _coefficients(theta, 6)
    # Not a matrix product, which a GPU may round and quantization would.
    return ops.stack([a * x + b * y + c, d * x + e * y + f], axis=-1)


@dense_only
def projective_grid(theta: Any, size: tuple[int, int], align_corners: bool = False) -> Any:
    """Sampling grid of a projective transformation: affine, plus perspective.

    Source: Jaderberg et al. 2015, section 3.2 (the projective transformation).
    Formula: `(x_s, y_s) = (x', y') / z'` with `(x', y', z') = theta (x_t, y_t, 1)`; z' is moved
        away from zero to an absolute value of at least 1e-6

    Args:
        theta: Tensor (B, 3, 3).
        size: Height and width of the grid, in pixels.
        align_corners: Whether -1 and 1 are the centers of the outermost pixels instead of their
            edges.

    Returns:
        float32 tensor (B, H, W, 2).

    Example:
        >>> from keras import ops
        >>> from keras_attn import projective_grid
        >>> theta = [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 2.0]]]
        >>> ops.convert_to_numpy(projective_grid(theta, (1, 3), align_corners=True)).tolist()
        [[[[-1.0, 0.0], [0.0, 0.0], [0.3333333432674408, 0.0]]]]
    """
    x, y = _plane(size, align_corners)
    a, b, c, d, e, f, g, h, i = _coefficients(theta, 9)
    depth = g * x + h * y + i
    least = ops.where(depth < 0, -1e-6, 1e-6)
    depth = ops.where(ops.abs(depth) < 1e-6, least, depth)
    return ops.stack([(a * x + b * y + c) / depth, (d * x + e * y + f) / depth], axis=-1)


@dense_only
def thin_plate_spline_grid(
    control: Any, moved: Any, size: tuple[int, int], align_corners: bool = False
) -> Any:
    """Sampling grid of a thin-plate spline: the smoothest map that moves given control points.

    Source: Jaderberg et al. 2015, section 3.2; Bookstein 1989, equations 1 to 5.
    Formula: `(x_s, y_s) = p A + sum_k w_k U(|p - c_k|)` with p = (1, x_t, y_t), `U(r) = r^2 log r`,
        and A and w such that the map takes c_k to the moved c_k, `sum_k w_k = 0` and
        `sum_k w_k c_k = 0`

    Args:
        control: Tensor (K, 2), the control points (x, y) on the grid: at least three distinct
            points that are not all on a line.
        moved: Tensor (B, K, 2), the point of the image that each control point is mapped to.
        size: Height and width of the grid, in pixels.
        align_corners: Whether -1 and 1 are the centers of the outermost pixels instead of their
            edges.

    Returns:
        float32 tensor (B, H, W, 2).

    Raises:
        ValueError: If there are fewer than three control points.

    Example:
        >>> import numpy as np
        >>> from keras import ops
        >>> from keras_attn import thin_plate_spline_grid
        >>> corners = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
        >>> grid = thin_plate_spline_grid(corners, corners[None] / 2, (2, 2), align_corners=True)
        >>> ops.convert_to_numpy(grid).round(3).tolist()
        [[[[-0.5, -0.5], [0.5, -0.5]], [[-0.5, 0.5], [0.5, 0.5]]]]
    """
    control, moved = ops.cast(control, "float32"), ops.cast(moved, "float32")
    count = control.shape[0]
    if count < 3:
        raise ValueError(f"control must have at least three points; received {count}.")
    pixels = ops.reshape(ops.stack(_plane(size, align_corners), axis=-1), (-1, 2))
    system = ops.concatenate(
        [
            ops.concatenate([_bending(control, control), _affine(control)], axis=1),
            ops.concatenate([ops.transpose(_affine(control)), ops.zeros((3, 3))], axis=1),
        ],
        axis=0,
    )
    reach = ops.concatenate([_bending(pixels, control), _affine(pixels)], axis=1)
    # The map is linear in the moved points. The system is symmetric and depends only on the control
    # points, so the coefficients of the moved points are constants in an exported file.
    shares = ops.transpose(ops.solve(system, ops.transpose(reach))[:count])  # (H W, K)
    # One product of two matrices: oneDNN's product of a matrix and a batch of matrices has been
    # observed to write out of bounds.
    grid = dense(ops.transpose(moved, (0, 2, 1)), ops.transpose(shares))  # (B, 2, H W)
    return ops.reshape(ops.transpose(grid, (0, 2, 1)), (-1, *size, 2))


def _plane(size: tuple[int, int], align_corners: bool) -> tuple[Any, Any]:
    """x and y of each pixel of an image of this size, both (H, W)."""

    def coordinates(count: int) -> np.ndarray:
        spread = max(count - 1, 1) if align_corners else count
        return (2 * np.arange(count) - (count - 1)) / spread

    height, width = size
    x, y = np.meshgrid(coordinates(width), coordinates(height))
    return ops.convert_to_tensor(x, "float32"), ops.convert_to_tensor(y, "float32")


def _coefficients(theta: Any, count: int) -> list:
    """The entries of a batch of matrices, (B, 1, 1) each."""
    theta = ops.reshape(ops.cast(theta, "float32"), (-1, count, 1, 1))
    return ops.unstack(theta, count, axis=1)


def _affine(points: Any) -> Any:
    """Prepends a one to x and y: (P, 2) to (P, 3)."""
    return ops.concatenate([ops.ones((points.shape[0], 1)), points], axis=1)


def _bending(points: Any, control: Any) -> Any:
    """U of the distance from each of the points (P, 2) to each control point, (P, K)."""
    apart = ops.expand_dims(points, 1) - ops.expand_dims(control, 0)
    squares = ops.sum(apart * apart, axis=-1)
    return 0.5 * squares * ops.log(ops.where(squares > 0, squares, 1.0))
