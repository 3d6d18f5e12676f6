"""Bilinear sampling of images."""

from typing import Any

from keras import ops

from keras_attn.dense_only import dense_only


@dense_only
def bilinear_sample(image: Any, grid: Any, align_corners: bool = False) -> Any:
    """Samples an image at the points of a grid with bilinear interpolation.

    Points outside the image are zero. Coordinates are float32; the result has the dtype of the
    image.

    Source: Jaderberg et al. 2015, equations 5 to 7.
    Formula: `V_p = sum_nm U_nm max(0, 1 - |x_p - m|) max(0, 1 - |y_p - n|)`, with x_p and y_p in
        pixels: `((x + 1) W - 1) / 2`, or `(x + 1) (W - 1) / 2` with `align_corners`

    Args:
        image: Float tensor (B, H, W, C).
        grid: Float tensor (B, h, w, 2) of points (x, y), such as the result of `affine_grid`.
        align_corners: Whether -1 and 1 are the centers of the outermost pixels instead of their
            edges.

    Returns:
        Tensor (B, h, w, C) in the dtype of `image`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import bilinear_sample
        >>> image = ops.reshape(ops.arange(4.0), (1, 2, 2, 1))
        >>> grid = ops.array([[[[-1.0, -1.0], [0.0, 0.0], [9.0, 0.0]]]])
        >>> ops.convert_to_numpy(bilinear_sample(image, grid, align_corners=True)).ravel().tolist()
        [0.0, 1.5, 0.0]
    """
    image = ops.convert_to_tensor(image)
    batch, height, width, channels = ops.shape(image)
    if image.shape[0] == 0:  # on JAX, what is taken from an empty axis has another shape
        return ops.zeros((*ops.shape(grid)[:-1], channels), image.dtype)
    x, y = ops.unstack(ops.cast(grid, "float32"), 2, axis=-1)
    left, to_right = _pixel(x, width, align_corners)
    top, to_bottom = _pixel(y, height, align_corners)

    # Pads each image with a border of zeros, then puts all pixels of all images in one row: all
    # four neighbors of a point exist, and reading them is one gather each.
    framed = ops.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
    row = width + 2
    pixels = ops.reshape(framed, (-1, channels))
    first = ops.arange(batch, dtype="int32") * ((height + 2) * row)
    corner = ops.reshape(first, (-1, 1, 1)) + (top + 1) * row + left + 1

    def at(offset: Any) -> Any:
        return ops.take(pixels, corner + offset, axis=0)

    to_right, to_bottom = (
        ops.cast(ops.expand_dims(share, -1), image.dtype) for share in (to_right, to_bottom)
    )
    above = at(0) * (1 - to_right) + at(1) * to_right
    below = at(row) * (1 - to_right) + at(row + 1) * to_right
    return above * (1 - to_bottom) + below * to_bottom


def _pixel(coordinate: Any, size: Any, align_corners: bool) -> tuple[Any, Any]:
    """The pixel just before a coordinate, from -1 to size - 1, and the distance from that pixel."""
    last = ops.cast(size - 1, "float32")
    position = (coordinate * (last if align_corners else last + 1) + last) / 2
    # Clips far points to one pixel outside, where the image is zero and integers do not overflow.
    position = ops.minimum(ops.maximum(position, -1.0), last + 1)
    before = ops.minimum(ops.floor(position), last)
    return ops.cast(ops.stop_gradient(before), "int32"), position - ops.stop_gradient(before)
