"""A recurrent language model."""

from typing import Any

import keras
from keras import ops

from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.cells import recurrent_layer
from zoo.models.config import config_of
from zoo.models.language_model import LanguageModel, Tensors, language_model_inputs
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.stateful import StatefulRNN


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNLM(LanguageModel):
    """Stacked recurrent layers that predict the next token.

    Source: Mikolov et al. 2010; Zaremba et al. 2014 (dropout between layers, states carried over
    from window to window); Press & Wolf 2017 (tied embeddings).
    Formula: `h_t = RNN_N(... RNN_1(drop(E[x_t])))`, `logits_t = drop(h_t) W_o + b`; tied,
    `logits_t = drop(h_t) E^T`, or `drop(h_t) W E^T` where widths differ

    Args:
        vocabulary_size: Number of tokens V.
        embedding_dim: Width of the embeddings.
        units: Width U of the recurrent states.
        num_layers: Number of recurrent layers N.
        cell: "lstm", "gru", "elman", "jordan" or "orthogonal", whose activation is tanh.
        dropout: Dropout rate of the input of each layer, including the logits; there is no
            recurrent dropout.
        tie_embeddings: Whether the logits are computed with the embeddings, which takes
            embedding_dim equal to units, or else projects the states to this width.
        stateful_batch_size: Batch size of stateful training, in which the states continue from
            batch to batch until `reset_states`. 0 starts every batch from zero states.
        truncate: Number of steps of truncated backpropagation through time; see `RNN`.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If cell is unknown, or stateful_batch_size is negative.

    Example:
        >>> model = RNNLM(23, embedding_dim=8, units=16)
        >>> model.output["logits"].shape
        (None, None, 23)
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 650,
        units: PositiveInt = 650,
        num_layers: PositiveInt = 2,
        cell: str = "lstm",
        dropout: Rate = 0.5,
        tie_embeddings: bool = False,
        stateful_batch_size: Any = 0,
        truncate: PositiveInt | None = None,
        dtype: Any = None,
        name: str = "rnn_lm",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(RNNLM, locals())
        # === Layers ===
        if type(stateful_batch_size) is not int or stateful_batch_size < 0:
            raise ValueError(
                f"stateful_batch_size must be an integer of at least 0; got "
                f"{stateful_batch_size!r}."
            )
        # Glorot's initialization assumes a variance of one; tied logits should start small.
        initializer = keras.initializers.RandomNormal(
            stddev=embedding_dim**-0.5 if tie_embeddings else 1.0
        )
        # Logits are float32 under every policy, like the loss.
        self.embedding = ReversibleEmbedding(
            vocabulary_size,
            embedding_dim,
            embeddings_initializer=initializer,
            dtype=dtype,
            name="embedding",
        )
        self.head = None
        if not tie_embeddings:
            self.head = keras.layers.Dense(vocabulary_size, dtype="float32", name="logits")
        self.projection = None
        if tie_embeddings and embedding_dim != units:
            self.projection = keras.layers.Dense(
                embedding_dim, use_bias=False, dtype=dtype, name="logits_projection"
            )
        self.recurrent = [
            StatefulRNN(
                recurrent_layer(
                    cell, units, dtype, bounded=True, return_state=True, truncate=truncate
                ),
                stateful_batch_size or None,
                dtype=dtype,
                name=f"recurrent_{i}",
            )
            for i in range(num_layers)
        ]
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.hidden_dim = units
        self.stateful_batch_size = stateful_batch_size

        # === Functional model ===
        inputs = language_model_inputs()
        x = self.embedding(inputs["token_ids"])
        for layer in self.recurrent:
            x = layer(self.drop(x), mask=inputs["padding_mask"])
        logits = ops.cast(self._logits(self.drop(x)), "float32")
        super().__init__(inputs=inputs, outputs={"logits": logits}, name=name, **kwargs)

    def _logits(self, x: Any) -> Any:
        if self.head is not None:
            return self.head(x)
        return self.embedding(x if self.projection is None else self.projection(x), reverse=True)

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return [self.embedding]

    @property
    def scales_word_vectors(self) -> bool:
        return self.head is None

    @property
    def _cells(self) -> list[Any]:
        return [layer.layer.cell for layer in self.recurrent]

    def reset_states(self) -> None:
        """Starts the next training batch from zero states."""
        for layer in self.recurrent:
            layer.reset()

    def continue_from(self, inputs: Tensors, cache: list[Any]) -> tuple[Tensors, list[Any]]:
        """The outputs of the model for the continuation of a text, given its initial states.

        Args:
            inputs: The inputs of the model.
            cache: The states after the previous part of the text, or from `initial_cache`.

        Outputs: The outputs, and the states after this part.
        """
        x, last = self._stack(inputs["token_ids"], inputs["padding_mask"], cache)
        return {"logits": ops.cast(self._logits(x), "float32")}, last

    def _stack(self, tokens: Any, mask: Any, cache: list[Any]) -> tuple[Any, list[Any]]:
        x, last = self.embedding(tokens), []
        for layer, first in zip(self.recurrent, cache, strict=True):
            x, *states = layer.layer(x, initial_state=first, mask=mask)
            last.append(states)
        return x, last

    def initial_cache(self, batch_size: Any, max_length: Any) -> list[Any]:
        del max_length  # a recurrent state has a fixed size
        return [cell.get_initial_state(batch_size) for cell in self._cells]

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        # Masked steps do not change the states.
        here = ops.less(ops.arange(ops.shape(tokens)[1], dtype="int32"), count)
        mask = ops.logical_and(ops.ones_like(tokens, "bool"), here)
        _, cache = self._stack(tokens, mask, state["cache"])
        return {**state, "cache": cache, "index": ops.cast(count, "int32")}

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        x, cache = self.embedding(tokens), []
        for cell, states in zip(self._cells, state["cache"], strict=True):
            x, states = cell(x, states)
            cache.append(states)
        return self._logits(x), {**state, "cache": cache, "index": state["index"] + 1}
