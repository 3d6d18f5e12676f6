"""Distorted MNIST: makes the training and test images of the paper from MNIST's idx files.

    python -m benchmarks.distorted_mnist --mnist mnist/ --kind R --out distorted/ --count 10000

Writes `R-train.npz` and `R-test.npz`, which `keras-attn train image-classifier` reads. KIND is R
(rotated), RTS (rotated, translated, scaled), P (projective), E (elastic) or C (translated among
clutter).

Source: Jaderberg et al. 2015, sections 4.1 and A.4; where it gives no size, as of the canvas of P
and E, the size is ours.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from keras_attn import affine_grid, bilinear_sample, projective_grid, thin_plate_spline_grid
from zoo.data.images.idx import read_idx

DIGIT = 28  # pixels
CHUNK = 500
PATCHES, PATCH = 16, 6  # number of pieces of clutter, and their size
SPLITS = {"train": "train", "test": "t10k"}
Random = np.random.Generator


def rotated(digits: np.ndarray, random: Random) -> np.ndarray:
    """R: rotated by up to 90 degrees in either direction."""
    return warped_affine(digits, random.uniform(-90, 90, len(digits)), 1, 0, DIGIT)


def rotated_translated_scaled(digits: np.ndarray, random: Random) -> np.ndarray:
    """RTS: rotated by up to 45 degrees, scaled by 0.7 to 1.2, anywhere on 42x42 pixels."""
    count, wide = len(digits), 42 / DIGIT
    scale = random.uniform(0.7, 1.2, count)
    place = random.uniform(-1, 1, (2, count)) * (wide - scale)
    return warped_affine(digits, random.uniform(-45, 45, count), scale, place, 42)


def warped_affine(
    digits: np.ndarray, degrees: np.ndarray, scale: np.ndarray | int, place: np.ndarray, size: int
) -> np.ndarray:
    """Digits that are scaled, rotated and put at a place (x, y), in halves of a digit."""
    angle, wide = np.radians(degrees), size / DIGIT
    cos, sin = np.cos(angle) / scale, np.sin(angle) / scale
    x, y = np.broadcast_to(place, (2, len(digits)))
    theta = [
        [wide * cos, -wide * sin, -cos * x + sin * y],
        [wide * sin, wide * cos, -sin * x - cos * y],
    ]
    return sampled(digits, affine_grid(np.moveaxis(np.array(theta), 2, 0), (size, size)))


def projected(digits: np.ndarray, random: Random) -> np.ndarray:
    """P: scaled by 0.75 to 1, each corner moved by a normal of 5 pixels, on 42x42 pixels."""
    count, wide = len(digits), 42 / DIGIT
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    scale = random.uniform(0.75, 1, (count, 1, 1))
    moved = corners * scale + random.normal(scale=5 * 2 / DIGIT, size=(count, 4, 2))
    theta = homographies(moved / wide, np.broadcast_to(corners, moved.shape))
    return sampled(digits, projective_grid(theta, (42, 42)))


def homographies(points: np.ndarray, images: np.ndarray) -> np.ndarray:
    """The matrices (B, 3, 3) that map four points to four others, both (B, 4, 2)."""
    count = len(points)
    (x, y), (u, v) = np.moveaxis(points, 2, 0), np.moveaxis(images, 2, 0)
    one, zero = np.ones_like(x), np.zeros_like(x)
    of_u = [x, y, one, zero, zero, zero, -u * x, -u * y]
    of_v = [zero, zero, zero, x, y, one, -v * x, -v * y]
    system = np.moveaxis(np.array([of_u, of_v]), (0, 1, 2, 3), (1, 3, 0, 2)).reshape(count, 8, 8)
    found = np.linalg.solve(system, np.stack([u, v], axis=1).reshape(count, 8, 1))[:, :, 0]
    return np.concatenate([found, np.ones((count, 1))], axis=1).reshape(count, 3, 3)


def elastic(digits: np.ndarray, random: Random) -> np.ndarray:
    """E: scaled by 0.75 to 1, each of 16 control points moved by a normal of 1.5 pixels."""
    count, line = len(digits), np.linspace(-1, 1, 4)
    control = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    scale = random.uniform(0.75, 1, (count, 1, 1))
    moved = control / scale + random.normal(scale=1.5 * 2 / DIGIT, size=(count, 16, 2))
    return sampled(digits, thin_plate_spline_grid(control, moved, (DIGIT, DIGIT)))


def cluttered(digits: np.ndarray, random: Random) -> np.ndarray:
    """C: anywhere on 60x60 pixels, among 16 patches of 6x6 pixels of other digits."""
    size, found = 60, np.zeros((len(digits), 60, 60), np.uint8)
    for image, digit in zip(found, digits, strict=True):
        y, x = random.integers(0, size - DIGIT + 1, 2)
        image[y : y + DIGIT, x : x + DIGIT] = digit
        for other in digits[random.integers(0, len(digits), PATCHES)]:
            (y, x), (v, u) = (random.integers(0, n - PATCH + 1, 2) for n in (size, DIGIT))
            piece = image[y : y + PATCH, x : x + PATCH]
            np.maximum(piece, other[v : v + PATCH, u : u + PATCH], out=piece)
    return found


KINDS: dict[str, Callable[[np.ndarray, Random], np.ndarray]] = {
    "R": rotated,
    "RTS": rotated_translated_scaled,
    "P": projected,
    "E": elastic,
    "C": cluttered,
}


def sampled(digits: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The digits at the points of a grid, as bytes (B, h, w)."""
    found = np.asarray(bilinear_sample(digits[..., None].astype("float32"), grid))
    return found[..., 0].round().astype(np.uint8)


def distorted(kind: str, digits: np.ndarray, seed: int) -> np.ndarray:
    """The images of a kind, which depend on the digits and on the seed."""
    chunks = range(0, len(digits), CHUNK)
    return np.concatenate(
        [
            KINDS[kind](digits[start : start + CHUNK], np.random.default_rng([seed, start]))
            for start in chunks
        ]
    )


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mnist", type=Path, required=True, help="folder with the idx files")
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--count", type=int, help="number of training images. Default: all.")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for seed, (split, prefix) in enumerate(SPLITS.items()):
        images, labels = (
            read_idx(given.mnist / f"{prefix}-{what}-idx{axes}-ubyte.gz", (axes,))
            for what, axes in (("images", 3), ("labels", 1))
        )
        count = given.count if split == "train" else None
        images, labels = images[:count], labels[:count]
        path = given.out / f"{given.kind}-{split}.npz"
        np.savez_compressed(path, images=distorted(given.kind, images, seed), labels=labels)
        print(f"{path}: {len(images)} images")


if __name__ == "__main__":
    main()
