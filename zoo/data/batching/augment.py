"""Random shifts, rotations and mirror images, from a seed."""

import math
from dataclasses import dataclass
from typing import Any

import tensorflow as tf


@dataclass(frozen=True)
class Augmentation:
    """Random changes of images, each drawn evenly from its range.

    Formula: output pixel p, from the center of the image, shows the input at
        `R(a) S p + t` with R the rotation by a, S the mirror image or the identity, and t the
        shift; bilinear, 0 outside of the image

    Args:
        shift: Largest shift, as a fraction of the height and of the width.
        rotation: Largest rotation in either direction, in degrees.
        flip: Whether to mirror half of the images.

    Example:
        >>> images = tf.reshape(tf.range(6.0), (1, 2, 3, 1))
        >>> Augmentation()(images, seed=(1, 2))[0, :, :, 0].numpy().tolist()
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    """

    shift: float = 0.0
    rotation: float = 0.0
    flip: bool = False

    @property
    def changes(self) -> bool:
        """Whether there is anything to change."""
        return bool(self.shift or self.rotation or self.flip)

    def __call__(self, images: Any, seed: Any) -> Any:
        """Changes images.

        Args:
            images: float32 tensor (B, H, W, C).
            seed: Two integers; the same seed gives the same changes.
        """
        if not self.changes:
            return images
        transforms = self.transforms(tf.shape(images)[0], images.shape[1], images.shape[2], seed)
        return tf.raw_ops.ImageProjectiveTransformV3(
            images=images,
            transforms=transforms,
            output_shape=tf.shape(images)[1:3],
            fill_value=0.0,
            interpolation="BILINEAR",
            fill_mode="CONSTANT",
        )

    def transforms(self, count: Any, height: int, width: int, seed: Any) -> Any:
        """The projective transforms (count, 8) from output to input pixels."""
        seed = tf.convert_to_tensor(seed, tf.int64)
        draws = tf.random.stateless_uniform((count, 4), seed, -1.0, 1.0)
        angle = draws[:, 0] * (self.rotation * math.pi / 180)
        mirror = tf.where((draws[:, 1] < 0) & self.flip, -1.0, 1.0)
        cos, sin = tf.cos(angle), tf.sin(angle)
        a, b, d, e = cos * mirror, -sin, sin * mirror, cos
        x, y = (width - 1) / 2, (height - 1) / 2
        c = x - a * x - b * y + draws[:, 2] * self.shift * width
        f = y - d * x - e * y + draws[:, 3] * self.shift * height
        zero = tf.zeros_like(a)
        return tf.stack([a, b, c, d, e, f, zero, zero], axis=1)
