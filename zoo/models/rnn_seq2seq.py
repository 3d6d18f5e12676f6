"""The recurrent encoder-decoder without attention."""

from typing import Any

import keras
from keras import ops

from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.cells import recurrent_embedding, recurrent_layer
from zoo.models.config import config_of
from zoo.models.seq2seq import Seq2Seq, Tensors, check_shared_vocabulary, seq2seq_inputs


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNSeq2Seq(Seq2Seq):
    """A recurrent encoder whose last state is the context of a recurrent decoder.

    Source: Sutskever et al. 2014 (the source is reversed, and each decoder layer starts from the
    state of its encoder layer); Cho et al. 2014, section 2.2 (the context is an input of every
    step); Xu et al. 2015, equation 7 (deep output).
    Formula: `h_s = RNN(E[x_s], h_{s+1})`, s = S … 1; `c = h_1`; or without `reverse_source`
    `h_s = RNN(E[x_s], h_{s-1})`, s = 1 … S; `c = h_S`;
    `s_t = RNN([E'[y_{t-1}]; c], s_{t-1})`, where s_0 are the encoder's last states;
    `logits_t = s_t W_o + b`, or with `deep_output` `(E'[y_{t-1}] + [s_t; c] W) W_o + b`

    Args:
        source_vocabulary_size: Number of source tokens.
        target_vocabulary_size: Number of target tokens V.
        embedding_dim: Width of the embeddings.
        units: Width U of the recurrent states.
        num_layers: Number of recurrent layers of the encoder, and of the decoder.
        cell: "lstm", "gru", "elman", "jordan" or "orthogonal".
        deep_output: Whether the token before and the context also reach the output directly.
        dropout: Dropout rate between layers.
        share_embeddings: Whether source and target share one embedding.
        reverse_source: Whether the encoder reads the source from its last token to its first.
        truncate: Number of steps of truncated backpropagation through time; see `RNN`.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If cell is unknown, or share_embeddings is set for vocabularies of two sizes.

    Example:
        >>> model = RNNSeq2Seq(23, 29, embedding_dim=8, units=16)
        >>> model.output["logits"].shape
        (None, None, 29)
    """

    def __init__(
        self,
        source_vocabulary_size: FromTask[PositiveInt],
        target_vocabulary_size: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 1000,
        units: PositiveInt = 1000,
        num_layers: PositiveInt = 4,
        cell: str = "lstm",
        deep_output: bool = False,
        dropout: Rate = 0.0,
        share_embeddings: bool = False,
        reverse_source: bool = True,
        truncate: PositiveInt | None = None,
        dtype: Any = None,
        name: str = "rnn_seq2seq",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(RNNSeq2Seq, locals())
        # === Layers ===
        if share_embeddings:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size)

        def embedding(size: int, name: str) -> keras.layers.Layer:
            return recurrent_embedding(size, embedding_dim, dtype, name)

        source_embedding = embedding(source_vocabulary_size, "source_embedding")
        target_embedding = source_embedding
        if not share_embeddings:
            target_embedding = embedding(target_vocabulary_size, "target_embedding")

        def recurrent(name: str, **options: Any) -> keras.layers.Layer:
            return recurrent_layer(cell, units, dtype, truncate=truncate, name=name, **options)

        encoder = [recurrent(f"encoder_{i}", return_state=True) for i in range(num_layers)]
        decoder = [recurrent(f"decoder_{i}") for i in range(num_layers)]
        deep = None
        if deep_output:
            deep = keras.layers.Dense(embedding_dim, use_bias=False, dtype=dtype, name="deep")
        drop = Dropout(dropout, dtype=dtype, name="dropout")
        # Logits are float32 under every policy, like the loss.
        head = keras.layers.Dense(target_vocabulary_size, dtype="float32", name="logits")

        self.hidden_dim, self.reverse_source = units, reverse_source
        self.source_embedding, self.target_embedding = source_embedding, target_embedding
        self.encoder, self.decoder = encoder, decoder
        self.deep, self.drop, self.head = deep, drop, head

        # === Functional model ===
        inputs = seq2seq_inputs()
        memory = self.encode(inputs)
        words = self.target_embedding(inputs["target_ids"])
        context = ops.ones_like(words[..., :1]) * ops.expand_dims(memory["context"], 1)
        y = ops.concatenate([words, context], axis=-1)
        for layer, states in zip(self.decoder, memory["last_states"], strict=True):
            y = layer(self.drop(y), initial_state=states, mask=inputs["target_mask"])
        logits = self.head(self.drop(self._output(words, y, context)))
        super().__init__(inputs=inputs, outputs={"logits": logits}, name=name, **kwargs)

    def encode(self, inputs: Tensors) -> Tensors:
        ids, mask = inputs["source_ids"], inputs["source_mask"]
        if self.reverse_source:  # then padding comes first, where it leaves the states at zero
            ids, mask = ops.flip(ids, axis=1), ops.flip(mask, axis=1)
        x = self.source_embedding(ids)
        last_states = []
        for layer in self.encoder:
            x, *states = layer(self.drop(x), mask=mask)
            last_states.append(states)
        # The first state of every cell is its output.
        return {"context": last_states[-1][0], "last_states": last_states}

    def _output(self, words: Any, hidden: Any, context: Any) -> Any:
        if self.deep is None:
            return hidden
        return words + self.deep(ops.concatenate([hidden, context], axis=-1))

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        del max_length  # a recurrent state has a fixed size
        return {
            "memory": memory["context"],
            "cache": memory["last_states"],
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        context = state["memory"]
        words = self.target_embedding(tokens)
        y = ops.concatenate([words, context], axis=-1)
        cache = []
        for layer, states in zip(self.decoder, state["cache"], strict=True):
            y, states = layer.cell(y, states)
            cache.append(states)
        logits = self.head(self._output(words, y, context))
        return logits, {"memory": context, "cache": cache, "index": state["index"] + 1}
