"""An image captioner that attends to a part of the image for each token."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.dropout import Dropout
from keras_attn.recurrent.attention_cell import AttentionCell
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.rnn import RNN
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.attending import CROSS
from zoo.models.backbones import CONV, create_backbone, prepare
from zoo.models.cells import recurrent_embedding
from zoo.models.config import config_of
from zoo.models.zoo_model import Tensors, ZooModel


@keras.saving.register_keras_serializable(package="keras_attn")
class Captioner(ZooModel):
    """A convolutional backbone, and an LSTM that attends to the cells of its grid.

    Source: Xu et al. 2015: the grid of section 3.1.1, the LSTM, its initial state and the deep
        output of section 3.1.2, soft attention and the gate of section 4.2.
    Formula: a is the grid of features, (L, D), with the mean m; the states of the LSTM start at
        `h_0 = tanh(m W_h + b_h)` and `c_0 = tanh(m W_c + b_c)`; then
        `z_t = sigmoid(h_{t-1} w + b) attention(h_{t-1}, a)`,
        `h_t = LSTM([E[y_{t-1}]; z_t], h_{t-1})`,
        `logits_t = (E[y_{t-1}] + h_t L_h + z_t L_z) W_o + b_o`

    Args:
        vocabulary_size: Number of tokens V.
        image_size: Height and width of images.
        channels: Number of channels of images.
        backbone: "conv" for a small network, "EfficientNetLite0", or a class of
            `keras.applications`.
        filters: Of the backbone "conv": the number of filters of each convolution. After each, the
            grid is half as high and wide.
        embedding_dim: Width of the embeddings.
        units: Width of the states of the LSTM.
        dropout: Dropout rate of the embeddings and of the deep output.

    Inputs: `image` (B, H, W, C), from 0 to 255; `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32; `attention` (B, L), float32, the sum of the attention
        weights of each cell over the T steps.

    Raises:
        UserError: If the backbone is unknown, or the images do not suit it.

    Example:
        >>> model = Captioner(23, [16, 16], 3, filters=[5, 7], embedding_dim=8, units=11)
        >>> model.output["logits"].shape, model.output["attention"].shape
        ((None, None, 23), (None, 16))
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        image_size: FromTask[Sequence[int]],
        channels: FromTask[PositiveInt],
        backbone: str = CONV,
        filters: Sequence[int] = (32, 64, 128, 256),
        embedding_dim: PositiveInt = 512,
        units: PositiveInt = 1000,
        dropout: Rate = 0.0,
        dtype: Any = None,
        name: str = "captioner",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Captioner, locals())
        # === Layers ===
        self.backbone = create_backbone(backbone, image_size, channels, filters, dtype)
        self.target_embedding = recurrent_embedding(
            vocabulary_size, embedding_dim, dtype, "target_embedding"
        )
        self.bridges = [
            keras.layers.Dense(units, activation="tanh", dtype=dtype, name=f"bridge_{number}")
            for number in range(2)
        ]
        attend = AttentionCell(
            LSTMCell(units, dtype=dtype),
            Attention(score="additive", dtype=dtype),
            order="bahdanau",
            units=embedding_dim,
            gate=True,
            deep_output=True,
            dtype=dtype,
            name="attention_cell",
        )
        self.decoder = RNN(attend, return_sequences=True, dtype=dtype, name="decoder")
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        # Logits are float32 under every policy, like the loss.
        self.head = keras.layers.Dense(vocabulary_size, dtype="float32", name="logits")

        # === Config ===
        self.hidden_dim = units
        self.grid = tuple(self.backbone.outputs[0].shape[1:3])
        self._backbone_name = backbone

        # === Functional model ===
        inputs = {
            "image": keras.Input((*image_size, channels), name="image"),
            "target_ids": keras.Input((None,), dtype="int32", name="target_ids"),
            "target_mask": keras.Input((None,), dtype="bool", name="target_mask"),
        }
        y, maps = self._read(inputs)
        outputs = {
            "logits": self.head(self.drop(y)),
            "attention": ops.sum(ops.cast(maps, "float32"), axis=1),
        }
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def _read(self, inputs: Tensors) -> tuple[Any, Any]:
        """The deep outputs (B, T, E), and the attention weights (B, T, L), 0 in masked steps."""
        memory = self.encode(inputs)
        return self.decoder(
            self.drop(self.target_embedding(inputs["target_ids"])),
            initial_state=self._first_states(memory),
            mask=inputs["target_mask"],
            memory=memory,
            return_attention_scores=True,
        )

    def encode(self, inputs: Tensors) -> Any:
        """The grid of features as a sequence of cells, (B, L, D)."""
        grid = self.backbone(prepare(self._backbone_name, inputs["image"]))
        height, width = self.grid
        return ops.reshape(grid, (-1, height * width, grid.shape[-1]))

    def _first_states(self, memory: Any) -> list[Any]:
        mean = ops.mean(memory, axis=1)
        states = [bridge(mean) for bridge in self.bridges]
        return [*states, self.decoder.cell.first_output(states[0])]

    def initial_state(self, memory: Any, max_length: int) -> Tensors:
        """The state before the first step; see `zoo.decoding.protocol.Decoder`."""
        del max_length  # a recurrent state has a fixed size
        return {
            "memory": self.decoder.cell.begin(memory),
            "cache": self._first_states(memory),
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        """The state: there is no prompt; see `zoo.decoding.protocol.Decoder`."""
        return state

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        """Reads the next tokens; see `zoo.decoding.protocol.Decoder`."""
        memory = state["memory"]
        words = self.target_embedding(tokens)
        y, cache = self.decoder.cell(words, state["cache"], constants=memory)
        return self.head(y), {"memory": memory, "cache": cache, "index": state["index"] + 1}

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers that `freeze` may freeze: the backbone, as one group."""
        return [[self.backbone]]

    @property
    def attention_layers(self) -> dict[str, int]:
        return {CROSS: 1}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        _, maps = self._read(inputs)
        return {CROSS: [ops.expand_dims(maps, 1)]}
