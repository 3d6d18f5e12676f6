"""The Transformer decoder that writes a target for a source which it sees whole."""

from typing import Any

import keras
from keras import ops

from keras_attn.functional.masks import causal_mask, merge_masks
from zoo.models.gpt_layers import GPTLayers
from zoo.models.prefix import SourceAndTarget, TargetPart, beyond, count_padding, moved
from zoo.models.seq2seq import Seq2Seq, Tensors, seq2seq_inputs


@keras.saving.register_keras_serializable(package="keras_attn")
class PrefixGPT(GPTLayers, Seq2Seq):
    """One stack of Transformer blocks that reads the source both ways and writes the target.

    Its layers and weights are those of `GPT`, whose training can be its start. The positions of a
    target go on from those of its source, so that `max_length` is for both together.

    Source: Raffel et al. 2020, section 3.2.1 (the prefix language model); blocks: Radford et al.
    2018 and 2019, as in `GPT`.
    Formula: `x_0 = E[source, target] + P`, N blocks in which a source position sees the whole
    source, a target position the source and the targets up to itself; `logits = x_N E^T`

    Args:
        **options: Those of `GPTLayers`.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If position is unknown.

    Example:
        >>> model = PrefixGPT(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> sorted(model.input), model.output["logits"].shape
        (['source_ids', 'source_mask', 'target_ids', 'target_mask'], (None, None, 23))
    """

    default_name = "prefix_gpt"

    def new_inputs(self) -> Tensors:
        return seq2seq_inputs()

    @staticmethod
    def positions_of(source_length: int, target_length: int) -> int:
        return source_length + target_length

    def whole_pass(self, inputs: Tensors) -> Any:
        x, _ = self._join_and_read(inputs)
        return TargetPart(name="target_part")(x, inputs["target_ids"])

    def _join_and_read(self, inputs: Tensors, with_maps: bool = False) -> Any:
        join = SourceAndTarget(name="source_and_target")
        ids, first, padding_mask, attention_mask = join(**_four(inputs))
        x = self._embed(ids, first)
        maps = {}
        for layer in self.blocks:
            x = layer(
                x,
                padding_mask=padding_mask,
                attention_mask=attention_mask,
                return_attention_scores=with_maps,
            )
            if with_maps:
                x, maps[layer.name] = x
        return x, maps

    def encode(self, inputs: Tensors) -> Tensors:
        mask = inputs["source_mask"]
        rows, length = ops.shape(mask)
        padding = count_padding(mask)
        x = self._embed(moved(inputs["source_ids"], padding), -padding)
        cache = [layer.initial_cache(rows, length) for layer in self.blocks]
        _, cache = self._steps(x, cache, 0, ops.expand_dims(beyond(padding, length), 1))
        return {"cache": cache, "mask": mask}

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        # Behind the keys and values of the source is room for those of the target.
        room = ((0, 0), (0, 0), (0, max_length), (0, 0))
        cache = keras.tree.map_structure(lambda x: ops.pad(x, room), memory["cache"])
        return {
            "memory": {"mask": memory["mask"]},
            "cache": cache,
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        mask, cache, index = state["memory"]["mask"], state["cache"], state["index"]
        padding, place = count_padding(mask), ops.shape(mask)[1] + index
        x = self._embed(ops.expand_dims(tokens, 1), place - padding)
        room = ops.shape(cache[0][0])[2]
        real = ops.expand_dims(beyond(padding, room), 1)
        seen = merge_masks(causal_mask(1, room, place), real)
        x, cache = self._steps(x, cache, place, seen)
        return self._logits(ops.squeeze(x, 1)), {**state, "cache": cache, "index": index + 1}

    @property
    def attention_layers(self) -> list[str]:
        return [layer.name for layer in self.blocks]

    def attention_maps(self, inputs: Tensors) -> Tensors:
        """The share of each target position's attention that fell on each source position.

        What they lack of one fell on the target.
        """
        _, maps = self._join_and_read(inputs, with_maps=True)
        mask = inputs["source_mask"]
        length, padding = ops.shape(mask)[1], count_padding(mask)
        return {
            name: moved(weights[:, :, length:, :length], -padding) for name, weights in maps.items()
        }


def _four(inputs: Tensors) -> Tensors:
    names = ("source_ids", "source_mask", "target_ids", "target_mask")
    return {name: inputs[name] for name in names}
