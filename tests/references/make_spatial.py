"""Writes spatial.npz: grids and samples of PyTorch, thin-plate splines of SciPy.

`python tests/references/make_spatial.py`, with torch and scipy installed. float64 throughout.
"""

from pathlib import Path

import numpy as np
import torch
from scipy.interpolate import RBFInterpolator
from torch.nn.functional import affine_grid, grid_sample


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


if __name__ == "__main__":
    torch.manual_seed(0)
    theta = torch.eye(2, 3, dtype=torch.float64) + 0.4 * draw(2, 2, 3)
    image = draw(2, 3, 5, 7)
    actual = {"theta": theta, "image": image.permute(0, 2, 3, 1)}
    for corners in (False, True):
        name = "corners" if corners else "edges"
        grid = affine_grid(theta, (2, 3, 4, 6), align_corners=corners)
        place, pixels = grid.clone().requires_grad_(), image.clone().requires_grad_()
        sample = grid_sample(pixels, place, "bilinear", "zeros", align_corners=corners)
        upstream = draw(*sample.shape)
        (sample * upstream).sum().backward()
        actual |= {
            f"{name} grid": grid,
            f"{name} sample": sample.detach().permute(0, 2, 3, 1),
            f"{name} upstream": upstream.permute(0, 2, 3, 1),
            f"{name} gradient of image": pixels.grad.permute(0, 2, 3, 1),
            f"{name} gradient of grid": place.grad,
        }
    actual = {name: value.numpy() for name, value in actual.items()}

    rows, columns = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 4), indexing="ij")
    random = np.random.default_rng(0)
    control = np.stack([columns, rows], axis=-1).reshape(-1, 2) + random.normal(size=(12, 2)) * 0.1
    moved = control + random.normal(size=(2, 12, 2)) * 0.2
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 4))
    points = np.stack([x, y], axis=-1).reshape(-1, 2)
    actual |= {"control": control, "moved": moved}
    actual["spline"] = np.stack(
        [
            RBFInterpolator(control, to, kernel="thin_plate_spline", degree=1)(points).reshape(
                4, 5, 2
            )
            for to in moved
        ]
    )
    np.savez_compressed(Path(__file__).with_name("spatial.npz"), **actual)
