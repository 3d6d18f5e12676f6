"""Angles of digits: MNIST's images, each rotated by an angle that is to be predicted.

    python -m benchmarks.digit_angles --mnist mnist/ --out angles/ --count 5000

Writes `train.npz` and `test.npz`, which `keras-attn train image-regressor` reads. Angles are drawn
uniformly from -45 to 45 degrees. A digit in MNIST is already slanted, as people write, so that its
angle cannot be known exactly.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.distorted_mnist import DIGIT, SPLITS, warped_affine
from zoo.data.images.idx import read_idx

LARGEST = 45  # degrees
TESTED = 1000


def write(mnist: Path, out: Path, count: int) -> None:
    """Writes both files to a folder, from the idx files of `mnist` and `count` training images."""
    out.mkdir(parents=True, exist_ok=True)
    for seed, (split, prefix) in enumerate(SPLITS.items()):
        number = count if split == "train" else TESTED
        digits = read_idx(mnist / f"{prefix}-images-idx3-ubyte.gz", (3,))[:number]
        angles = np.random.default_rng(seed).uniform(-LARGEST, LARGEST, len(digits))
        images = warped_affine(digits, angles, 1, 0, DIGIT)
        path = out / f"{split}.npz"
        np.savez_compressed(path, images=images, values=angles, names=["angle"])
        print(f"{path}: {len(images)} images")


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mnist", type=Path, required=True, help="folder with the idx files")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--count", type=int, default=5000, help="number of training images")
    given = parser.parse_args()
    write(given.mnist, given.out, given.count)


if __name__ == "__main__":
    main()
