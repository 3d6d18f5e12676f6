"""Cards of digits: three of MNIST's images side by side, of which each digit is a label.

    python -m benchmarks.digit_cards --mnist mnist/ --out cards/ --count 4000

Writes `train.npz` and `test.npz` for `keras-attn train image-classifier --multi-label`: images of
28x84 pixels, and the digits on them, one to three different ones. No image of a digit is on two
cards.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.distorted_mnist import DIGIT, SPLITS
from zoo.data.images.idx import read_idx

SIDE_BY_SIDE = 3
TESTED = 1000


def write(mnist: Path, out: Path, count: int) -> None:
    """Writes both files to a folder, from the idx files of `mnist` and `count` training cards."""
    out.mkdir(parents=True, exist_ok=True)
    for split, prefix in SPLITS.items():
        digits, labels = (
            read_idx(mnist / f"{prefix}-{what}-idx{axes}-ubyte.gz", (axes,))
            for what, axes in (("images", 3), ("labels", 1))
        )
        number = count if split == "train" else TESTED
        shown = digits[: number * SIDE_BY_SIDE].reshape(number, SIDE_BY_SIDE, DIGIT, DIGIT)
        images = np.concatenate([*np.moveaxis(shown, 1, 0)], axis=2)
        own = labels[: number * SIDE_BY_SIDE].reshape(number, SIDE_BY_SIDE)
        has = (own[:, :, None] == np.arange(10)).any(axis=1)
        path = out / f"{split}.npz"
        np.savez_compressed(path, images=images, labels=has, classes=[str(d) for d in range(10)])
        print(f"{path}: {len(images)} images")


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mnist", type=Path, required=True, help="folder with the idx files")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--count", type=int, default=4000, help="number of training images")
    given = parser.parse_args()
    write(given.mnist, given.out, given.count)


if __name__ == "__main__":
    main()
