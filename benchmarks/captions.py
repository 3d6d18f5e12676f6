"""Flickr8k for the captioner: writes a table for each split, and scores two baselines.

    python -m benchmarks.captions captions.jsonl --images images/ --out captions/

The table has, in each row, `image`, `split` and a list of `captions`. Writes `train.jsonl`,
`dev.jsonl` and `test.jsonl`, which `keras-attn train image-captioner` reads, and prints the scores
of two captioners without a model on the test images: one says the caption that is the most frequent
one of the training data, the other the first caption of the most similar training image.

Images are compared by the cosine of their features: the mean over the grid of a backbone with
`--backbone` and `--weights`, or without them the pixels of an image of 8x8.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from zoo.data.images.captions import CaptionedImages, read_captions
from zoo.data.images.header import Shape
from zoo.data_statistics import discarding
from zoo.metrics.texts import TextRows
from zoo.models.backbones import create_backbone, load_backbone, prepare
from zoo.preprocessing.images import IMAGE, ImagePreprocessor
from zoo.registry.metrics import CAPTIONS
from zoo.tasks.measuring import default_values

SPLITS = ("train", "dev", "test")
SIDE = 224  # of the images that a backbone takes
Features = Callable[[CaptionedImages], np.ndarray]


def write_splits(table: Path, out: Path) -> dict[str, Path]:
    """Writes the rows of each split to a table of its own."""
    rows = [json.loads(line) for line in table.read_text("utf-8").splitlines()]
    out.mkdir(parents=True, exist_ok=True)
    paths = {split: out / f"{split}.jsonl" for split in SPLITS}
    for split, path in paths.items():
        kept = [
            {"image": x["image"], "captions": x["captions"]} for x in rows if x["split"] == split
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
    return paths


def most_frequent(train: CaptionedImages) -> str:
    """The most frequent caption; the first of several."""
    return Counter(train.all_captions).most_common(1)[0][0]


def nearest(train: CaptionedImages, test: CaptionedImages, features: Features) -> list[str]:
    """The first caption of the training image that is the most similar to each test image."""
    known, asked = (_normalized(features(images)) for images in (train, test))
    return [train.captions[place][0] for place in (asked @ known.T).argmax(axis=1)]


def _normalized(features: np.ndarray) -> np.ndarray:
    centered = features - features.mean(axis=1, keepdims=True)
    return centered / np.maximum(np.linalg.norm(centered, axis=1, keepdims=True), 1e-9)


def thumbnails(images: CaptionedImages) -> np.ndarray:
    """The pixels of images of 8x8, (N, 192)."""
    return _pixels(images, 8).reshape(len(images), -1)


def features_of(name: str, weights: Path) -> Features:
    """The mean features over the grid of a backbone, (N, D)."""
    backbone = create_backbone(name, [SIDE, SIDE], 3, [])
    load_backbone(backbone, weights)

    def features(images: CaptionedImages) -> np.ndarray:
        prepared = prepare(name, _pixels(images, SIDE))
        return backbone.predict(prepared, verbose=0).mean(axis=(1, 2))

    return features


def _pixels(images: CaptionedImages, side: int) -> np.ndarray:
    preprocessor = ImagePreprocessor(Shape(side, side, 3), np.empty(0))
    with discarding():  # how many images were resized
        return preprocessor.read({IMAGE: images.images})[IMAGE]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, help="JSONL with image, split and captions")
    parser.add_argument("--images", required=True, help="folder of the images")
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables to write")
    parser.add_argument("--backbone", help="backbone to compare images with")
    parser.add_argument("--weights", type=Path, help="file of its weights")
    options = parser.parse_args()
    paths = write_splits(options.table, options.out)
    train, test = (read_captions(paths[part], images=options.images) for part in ("train", "test"))
    features = features_of(options.backbone, options.weights) if options.backbone else thumbnails
    said = {
        "most frequent caption": [most_frequent(train)] * len(test),
        "nearest neighbor": nearest(train, test, features),
    }
    for name, found in said.items():
        rows = TextRows(test.captions, found)
        scores = default_values({CAPTIONS: lambda rows=rows: rows})
        shown = "  ".join(f"{key} {value:.1f}" for key, value in scores.items())
        print(f"{name}: {shown}  ({found[0]!r})")


if __name__ == "__main__":
    main()
