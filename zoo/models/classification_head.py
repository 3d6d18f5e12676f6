"""The last layer of every classifier: from features to the logits of classes."""

from typing import Any

import keras

from keras_attn.dropout import Dropout


@keras.saving.register_keras_serializable(package="keras_attn")
class ClassificationHead(keras.layers.Layer):
    """Dropout and a dense layer, from features to one logit per class.

    Source: Devlin et al. 2019, section 4.1; the dropout is that of the released code.
    Formula: `logits = dropout(x) W + b`

    Args:
        num_classes: Number of classes C.
        dropout: Dropout rate of the features.
        kernel_initializer: Initializer of W.

    Inputs: `x` (..., D).
    Outputs: (..., C), in float32 under every dtype policy, like the loss.

    Example:
        >>> tuple(ClassificationHead(num_classes=5)(keras.ops.ones((2, 3, 8))).shape)
        (2, 3, 5)
    """

    def __init__(
        self,
        num_classes: int,
        dropout: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**{"dtype": "float32", **kwargs})
        self.num_classes = num_classes
        self.dropout = dropout
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self._dropout = Dropout(dropout, dtype=self.dtype_policy)
        self._dense = keras.layers.Dense(
            num_classes, kernel_initializer=self.kernel_initializer, dtype=self.dtype_policy
        )
        self.supports_masking = True

    def build(self, x_shape: tuple) -> None:
        self._dense.build(x_shape)

    def call(self, x: Any, training: bool | None = None) -> Any:
        return self._dense(self._dropout(x, training=training))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[:-1], self.num_classes)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_classes": self.num_classes,
            "dropout": self.dropout,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
