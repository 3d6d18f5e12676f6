"""The computation that causal Transformers share: whole sequences, and step by step."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.dot_scores import soft_capped
from keras_attn.blocks.encoder import EncoderBlock
from zoo.errors import UserError
from zoo.models.attending import DECODER, read_blocks
from zoo.models.bias import Bias
from zoo.models.causal_blocks import initial_caches, step_blocks
from zoo.models.language_model import LanguageModel, Tensors, language_model_inputs
from zoo.models.packed import TEXTS, same_text, with_places
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.transformer_blocks import add_bias, add_positions, existing
from zoo.models.transformer_options import FULL, TransformerOptions
from zoo.option_names import option_name


class CausalTransformer(LanguageModel):
    """A language model of causal Transformer blocks.

    Formula: `x_0 = E[ids] + P`, `x_n = block_n(x_n-1)`, `logits = norm(x_N) E^T + b`; P and b if
        there are some; `E[ids]` times `embedding_scale`, and `logits` within `logit_soft_cap`, if
        there are some

    Subclasses set the layers, and then build the model of `functional()`. With the further input
    `text_numbers` (B, T), each row has several texts, which do not attend to each other, and whose
    positions begin again (Raffel et al. 2020, section 2.1.4, "packing"): a `ReadsPackedTexts`.
    """

    options: TransformerOptions
    embedding: ReversibleEmbedding
    positions: keras.layers.Layer | None = None
    drop: keras.layers.Layer
    blocks: list[EncoderBlock]
    norm: keras.layers.Layer
    bias: Bias | None
    embedding_scale: float | None = None
    logit_soft_cap: float | None = None

    def functional(self) -> dict[str, Tensors]:
        """The inputs and the outputs of the functional model."""
        inputs = language_model_inputs()
        x, _ = self._read(inputs)
        # Logits are float32 under every policy, but their symbolic dtype is not.
        return {"inputs": inputs, "outputs": {"logits": ops.cast(self.logits_of(x), "float32")}}

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group per block.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next.
        """
        embeddings = existing(self.embedding, self.positions)
        return [embeddings, *([block] for block in self.blocks)]

    @property
    def attention_layers(self) -> dict[str, int]:
        return {DECODER: len(self.blocks)} if self.options.has_maps else {}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        return {DECODER: self._read(inputs, with_maps=True)[1]}

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        if TEXTS not in inputs:
            return super().call(inputs, training=training, mask=mask)
        x, _ = self._read(inputs)
        return {"logits": ops.cast(self.logits_of(x), "float32")}

    def check_packed(self) -> None:
        if self.options.attention != FULL:
            raise UserError(
                f"{option_name('packing')} is for attention {FULL!r}: with "
                f"{self.options.attention!r}, texts in one row would see each other"
            )

    def _read(self, inputs: Tensors, with_maps: bool = False) -> tuple[Any, list[Any]]:
        masks = {"padding_mask": inputs["padding_mask"], "use_causal_mask": True}
        if TEXTS not in inputs:
            return read_blocks(self.blocks, self.embed(inputs["token_ids"]), with_maps, **masks)
        # Positions within the attention depend on distances, which are those in each text.
        x = self._embedded(inputs["token_ids"])
        x = self.drop(with_places(self.positions, x, inputs[TEXTS]))
        masks["attention_mask"] = same_text(inputs[TEXTS])
        return read_blocks(self.blocks, x, with_maps, **masks)

    def embed(self, ids: Any, start_index: Any = 0) -> Any:
        """Embeds token ids (B, T), the first at position `start_index`: hidden states (B, T, D)."""
        return self.drop(add_positions(self.positions, self._embedded(ids), start_index))

    def _embedded(self, ids: Any) -> Any:
        # The id of padding may be negative; which row is looked up for it does not matter.
        x = self.embedding(ops.maximum(ids, 0))
        if self.embedding_scale is None:
            return x
        return x * ops.cast(self.embedding_scale, x.dtype)  # rounded, as by transformers

    def logits_of(self, x: Any) -> Any:
        """Computes logits (..., V) from outputs of the last block (..., D)."""
        logits = add_bias(self.bias, self.embedding(self.norm(x), reverse=True))
        if self.logit_soft_cap is None:
            return logits
        return soft_capped(ops.cast(logits, "float32"), self.logit_soft_cap)

    def initial_cache(self, batch_size: Any, max_length: Any) -> list[Any]:
        return initial_caches(self.blocks, batch_size, max_length)

    def extend(self, tokens: Any, caches: list[Any], index: Any) -> tuple[Any, list[Any]]:
        """Reads tokens (B, T) at the positions from `index` on; see `KeyValueModel`."""
        return step_blocks(self.blocks, self.embed(tokens, index), caches, index)

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        x = self.embed(tokens)
        _, cache = step_blocks(self.blocks, x, state["cache"], 0, count=count)
        return {**state, "cache": cache, "index": ops.cast(count, "int32")}

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        index = state["index"]
        x = self.embed(ops.expand_dims(tokens, 1), index)
        x, cache = step_blocks(self.blocks, x, state["cache"], index)
        return self.logits_of(ops.squeeze(x, 1)), {**state, "cache": cache, "index": index + 1}
