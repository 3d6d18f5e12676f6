"""A convolutional or recurrent classifier of time series."""

from typing import Any, ClassVar

import keras
from keras import ops

from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.attending import ENCODER
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.series_encoder import SeriesEncoder
from zoo.models.standardization import Standardization
from zoo.models.zoo_model import Tensors, ZooModel


@keras.saving.register_keras_serializable(package="keras_attn")
class SeriesClassifier(ZooModel):
    """Classifies whole series, which may have missing values.

    Values are standardized by the mean and standard deviation of the training data. An encoder
    reads them in both directions; its outputs are pooled over the steps that have a value.

    Source: Wang et al. 2017, section II (pooling over all steps of a convolutional encoder).
    Formula: `logits = dropout([mean_t e_t; max_t e_t]) W + b`, `e = encoder([z; seen])`, over steps
        t with a value; zeros instead of the mean and the maximum without any

    Args:
        context_length: Number of steps T of a series.
        num_channels: Number of values C of each step.
        num_classes: Number of classes.
        encoder: "rnn" (bidirectional), "conv" (gated convolutions) or "attention" (Transformer
            blocks).
        hidden_dim: Width of the encoder.
        num_layers: Number of layers of the encoder.
        cell: Cell of the recurrent layers: "gru", "lstm", "elman", "jordan" or "orthogonal".
        kernel_size: Number of steps in the window of a convolution.
        num_heads: Number of attention heads.
        dropout: Dropout rate of the encoder and of the classification head.

    Inputs: `values` (B, T, C), NaN where missing.
    Outputs: `logits` (B, N), float32.

    Raises:
        ValueError: If the name of the encoder or of the cell is unknown.

    Example:
        >>> model = SeriesClassifier(context_length=11, num_channels=2, num_classes=3, hidden_dim=8)
        >>> model.output["logits"].shape
        (None, 3)
    """

    # What sees the unit of the series, and the model's own operators, which pool: the sum over many
    # steps has a range in which that over few steps is lost.
    float_layers: ClassVar = ("standardize", "(?![^/]*/[^;]*/)series_classifier")

    def __init__(
        self,
        context_length: FromTask[PositiveInt],
        num_channels: FromTask[PositiveInt],
        num_classes: FromTask[PositiveInt],
        encoder: str = "conv",
        hidden_dim: PositiveInt = 64,
        num_layers: PositiveInt = 3,
        cell: str = "gru",
        kernel_size: PositiveInt = 7,
        num_heads: PositiveInt = 4,
        dropout: Rate = 0.0,
        dtype: Any = None,
        name: str = "series_classifier",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(SeriesClassifier, locals())
        # === Layers ===
        self.standardize = Standardization(name="standardize")
        self.encoder = SeriesEncoder(
            encoder,
            hidden_dim,
            num_layers,
            cell,
            kernel_size,
            num_heads,
            dropout,
            dtype,
            causal=False,
        )
        self.head = ClassificationHead(num_classes, dropout, name="logits")
        self.context_length, self.hidden_dim = context_length, hidden_dim

        # === Functional model ===
        inputs = {"values": keras.Input((context_length, num_channels), name="values")}
        outputs = {"logits": self.read(inputs)[0]}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def read(self, inputs: Tensors, with_maps: bool = False) -> tuple[Any, list[Any]]:
        """Runs all layers.

        Args:
            inputs: The inputs of the model.
            with_maps: Whether to return attention weights.

        Outputs: The logits, and with `with_maps` the attention weights (B, H, T, T) of each layer.
        """
        z, seen = self.standardize(inputs["values"])
        e, maps = self.encoder.steps(ops.concatenate([z, seen], axis=-1), with_maps)
        e = ops.cast(e, "float32")
        there = ops.max(seen, axis=-1, keepdims=True)
        count = ops.sum(there, axis=1)
        mean = ops.sum(e * there, axis=1) / ops.maximum(count, 1.0)
        return self.head(ops.concatenate([mean, _highest(e, there)], axis=-1)), maps

    @property
    def attention_layers(self) -> dict[str, int]:
        return self.encoder.attention_layers

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        return {ENCODER: self.read(inputs, with_maps=True)[1]}

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        return self.encoder.layer_groups


def _highest(e: Any, there: Any) -> Any:
    """The maximum over the steps that are there, (B, D); 0 if there are none.

    The gradient of `ops.max` divides by the number of values that equal the maximum. XLA may
    compute them a second time with another rounding; then none does, and the gradient is NaN.
    """
    steps = ops.transpose(ops.where(there > 0.0, e, -1e9), (0, 2, 1))
    highest = ops.top_k(steps, 1)[0][..., 0]
    return ops.where(ops.max(there, axis=1) > 0.0, highest, 0.0)
