"""A prefix language model: GPT with bidirectional attention to a source, which it continues."""

from typing import Any

import keras
from keras import ops

from keras_attn.functional.masks import causal_mask, merge_masks
from zoo.models.attending import CROSS, DECODER, ENCODER, PARTS, read_blocks
from zoo.models.causal_blocks import initial_caches, step_blocks
from zoo.models.config import config_of
from zoo.models.gpt import GPT
from zoo.models.prefix import SourceAndTarget, TargetPart, beyond, count_padding, moved
from zoo.models.seq2seq import Seq2Seq, Tensors, seq2seq_inputs
from zoo.models.task_model import TaskModel
from zoo.models.transformer_options import FULL


@keras.saving.register_keras_serializable(package="keras_attn")
class PrefixGPT(TaskModel, Seq2Seq):
    """The layers of a `GPT` as an encoder-decoder: source and target are one sequence.

    A trained `GPT` can initialize it, since both have the same layers and weights. The positions of
    the target continue those of the source, so that both share the positions of the backbone.

    Source: Raffel et al. 2020, section 3.2.1 (the prefix language model).
    Formula: `x_0 = E[source, target] + P`, N blocks in which a source position attends to the
    whole source, a target position to the source and to the target up to itself; logits as in `GPT`

    Args:
        backbone: The GPT.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If the attention of the backbone is not "full". The source attends in both
            directions and the target in one, which takes a mask of pairs of positions. The other
            attentions save the time or the memory of such pairs, and only have masks of positions.

    Example:
        >>> gpt = GPT(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> model = PrefixGPT(gpt)
        >>> sorted(model.input), model.output["logits"].shape
        (['source_ids', 'source_mask', 'target_ids', 'target_mask'], (None, None, 23))
    """

    backbone: GPT

    def __init__(self, backbone: GPT, name: str = "prefix_gpt", **kwargs: Any) -> None:
        self._config = config_of(PrefixGPT, locals())
        # === Layers ===
        attention = backbone.options.attention
        if attention != FULL:
            raise ValueError(
                "prefix_gpt requires attention='full', the only one with a mask of pairs of "
                "positions, since the source attends to all of itself, and the target to what "
                f"comes before it; received {attention!r}."
            )
        self.backbone = backbone

        # === Functional model ===
        inputs = seq2seq_inputs()
        x, _ = self._join_and_read(inputs)
        x = TargetPart(name="target_part")(x, inputs["target_ids"])
        # Logits are float32 under every policy, but their symbolic dtype is not.
        logits = ops.cast(backbone.logits_of(x), "float32")
        super().__init__(inputs=inputs, outputs={"logits": logits}, name=name, **kwargs)

    @staticmethod
    def positions_of(source_length: int, target_length: int) -> int:
        return source_length + target_length

    def _join_and_read(self, inputs: Tensors, with_maps: bool = False) -> Any:
        join = SourceAndTarget(name="source_and_target")
        ids, first, padding_mask, attention_mask = join(**_four(inputs))
        masks = {"padding_mask": padding_mask, "attention_mask": attention_mask}
        return read_blocks(
            self.backbone.blocks, self.backbone.embed(ids, first), with_maps, **masks
        )

    def encode(self, inputs: Tensors) -> Tensors:
        mask = inputs["source_mask"]
        rows, length = ops.shape(mask)
        padding = count_padding(mask)
        x = self.backbone.embed(moved(inputs["source_ids"], padding), -padding)
        blocks, mask_of_source = self.backbone.blocks, ops.expand_dims(beyond(padding, length), 1)
        cache = initial_caches(blocks, rows, length)
        _, cache = step_blocks(blocks, x, cache, 0, mask_of_source)
        return {"cache": cache, "mask": mask}

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        # Allocates space for the target after the keys and values of the source.
        room = ((0, 0), (0, 0), (0, max_length), (0, 0))
        cache = keras.tree.map_structure(lambda x: ops.pad(x, room), memory["cache"])
        return {
            "memory": {"mask": memory["mask"]},
            "cache": cache,
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        mask, cache, index = state["memory"]["mask"], state["cache"], state["index"]
        padding, position = count_padding(mask), ops.shape(mask)[1] + index
        x = self.backbone.embed(ops.expand_dims(tokens, 1), position - padding)
        room = ops.shape(cache[0][0])[2]
        real = ops.expand_dims(beyond(padding, room), 1)
        seen = merge_masks(causal_mask(1, room, position), real)
        x, cache = step_blocks(self.backbone.blocks, x, cache, position, seen)
        logits = self.backbone.logits_of(ops.squeeze(x, 1))
        return logits, {**state, "cache": cache, "index": index + 1}

    @property
    def attention_layers(self) -> dict[str, int]:
        return dict.fromkeys(PARTS, len(self.backbone.blocks))

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        """The attention weights of every block, cut at the end of the source.

        The weights of a target position over the source, "cross", and over the target, "decoder",
        sum to one together.
        """
        _, maps = self._join_and_read(inputs, with_maps=True)
        mask = inputs["source_mask"]
        length, back = ops.shape(mask)[1], -count_padding(mask)
        of_source = [moved(weights[:, :, :length, :length], back) for weights in maps]
        # The rows of the source are moved as its columns are.
        flipped = [moved(ops.swapaxes(weights, 2, 3), back) for weights in of_source]
        return {
            ENCODER: [ops.swapaxes(weights, 2, 3) for weights in flipped],
            DECODER: [weights[:, :, length:, length:] for weights in maps],
            CROSS: [moved(weights[:, :, length:, :length], back) for weights in maps],
        }


def _four(inputs: Tensors) -> Tensors:
    names = ("source_ids", "source_mask", "target_ids", "target_mask")
    return {name: inputs[name] for name in names}
