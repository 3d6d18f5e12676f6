"""The recurrent encoder-decoder with attention."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.scores import get_score
from keras_attn.dropout import Dropout
from keras_attn.recurrent.attention_cell import AttentionCell
from keras_attn.recurrent.rnn import RNN
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.attending import CROSS
from zoo.models.cells import recurrent_cell, recurrent_embedding, recurrent_layer
from zoo.models.config import config_of
from zoo.models.copying import CopyingLogits
from zoo.models.memory_attentions import NORMALIZER, SCORE, SINGLE_HEAD, create_memory_attention
from zoo.models.seq2seq import Seq2Seq, Tensors, check_shared_vocabulary, seq2seq_inputs


@keras.saving.register_keras_serializable(package="keras_attn")
class AttentionSeq2Seq(Seq2Seq):
    """A bidirectional recurrent encoder and a recurrent decoder with attention.

    Source: Bahdanau et al. 2015, section 3 (order "bahdanau"); Luong et al. 2015, section 3 (order
    "luong", with input feeding); Xu et al. 2015, section 4.2.1 and equation 7 (gate, deep output);
    Chen et al. 2018, section 3 (multi-head attention in a recurrent decoder); See et al. 2017,
    section 2.2 (copies).
    Formula: `m_s = [h→_s; h←_s]`, or `m_s = [h→_s; h←_s] W_m` with a score that requires equal
    widths (dot, scaled_dot, exp_dot, cosine); `h̃_t` of an `AttentionCell` over m, whose initial
    state is `tanh(h← W)`; `logits_t = h̃_t W_o + b`

    Args:
        source_vocabulary_size: Number of source tokens.
        target_vocabulary_size: Number of target tokens V.
        embedding_dim: Width of the embeddings.
        units: Width U of the recurrent states, in each direction.
        num_layers: Number of recurrent layers of the encoder, and of the decoder, whose lowest
            layer has the attention.
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        score: Name of the attention's score.
        normalizer: Name of the attention's normalizer; use "ratio" with the score "exp_dot".
        order: "bahdanau" or "luong".
        gate: Whether the decoder decides how much of the context to use; see `AttentionCell`.
        deep_output: Whether the embedding of the token before is added to the output of the
            attention cell, whose width is then that of the embeddings; see `AttentionCell`.
        dropout: Dropout rate between layers.
        share_embeddings: Whether source and target share one embedding.
        attention: "single_head" (`Attention`), "multi_head" (`MultiHeadAttention`), "linear"
            (`LinearAttention`) or "random_feature" (`RandomFeatureAttention`). A step of the last
            two takes the same time for a source of any length; they have no attention weights to
            show, and neither score nor normalizer.
        num_heads: Number of heads, of another attention than "single_head". It must divide U.
        copy: Whether the decoder also copies tokens of the source, where it attends; see
            `CopyingLogits`. Only with the attention "single_head".

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If cell or attention is unknown, share_embeddings is set for vocabularies of
            two sizes, num_heads does not divide U, a score or a normalizer is given with an
            attention that has none, or copy with another attention than "single_head", weights
            that do not sum to 1, or vocabularies of two sizes.

    Example:
        >>> model = AttentionSeq2Seq(23, 29, embedding_dim=8, units=16)
        >>> model.output["logits"].shape
        (None, None, 29)
    """

    def __init__(
        self,
        source_vocabulary_size: FromTask[PositiveInt],
        target_vocabulary_size: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 620,
        units: PositiveInt = 1000,
        num_layers: PositiveInt = 1,
        cell: str = "gru",
        score: str = SCORE,
        normalizer: str = NORMALIZER,
        order: str = "bahdanau",
        gate: bool = False,
        deep_output: bool = False,
        dropout: Rate = 0.0,
        share_embeddings: bool = False,
        attention: str = SINGLE_HEAD,
        num_heads: PositiveInt = 4,
        copy: bool = False,
        dtype: Any = None,
        name: str = "attention_seq2seq",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(AttentionSeq2Seq, locals())
        # === Layers ===
        if share_embeddings:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size)
        if copy:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size, "copy")
        if copy and attention != SINGLE_HEAD:
            raise ValueError(f"copy requires attention={SINGLE_HEAD!r}; received {attention!r}.")
        if copy and normalizer == "sigmoid":
            raise ValueError("copy requires a normalizer whose weights sum to 1, not 'sigmoid'.")

        def embedding(size: int, name: str) -> keras.layers.Layer:
            return recurrent_embedding(size, embedding_dim, dtype, name)

        def recurrent(name: str, **options: Any) -> keras.layers.Layer:
            return recurrent_layer(cell, units, dtype, name=name, **options)

        def bridge(name: str) -> keras.layers.Layer:
            return keras.layers.Dense(units, activation="tanh", dtype=dtype, name=name)

        source_embedding = embedding(source_vocabulary_size, "source_embedding")
        target_embedding = source_embedding
        if not share_embeddings:
            target_embedding = embedding(target_vocabulary_size, "target_embedding")
        forwards = [recurrent(f"forward_{i}") for i in range(num_layers)]
        backwards = [
            recurrent(f"backward_{i}", go_backwards=True, return_state=True)
            for i in range(num_layers)
        ]
        attending = recurrent_cell(cell, units, dtype)
        states_per_layer = len(keras.tree.flatten(attending.state_size))
        bridges = [
            [bridge(f"bridge_{i}_{j}") for j in range(states_per_layer)] for i in range(num_layers)
        ]
        narrow = None
        if attention == SINGLE_HEAD and get_score(score).needs_equal_widths:
            narrow = keras.layers.Dense(units, use_bias=False, dtype=dtype, name="memory")
        attend = AttentionCell(
            attending,
            create_memory_attention(attention, units, num_heads, score, normalizer, dtype),
            order=order,
            units=embedding_dim if deep_output else units,
            gate=gate,
            deep_output=deep_output,
            dtype=dtype,
            name="attention_cell",
        )
        lowest = RNN(attend, return_sequences=True, dtype=dtype, name="decoder_0")
        upper = [recurrent(f"decoder_{i}") for i in range(1, num_layers)]
        drop = Dropout(dropout, dtype=dtype, name="dropout")
        # Logits are float32 under every policy, like the loss.
        head = keras.layers.Dense(target_vocabulary_size, dtype="float32", name="logits")
        copying = CopyingLogits(dtype="float32", name="copying") if copy else None

        self.hidden_dim = units
        self.source_embedding, self.target_embedding = source_embedding, target_embedding
        self.forwards, self.backwards, self.bridges = forwards, backwards, bridges
        self.narrow = narrow
        self.lowest, self.upper = lowest, upper
        self.drop, self.head, self.copying = drop, head, copying

        # === Functional model ===
        inputs = seq2seq_inputs()
        memory = self.encode(inputs)
        y = self.target_embedding(inputs["target_ids"])
        y = self.lowest(
            self.drop(y),
            initial_state=self._first_states(memory)[0],
            mask=inputs["target_mask"],
            memory=memory["sequence"],
            memory_mask=memory["mask"],
            return_attention_scores=copy,
        )
        y, weights = y if copy else (y, None)
        for layer, states in zip(self.upper, self._first_states(memory)[1:], strict=True):
            y = layer(self.drop(y), initial_state=states, mask=inputs["target_mask"])
        logits = self._logits(self.drop(y), weights, inputs["source_ids"])
        super().__init__(inputs=inputs, outputs={"logits": logits}, name=name, **kwargs)

    def encode(self, inputs: Tensors) -> Tensors:
        mask = inputs["source_mask"]
        x = self.source_embedding(inputs["source_ids"])
        last_states = []
        for forward, backward in zip(self.forwards, self.backwards, strict=True):
            x = self.drop(x)
            reversed_, *states = backward(x, mask=mask)
            x = ops.concatenate([forward(x, mask=mask), ops.flip(reversed_, axis=1)], axis=-1)
            last_states.append(states)
        sequence = self.drop(x) if self.narrow is None else self.narrow(self.drop(x))
        memory = {"sequence": sequence, "mask": mask, "last_states": last_states}
        return memory if self.copying is None else {**memory, "source_ids": inputs["source_ids"]}

    def _logits(self, outputs: Any, weights: Any, source_ids: Any) -> Any:
        """The logits of outputs (B, T, U), given attention weights (B, T, S) if it copies."""
        logits = self.head(outputs)
        if self.copying is None:
            return logits
        return self.copying(outputs, logits, weights, source_ids)

    def _first_states(self, memory: Tensors) -> list[list[Any]]:
        """The initial states of the decoder layers, from the last states of the backward layers."""
        first = [
            [bridge(state) for bridge, state in zip(bridges, states, strict=True)]
            for bridges, states in zip(self.bridges, memory["last_states"], strict=True)
        ]
        # The previous output that an attention cell gets at the first step.
        first[0].append(self.lowest.cell.first_output(first[0][0]))
        return first

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        del max_length  # a recurrent state has a fixed size
        attended = self.lowest.cell.begin(memory["sequence"], memory["mask"])
        copied = {} if self.copying is None else {"source_ids": memory["source_ids"]}
        return {
            "memory": {**attended, **copied},
            "cache": self._first_states(memory),
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        memory, (lowest, *upper) = state["memory"], state["cache"]
        y, lowest, weights = self.lowest.cell(
            self.target_embedding(tokens), lowest, constants=memory, return_attention_scores=True
        )
        cache = [lowest]
        for layer, states in zip(self.upper, upper, strict=True):
            y, states = layer.cell(y, states)
            cache.append(states)
        after = {"memory": memory, "cache": cache, "index": state["index"] + 1}
        if self.copying is None:
            return self.head(y), after
        y, weights = (ops.expand_dims(each, 1) for each in (y, weights))
        return ops.squeeze(self._logits(y, weights, memory["source_ids"]), 1), after

    @property
    def attention_layers(self) -> dict[str, int]:
        return {} if self.lowest.cell.attention.weights_heads is None else {CROSS: 1}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        memory = self.encode(inputs)
        _, maps = self.lowest(
            self.target_embedding(inputs["target_ids"]),
            initial_state=self._first_states(memory)[0],
            mask=inputs["target_mask"],
            memory=memory["sequence"],
            memory_mask=memory["mask"],
            return_attention_scores=True,
        )
        has_heads = bool(self.lowest.cell.attention.weights_heads)
        return {CROSS: [maps if has_heads else ops.expand_dims(maps, 1)]}
