"""A convolutional token tagger."""

from typing import Any

import keras

from keras_attn.convolution.gated_conv1d import GatedConv1D
from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.token_inputs import token_inputs
from zoo.models.zoo_model import ZooModel


@keras.saving.register_keras_serializable(package="keras_attn")
class ConvTagger(ZooModel):
    """Gated convolutions over a text, and a classification head at every position.

    With an odd kernel size, the tag of a token depends on the `num_layers (kernel_size - 1) / 2`
    tokens on either side.

    Source: Collobert et al. 2011, section 3.2 (window approach); Gehring et al. 2017, section 3.2
        (gated convolutions with residual connections).
    Formula: `x = ConvGLU_N(... ConvGLU_1(E[x]))`, `logits_t = x_t W + b`

    Args:
        vocabulary_size: Number of tokens.
        num_classes: Number of classes C.
        embedding_dim: Width of the embeddings.
        units: Width of the convolutions.
        num_layers: Number of convolutions N.
        kernel_size: Number of positions in the window of a convolution.
        dropout: Dropout rate of the embeddings, of the input of each convolution and before the
            logits.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, C), float32.

    Example:
        >>> model = ConvTagger(23, num_classes=3, embedding_dim=8, units=16)
        >>> model.output["logits"].shape
        (None, None, 3)
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_classes: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 100,
        units: PositiveInt = 200,
        num_layers: PositiveInt = 3,
        kernel_size: PositiveInt = 3,
        dropout: Rate = 0.3,
        dtype: Any = None,
        name: str = "conv_tagger",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(ConvTagger, locals())
        # === Layers ===
        # As in ConvS2S: the convolutions keep the variance of the embeddings.
        initializer = keras.initializers.RandomNormal(stddev=0.1)
        self.embedding = keras.layers.Embedding(
            vocabulary_size, embedding_dim, initializer, dtype=dtype, name="embedding"
        )
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.convolutions = [
            GatedConv1D(units, kernel_size, dropout=dropout, dtype=dtype, name=f"convolution_{i}")
            for i in range(num_layers)
        ]
        self.head = ClassificationHead(num_classes, dropout, name="logits")
        self.hidden_dim = units

        # === Functional model ===
        inputs = token_inputs()
        x = self.drop(self.embedding(inputs["token_ids"]))
        for layer in self.convolutions:
            x = layer(x, mask=inputs["padding_mask"])
        super().__init__(inputs=inputs, outputs={"logits": self.head(x)}, name=name, **kwargs)

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return [self.embedding]

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group for each convolution.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next.
        """
        return [[self.embedding], *([layer] for layer in self.convolutions)]
