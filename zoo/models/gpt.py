"""The Transformer decoder that writes on from what it is given."""

from typing import Any

import keras
from keras import ops

from zoo.models.gpt_layers import GPTLayers
from zoo.models.language_model import LanguageModel, Tensors, language_model_inputs


@keras.saving.register_keras_serializable(package="keras_attn")
class GPT(GPTLayers, LanguageModel):
    """A stack of Transformer blocks in which no position sees a later one.

    Source: Radford et al. 2018, section 3.1 (GPT-1, norms after the sum); Radford et al. 2019,
    section 2.3 (GPT-2, norms before each sublayer and at the end).
    Formula: `x_0 = E[ids] + P`, N causal blocks; `logits = x_N E^T`

    Args:
        **options: Those of `GPTLayers`.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If position is unknown.

    Example:
        >>> model = GPT(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> sorted(model.input), model.output["logits"].shape
        (['padding_mask', 'token_ids'], (None, None, 23))
    """

    default_name = "gpt"

    def new_inputs(self) -> Tensors:
        return language_model_inputs()

    def whole_pass(self, inputs: Tensors) -> Any:
        x = self._embed(inputs["token_ids"])
        for layer in self.blocks:
            x = layer(x, padding_mask=inputs["padding_mask"], use_causal_mask=True)
        return x

    def initial_cache(self, batch_size: Any, max_length: Any) -> list[Any]:
        return [layer.initial_cache(batch_size, max_length) for layer in self.blocks]

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        # What is written of tokens from `count` on is never seen: their steps write it anew.
        _, cache = self._steps(self._embed(tokens), state["cache"], 0)
        return {**state, "cache": cache, "index": ops.cast(count, "int32")}

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        index = state["index"]
        x = self._embed(ops.expand_dims(tokens, 1), index)
        x, cache = self._steps(x, state["cache"], index)
        return self._logits(ops.squeeze(x, 1)), {**state, "cache": cache, "index": index + 1}
