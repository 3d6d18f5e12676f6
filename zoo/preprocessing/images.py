"""Images as the model takes them: of one size, with one or three channels."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import tensorflow as tf

from zoo.data.images.arrays import as_pixels
from zoo.data.images.content import content_of
from zoo.data.images.decode import decode, fit, with_channels
from zoo.data.images.folders import check_files
from zoo.data.images.header import Shape
from zoo.data.readers.npz import read_arrays
from zoo.data_statistics import Statistics, record
from zoo.errors import UserError, damage
from zoo.json_file import read_json, write_json
from zoo.option_names import option_name
from zoo.preprocessing.base import BATCH, Features, Preprocessor, TensorSpec

IMAGE, BYTES = "image", "image_bytes"
CONFIG, SAMPLE = "images.json", "sample.npz"
SAMPLE_SIZE = 8  # number of images to verify artifacts with
SAMPLES = 8  # number of batches to measure the agreement of two models
MOST = 4096  # pixels of the largest height and width


class ImagePreprocessor(Preprocessor):
    """Fits images to the size of the model. Artifacts take them in this size, or encoded.

    Args:
        shape: Height, width and channels of the model's images.
        sample: Some images of the training data (N, H, W, C), to verify artifacts with.
    """

    feature_signature: ClassVar[str] = "pixels"
    subfolder: ClassVar[str] = "images"

    def __init__(self, shape: Shape, sample: np.ndarray) -> None:
        self.shape, self.sample = shape, sample
        what = "a gray image" if shape.channels == 1 else "a color image, red, green and blue"
        meaning = f"{what}, with numbers from 0 to 255"
        self.features = {IMAGE: TensorSpec((BATCH, *shape), "float32", None, meaning)}
        self.inputs = self.features
        meaning = "the bytes of a PNG or JPEG file"
        self.encoded = {BYTES: TensorSpec((BATCH,), "string", None, meaning)}

    @classmethod
    def of(cls, shape: Shape, images: Sequence[Any]) -> Self:
        """The preprocessor for images of a shape.

        Args:
            shape: Height, width and channels.
            images: The images to learn from; some are kept, to verify artifacts with.
        """
        empty = cls(shape, np.zeros((0, *shape), np.uint8))
        indices = np.linspace(0, len(images) - 1, min(SAMPLE_SIZE, len(images))).astype(int)
        sample = np.stack([empty.fitted(images[index]) for index in indices])
        return cls(shape, sample.round().astype(np.uint8))

    def __call__(self, **inputs: Any) -> Features:
        return inputs

    def decode(self, **inputs: Any) -> Features:
        """Converts a batch of encoded images to features."""

        def one(content: Any) -> Any:
            return fit(decode(content, self.shape.channels), self.shape)

        content = inputs[BYTES]
        return {IMAGE: tf.map_fn(one, content, fn_output_signature=tf.float32)}

    def read(self, inputs: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        images = inputs[IMAGE]
        self._check_files([Path(image) for image in images if isinstance(image, str)])
        return {IMAGE: self.all_fitted(images)}

    def all_fitted(self, images: Sequence[Any]) -> np.ndarray:
        """Several images as one array (B, H, W, C); the log counts those that are resized."""
        pairs = [self._fitted(image) for image in images]
        resized = sum(resized for _, resized in pairs)
        record(Statistics({f"images resized to {self.size}": resized}))
        return np.stack([x for x, _ in pairs]) if pairs else np.zeros((0, *self.shape), np.float32)

    def fitted(self, image: Any) -> np.ndarray:
        """One image in the size of the model, float32 (H, W, C) from 0 to 255.

        Args:
            image: The path of a file, or pixels (h, w, C).
        """
        return self._fitted(image)[0]

    def _fitted(self, image: Any) -> tuple[np.ndarray, bool]:
        """One image in the size of the model, and whether it had another one."""
        if isinstance(image, str):
            pixels = decode(content_of(Path(image)), self.shape.channels)
        else:
            pixels = with_channels(as_pixels(image, IMAGE), self.shape.channels)
        resized = tuple(pixels.shape[:2]) != self.shape[:2]
        return np.asarray(fit(pixels, self.shape) if resized else pixels, np.float32), resized

    @property
    def size(self) -> str:
        """Width and height, for messages."""
        return f"{self.shape.width}x{self.shape.height}"

    def _check_files(self, paths: Sequence[Path]) -> None:
        pairs = zip(paths, check_files(paths), strict=True)
        if bad := [(path, why) for path, why in pairs if isinstance(why, str)]:
            (path, reason), *_ = bad
            raise UserError(f"{path}: {reason}")

    def check_litert(self) -> None:
        raise UserError("LiteRT cannot decode images: its files take pixels")

    def save(self, folder: Path) -> None:
        """Writes the preprocessor to a folder."""
        write_json(folder / CONFIG, self.facts())
        np.savez_compressed(folder / SAMPLE, sample=self.sample)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote.

        Raises:
            UserError: If a file is missing or damaged.
        """
        path = folder / CONFIG
        with damage(path):
            facts = read_json(path, dict)
            shape = Shape(*(int(facts[name]) for name in Shape._fields))
            if not (0 < min(shape) and max(shape[:2]) <= MOST and shape.channels in (1, 3)):
                raise ValueError(f"no shape of images: {tuple(shape)}")
        sample = read_arrays(folder / SAMPLE).get("sample", np.empty(0))
        if sample.shape[1:] != shape or sample.dtype != np.uint8:
            raise UserError(f"{folder / SAMPLE} is damaged: restore it, or train again.")
        return cls(shape, sample)

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to go on: the shape of images."""
        return self.shape._asdict()

    def probes(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        random = np.random.default_rng(0)
        odd = np.stack([np.zeros(self.shape), np.full(self.shape, 255.0)])
        noise = random.uniform(0, 255, (3, *self.shape))
        return [
            {IMAGE: np.asarray(x, np.float32)} for x in (self.sample, odd, noise, self.sample[:1])
        ]

    def samples(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        random = np.random.default_rng(1)
        samples = []
        for _ in range(SAMPLES):
            noise = random.normal(scale=8, size=self.sample.shape)
            samples.append({IMAGE: np.clip(self.sample + noise, 0, 255).astype(np.float32)})
        return samples

    def encoded_probes(self) -> list[dict[str, np.ndarray]]:
        """Encoded images to verify an artifact with, also of another size and format."""
        pixels = tf.cast(self.sample, tf.uint8)
        some = [tf.io.encode_png(image) for image in pixels[:3]]
        some += [tf.io.encode_jpeg(pixels[0]), tf.io.encode_png(pixels[0, :2, :3])]
        small = [tf.io.encode_png(pixels[0, :2, :2])]
        return [{BYTES: np.array([x.numpy() for x in each], object)} for each in (some, small)]


def size_of(text: str) -> tuple[int, int]:
    """Height and width from text such as 28x28.

    Raises:
        UserError: If it is none.

    Example:
        >>> size_of("40x30")
        (30, 40)
    """
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = map(int, match.groups()) if match else (0, 0)
    if not (0 < width <= MOST and 0 < height <= MOST):
        name = option_name("image_size")
        raise UserError(f"{name} must be WIDTHxHEIGHT, such as 28x28, got {text!r}")
    return height, width
