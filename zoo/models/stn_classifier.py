"""A convolutional image classifier with spatial transformers."""

from collections.abc import Sequence
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.spatial.sampler import bilinear_sample
from keras_attn.spatial.transformer import TRANSFORMS, SpatialTransformer
from zoo.errors import UserError
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.zoo_model import ZooModel

NONE = "none"
Tensors = dict[str, Any]


@keras.saving.register_keras_serializable(package="keras_attn")
class STNClassifier(ZooModel):
    """Convolutions with spatial transformers before some of them, and a classification head.

    A spatial transformer has a small localization network, which predicts from its input how to
    transform it, such as how to turn and to enlarge it; see `SpatialTransformer`. Several at the
    same depth work in parallel on the same input.

    Source: Jaderberg et al. 2015, section 3; the layers of section 4.1 and of appendix A.4.
    Formula: `h_0 = image / 255`; with transformers at depth l, `h_l` becomes the concatenation of
        `T_k(h_l)` along the channels; `h_{l+1} = max_pool(ReLU(conv(h_l)))`;
        `logits = dropout(flatten(h_L)) W + b`

    Args:
        image_size: Height and width of images.
        channels: Number of channels of images.
        num_classes: Number of classes.
        transform: "affine", "projective", "thin_plate_spline", or "none" for convolutions only.
        num_transformers: Number of transformers in parallel.
        depths: Numbers of the convolutions before which transformers are, from 0.
        layers: For each convolution, the number of its filters and the size of its kernel.
        localization: The same for the localization networks.
        localization_units: Units of the dense layer of the localization networks.
        output_size: Height and width of what the transformers at depth 0 sample. Defaults to those
            of the image.
        grid_size: Rows and columns of the control points of thin-plate splines.
        learnable_grid: Whether the control points are learned.
        dropout: Dropout rate of the features of the classification head.

    Inputs: `image` (B, H, W, C), from 0 to 255.
    Outputs: `logits` (B, N), float32.

    Raises:
        UserError: If an option is not allowed, or images are too small for the convolutions.

    Example:
        >>> model = STNClassifier([13, 11], 1, 3, layers=[[5, 3]], localization=[[2, 3]])
        >>> model.output["logits"].shape
        (None, 3)
    """

    # Transformers, but not their localization networks: they compute with parts of a pixel.
    float_layers: ClassVar = ("(?!.*/localization)transformer_[0-9]+_[0-9]+",)

    def __init__(
        self,
        image_size: FromTask[Sequence[int]],
        channels: FromTask[PositiveInt],
        num_classes: FromTask[PositiveInt],
        transform: str = "affine",
        num_transformers: PositiveInt = 1,
        depths: Sequence[int] = (0,),
        layers: Sequence[Sequence[int]] = ((32, 9), (32, 7)),
        localization: Sequence[Sequence[int]] = ((20, 5), (20, 5)),
        localization_units: PositiveInt = 20,
        output_size: Sequence[int] | None = None,
        grid_size: PositiveInt = 4,
        learnable_grid: bool = False,
        dropout: Rate = 0.0,
        dtype: Any = None,
        name: str = "stn_classifier",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(STNClassifier, locals())
        _check(transform, depths, layers, localization, grid_size, learnable_grid, output_size)

        # === Layers ===
        def transformer(depth: int, number: int) -> SpatialTransformer:
            return SpatialTransformer(
                localization_network(localization, localization_units, dtype),
                transform,
                None if depth or output_size is None else (output_size[0], output_size[1]),
                (grid_size, grid_size),
                learnable_grid,
                dtype=dtype,
                name=f"transformer_{depth}_{number}",
            )

        parallel = 0 if transform == NONE else num_transformers
        self.transformers = {
            depth: [transformer(depth, number) for number in range(parallel)]
            for depth in sorted(set(depths))
        }
        self.convolutions = [
            keras.layers.Conv2D(filters, size, activation="relu", dtype=dtype, name=f"conv_{depth}")
            for depth, (filters, size) in enumerate(layers)
        ]
        self.scale = keras.layers.Rescaling(1 / 255, dtype=dtype, name="scale")
        self.pool = keras.layers.MaxPooling2D(2, dtype=dtype, name="pool")
        self.flatten = keras.layers.Flatten(dtype=dtype, name="flatten")
        self.head = ClassificationHead(num_classes, dropout, name="logits")

        # === Functional model ===
        _check_size(output_size if 0 in depths and parallel and output_size else image_size, layers)
        inputs = {"image": keras.Input((*image_size, channels), name="image")}
        logits, _ = self.read(inputs)
        super().__init__(inputs=inputs, outputs={"logits": logits}, name=name, **kwargs)

    def read(self, inputs: Tensors, with_samples: bool = False) -> tuple[Any, list[Any]]:
        """Runs all layers.

        Args:
            inputs: The inputs of the model.
            with_samples: Whether to return what the transformers sample.

        Outputs: The logits, and with `with_samples` for each transformer what it samples
            (B, h, w, C), and its grid (B, h, w, 2).
        """
        x, samples = self.scale(inputs["image"]), []
        for depth, convolution in enumerate(self.convolutions):
            transformers = self.transformers.get(depth, [])
            if with_samples:
                grids = [(layer, layer.grid(x)) for layer in transformers]
                sampled = [bilinear_sample(x, grid) for _, grid in grids]
                samples += [(y, grid) for y, (_, grid) in zip(sampled, grids, strict=True)]
            else:
                sampled = [layer(x) for layer in transformers]
            if sampled:
                x = sampled[0] if len(sampled) == 1 else ops.concatenate(sampled, axis=-1)
            x = self.pool(convolution(x))
        return self.head(self.flatten(x)), samples

    @property
    def all_transformers(self) -> list[SpatialTransformer]:
        """All transformers, from the image up."""
        return [layer for layers in self.transformers.values() for layer in layers]

    @property
    def sample_shapes(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The shapes of what each transformer samples and of its grid, without the batch."""
        return [
            (tuple(layer.output.shape[1:]), (*layer.output.shape[1:3], 2))
            for layer in self.all_transformers
        ]


def localization_network(layers: Sequence[Sequence[int]], units: int, dtype: Any) -> Any:
    """Convolutions with max-pooling and a dense layer: from images to features (B, units)."""
    stack: list[Any] = []
    for number, (filters, size) in enumerate(layers):
        stack += [
            keras.layers.MaxPooling2D(2, padding="same", dtype=dtype, name=f"pool_{number}"),
            keras.layers.Conv2D(
                filters,
                size,
                padding="same",
                activation="relu",
                dtype=dtype,
                name=f"conv_{number}",
            ),
        ]
    stack += [
        keras.layers.MaxPooling2D(2, padding="same", dtype=dtype, name="pool"),
        keras.layers.Flatten(dtype=dtype, name="flatten"),
        keras.layers.Dense(units, activation="relu", dtype=dtype, name="dense"),
    ]
    return keras.Sequential(stack, name="localization")


def _check(
    transform: str,
    depths: Any,
    layers: Any,
    localization: Any,
    grid_size: int,
    learnable_grid: bool,
    output_size: Any,
) -> None:
    if transform not in (*TRANSFORMS, NONE):
        known = ", ".join((*TRANSFORMS, NONE))
        raise UserError(f"transform must be one of {known}, got {transform!r}")
    if learnable_grid and transform != "thin_plate_spline":
        raise UserError(f"learnable_grid is for thin_plate_spline, not for {transform}")
    if grid_size < 2:
        raise UserError(f"grid_size must be at least 2, got {grid_size}")
    for name, rows in (("layers", layers), ("localization", localization)):
        if not (_listed(rows) and rows and all(_listed(row) and len(row) == 2 for row in rows)):
            raise UserError(f"{name} must be a list of [filters, kernel size], got {rows!r}")
        if any(type(x) is not int or x < 1 for row in rows for x in row):
            raise UserError(f"{name} must have positive integers, got {rows!r}")
    if not (_listed(depths) and all(each in range(len(layers)) for each in depths)):
        raise UserError(f"depths must be numbers from 0 to {len(layers) - 1}, got {depths!r}")
    if output_size is not None and not (_listed(output_size) and len(output_size) == 2):
        raise UserError(f"output_size must be [height, width], got {output_size!r}")


def _listed(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _check_size(image_size: Any, layers: Any) -> None:
    """Refuses images of which no pixel is left after the convolutions and pools."""
    least = 1
    for _, kernel in reversed(layers):
        least = 2 * least + kernel - 1
    if min(image_size) < least:
        height, width = image_size
        raise UserError(
            f"images of {width}x{height} pixels are too small for stn_classifier: its layers need "
            f"at least {least}x{least}; choose another --image-size or smaller layers"
        )
