"""A layer that learns how to transform an image."""

from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.checked import CheckedLayer
from keras_attn.functional.dense import dense
from keras_attn.spatial.grids import affine_grid, projective_grid, thin_plate_spline_grid
from keras_attn.spatial.sampler import bilinear_sample

TRANSFORMS = ("affine", "projective", "thin_plate_spline")


@keras.saving.register_keras_serializable(package="keras_attn")
class SpatialTransformer(CheckedLayer):
    """Spatial transformer: predicts a transformation from the image, and applies it to the image.

    It starts as the identity: the dense layer that predicts the parameters of the transformation is
    initialized with a zero kernel. That layer and the grid are float32 under every dtype policy.

    The weights, in order, are W (F, P) and b (P,), with `learnable_grid` the offsets of the control
    points from the regular grid (K, 2), and those of the localization network.

    Source: Jaderberg et al. 2015, section 3; thin-plate splines: Shi et al. 2016, section 3.1.
    Formula: `V = bilinear_sample(U, grid(f(U) W + b))` with f the localization network; the grid is
        affine (6 parameters), projective (8; the ninth entry is 1) or a thin-plate spline (x and y
        of the points that the K control points are mapped to)

    Args:
        localization: Layer or model from images (B, H, W, C) to features (B, F).
        transform: "affine", "projective" or "thin_plate_spline".
        output_size: Height and width of the output, in pixels. Defaults to those of the image.
        grid_size: Rows and columns of the control points of a thin-plate spline.
        learnable_grid: Whether the control points are learned, starting from a regular grid.

    Inputs: `image` (B, H, W, C).
    Outputs: (B, height, width, C).

    Raises:
        ValueError: If `transform` is unknown, a size is not two positive integers, `grid_size` is
            less than 2 by 2, `learnable_grid` is set for a transform without control points,
            `localization` does not return (B, F), or the size of the image is required and unknown.

    Example:
        >>> import keras
        >>> from keras import ops
        >>> from keras_attn import SpatialTransformer
        >>> layer = SpatialTransformer(keras.layers.Flatten(), "thin_plate_spline")
        >>> image = ops.reshape(ops.arange(12.0), (1, 2, 2, 3))
        >>> bool(ops.all(ops.isclose(layer(image), image, atol=1e-4)))
        True
    """

    axes: ClassVar[dict[str, str]] = {"image": "B H W C"}

    def __init__(
        self,
        localization: Any,
        transform: str = "affine",
        output_size: tuple[int, int] | None = None,
        grid_size: tuple[int, int] = (4, 4),
        learnable_grid: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if transform not in TRANSFORMS:
            choices = ", ".join(TRANSFORMS)
            raise ValueError(f"transform must be one of {choices}; received {transform!r}.")
        self.localization = localization
        self.transform = transform
        self.output_size = output_size and _two("output_size", output_size, at_least=1)
        self.grid_size = _two("grid_size", grid_size, at_least=2)
        self.learnable_grid = learnable_grid

    def build(self, image_shape: tuple) -> None:
        if self.learnable_grid and self.transform != "thin_plate_spline":
            raise ValueError(
                "learnable_grid requires transform='thin_plate_spline'; "
                f"received {self.transform!r}."
            )
        if not self.localization.built:
            self.localization.build(image_shape)
        features_shape = self.localization.compute_output_shape(image_shape)
        if len(features_shape) != 2:
            raise ValueError(f"localization must return (B, F); received {features_shape}.")
        if self.output_size is None and None in image_shape[1:3]:
            raise ValueError(
                "output_size is required if the height or width of the image is unknown; "
                f"received an image of shape {tuple(image_shape)}."
            )
        self._size = self.output_size or tuple(image_shape[1:3])
        rows, columns = self.grid_size
        x, y = np.meshgrid(np.linspace(-1, 1, columns), np.linspace(-1, 1, rows))
        self._regular = np.stack([x, y], axis=-1).reshape(-1, 2).astype("float32")
        identity = self._identity()
        of_float32: dict[str, Any] = {"dtype": "float32", "autocast": False}
        self.kernel = self.add_weight(
            (features_shape[-1], len(identity)), "zeros", name="kernel", **of_float32
        )
        self.bias = self.add_weight(
            identity.shape, lambda _, dtype: ops.cast(identity, dtype), name="bias", **of_float32
        )
        self.offset = None
        if self.learnable_grid:
            shape = self._regular.shape
            self.offset = self.add_weight(shape, "zeros", name="offset", **of_float32)

    def _identity(self) -> np.ndarray:
        if self.transform == "thin_plate_spline":
            return self._regular.ravel()
        return np.eye(3, dtype="float32").ravel()[: 6 if self.transform == "affine" else 8]

    def call(self, image: Any, training: bool | None = None) -> Any:
        return bilinear_sample(image, self.grid(image, training))

    def grid(self, image: Any, training: bool | None = None) -> Any:
        """Returns the sampling grid: the point of the image that each output pixel comes from.

        Args:
            image: Tensor (B, H, W, C).
            training: Whether the localization network runs in training mode.

        Returns:
            float32 tensor (B, height, width, 2), points (x, y) from -1 to 1.
        """
        features = ops.cast(self.localization(image, training=training), "float32")
        parameters = dense(features, self.kernel, self.bias)
        if self.transform == "affine":
            return affine_grid(ops.reshape(parameters, (-1, 2, 3)), self._size)
        if self.transform == "projective":
            ninth = ops.ones_like(parameters[:, :1])
            theta = ops.concatenate([parameters, ninth], axis=-1)
            return projective_grid(ops.reshape(theta, (-1, 3, 3)), self._size)
        control = self._regular if self.offset is None else self.offset + self._regular
        moved = ops.reshape(parameters, (-1, control.shape[0], 2))
        return thin_plate_spline_grid(control, moved, self._size)

    def compute_output_shape(self, image_shape: tuple) -> tuple:
        size = self.output_size or tuple(image_shape[1:3])
        return (image_shape[0], *size, image_shape[-1])

    def get_config(self) -> dict[str, Any]:
        config = {
            "localization": keras.saving.serialize_keras_object(self.localization),
            "transform": self.transform,
            "output_size": self.output_size,
            "grid_size": self.grid_size,
            "learnable_grid": self.learnable_grid,
        }
        return {**super().get_config(), **config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "SpatialTransformer":
        localization = keras.saving.deserialize_keras_object(config["localization"])
        return super().from_config({**config, "localization": localization})


def _two(name: str, size: Any, at_least: int) -> tuple[int, int]:
    if len(size) != 2 or min(size) < at_least:
        raise ValueError(
            f"{name} must be two integers (height, width), each at least {at_least}; "
            f"received {size!r}."
        )
    return tuple(size)
