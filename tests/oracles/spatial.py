"""Grids, sampling and spatial transformers in NumPy float64, from the papers' formulas."""

import numpy as np


def plane(size, align_corners=False):
    """(H, W, 3): x, y and 1 of each pixel."""
    height, width = size

    def places(count):
        if align_corners:
            return np.linspace(-1, 1, count) if count > 1 else np.zeros(1)
        return (np.arange(count) + 0.5) * 2 / count - 1

    x, y = np.meshgrid(places(width), places(height))
    return np.stack([x, y, np.ones_like(x)], axis=-1)


def affine_grid(theta, size, align_corners=False):
    return np.einsum("bij,hwj->bhwi", theta, plane(size, align_corners))


def projective_grid(theta, size, align_corners=False):
    moved = affine_grid(theta, size, align_corners)
    return moved[..., :2] / moved[..., 2:]


def thin_plate_spline_grid(control, moved, size, align_corners=False):
    """Weights and plane of each spline from the system of its interpolation conditions."""

    def kernel(points):
        r = np.linalg.norm(points[:, None] - control[None], axis=-1)
        return np.where(r > 0, r**2 * np.log(np.where(r > 0, r, 1)), 0)

    count = len(control)
    system = np.zeros((count + 3, count + 3))
    system[:count, :count] = kernel(control)
    system[:count, count:] = np.column_stack([control, np.ones(count)])
    system[count:, :count] = system[:count, count:].T
    pixels = plane(size, align_corners).reshape(-1, 3)
    grids = []
    for points in moved:
        solved = np.linalg.solve(system, np.concatenate([points, np.zeros((3, 2))]))
        at_pixels = kernel(pixels[:, :2]) @ solved[:count] + pixels @ solved[count:]
        grids.append(at_pixels.reshape(*size, 2))
    return np.stack(grids)


def bilinear_sample(image, grid, align_corners=False):
    """Equation 5: the sum over all pixels, each weighted by its nearness along both axes."""
    height, width = image.shape[1:3]

    def nearness(place, count):
        if align_corners:
            position = (place + 1) * (count - 1) / 2
        else:
            position = ((place + 1) * count - 1) / 2
        return np.maximum(0, 1 - np.abs(position[..., None] - np.arange(count)))

    columns, rows = nearness(grid[..., 0], width), nearness(grid[..., 1], height)
    return np.einsum("bnmc,bhwn,bhwm->bhwc", image, rows, columns)


def sample_gradients(image, grid, upstream, align_corners=False):
    """Equations 6 and 7: of the image (B, H, W, C) and the grid (B, h, w, 2)."""
    size = np.array(image.shape[1:3])[::-1]  # width, height
    scale = (size - 1) / 2 if align_corners else size / 2
    positions = (grid + 1) * scale - (0 if align_corners else 0.5)
    x, y = (
        positions[..., i, None] - np.arange(size[i]) for i in range(2)
    )  # (B, h, w, W) and (B, h, w, H)
    by_x, by_y = np.maximum(0, 1 - np.abs(x)), np.maximum(0, 1 - np.abs(y))
    of_image = np.einsum("bhwc,bhwn,bhwm->bnmc", upstream, by_y, by_x)

    def toward(distance):
        return np.where(np.abs(distance) >= 1, 0, np.where(distance <= 0, 1, -1))

    of_x = np.einsum("bhwc,bnmc,bhwn,bhwm->bhw", upstream, image, by_y, toward(x))
    of_y = np.einsum("bhwc,bnmc,bhwn,bhwm->bhw", upstream, image, toward(y), by_x)
    return of_image, np.stack([of_x, of_y], axis=-1) * scale


def spatial_transformer(parameters, image, transform, size, control):
    if transform == "affine":
        grid = affine_grid(parameters.reshape(-1, 2, 3), size)
    elif transform == "projective":
        ninth = np.ones((len(parameters), 1))
        theta = np.concatenate([parameters, ninth], axis=1).reshape(-1, 3, 3)
        grid = projective_grid(theta, size)
    else:
        grid = thin_plate_spline_grid(control, parameters.reshape(-1, len(control), 2), size)
    return bilinear_sample(image, grid)
