"""Base class of encoder-decoders with Transformer blocks."""

from typing import Any

from keras import ops

from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from zoo.models.attending import CROSS, DECODER, ENCODER, read_blocks
from zoo.models.seq2seq import Seq2Seq, Tensors
from zoo.models.transformer_options import TransformerOptions


class TransformerSeq2Seq(Seq2Seq):
    """A stack of encoder blocks and one of decoder blocks, over whole sequences or step by step.

    Source: Vaswani et al. 2017, section 3.1.

    Subclasses set the options and the blocks, and implement the embeddings before them and the
    logits after them.
    """

    options: TransformerOptions
    encoder: list[EncoderBlock]
    decoder: list[DecoderBlock]

    def embed_source(self, ids: Any) -> Any:
        """Converts source tokens (B, S) to the input of the encoder, (B, S, D)."""
        raise NotImplementedError

    def embed_target(self, ids: Any, start_index: Any = 0) -> Any:
        """Converts target tokens (B, T), the first at `start_index`, to decoder input (B, T, D)."""
        raise NotImplementedError

    def logits_of(self, y: Any) -> Any:
        """Converts the output of the decoder (..., D) to logits (..., V)."""
        raise NotImplementedError

    def end_encoder(self, x: Any) -> Any:
        """Converts the output of the last encoder block to the memory that the decoder reads."""
        return x

    def encode(self, inputs: Tensors) -> Tensors:
        return self._encode(inputs)[0]

    def _encode(self, inputs: Tensors, with_maps: bool = False) -> tuple[Tensors, list[Any]]:
        x, mask = self.embed_source(inputs["source_ids"]), inputs["source_mask"]
        x, maps = read_blocks(self.encoder, x, with_maps, padding_mask=mask)
        return {"sequence": self.end_encoder(x), "mask": mask}, maps

    def whole_pass(self, inputs: Tensors) -> Tensors:
        """The outputs of the functional model."""
        y, *_ = self._decode(inputs, self.encode(inputs))
        # Logits are float32 under every policy, but their symbolic dtype is not.
        return {"logits": ops.cast(self.logits_of(y), "float32")}

    def _decode(self, inputs: Tensors, memory: Tensors, with_maps: bool = False) -> Any:
        y = self.embed_target(inputs["target_ids"])
        of_self, of_cross = [], []
        for layer in self.decoder:
            y = layer(
                y,
                memory["sequence"],
                padding_mask=inputs["target_mask"],
                memory_mask=memory["mask"],
                return_attention_scores=with_maps,
            )
            if with_maps:
                y, own, cross = y
                of_self.append(own)
                of_cross.append(cross)
        return y, of_self, of_cross

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        sequence = memory["sequence"]
        batch_size = ops.shape(sequence)[0]
        return {
            "memory": {
                "projected": [layer.project_memory(sequence) for layer in self.decoder],
                "mask": memory["mask"],
            },
            "cache": [layer.initial_cache(batch_size, max_length) for layer in self.decoder],
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        memory, index = state["memory"], state["index"]
        y = self.embed_target(ops.expand_dims(tokens, 1), index)
        cache = []
        for layer, projected, old in zip(
            self.decoder, memory["projected"], state["cache"], strict=True
        ):
            y, new, _ = layer.step(y, projected, old, index, memory["mask"])
            cache.append(new)
        logits = self.logits_of(ops.squeeze(y, 1))
        return logits, {"memory": memory, "cache": cache, "index": index + 1}

    @property
    def attention_layers(self) -> dict[str, int]:
        if not self.options.has_maps:
            return {}
        of_decoder = len(self.decoder)
        return {ENCODER: len(self.encoder), DECODER: of_decoder, CROSS: of_decoder}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        memory, of_encoder = self._encode(inputs, with_maps=True)
        _, of_decoder, of_cross = self._decode(inputs, memory, with_maps=True)
        return {ENCODER: of_encoder, DECODER: of_decoder, CROSS: of_cross}
