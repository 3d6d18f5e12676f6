"""The tensors and the configuration of KerasHub's BART."""

from zoo.pretrained.bart import OFFSET
from zoo.pretrained.keras_hub.family import Family
from zoo.pretrained.keras_hub.stored import Tensors, linear, norm, numbered, table

SIDES = ("encoder", "decoder")


def _both(key: str) -> tuple[str, ...]:
    return tuple(f"{side}_{key}" for side in SIDES)


def _tensors(num_layers: int) -> Tensors:
    yield from table("shared", "layers/reversible_embedding")
    for index, side in enumerate(SIDES):
        positions = numbered("position_embedding", index)
        yield from table(f"{side}.embed_positions", positions, unused_rows=OFFSET)
        first_norm = numbered("layer_normalization", index)
        yield from norm(f"{side}.layernorm_embedding", first_norm)
        for number in range(num_layers):
            ours, theirs = f"{side}.layers.{number}", numbered(f"transformer_{side}", number)
            yield from _attention(f"{ours}.self_attn", f"{theirs}/_self_attention_layer")
            if side == "decoder":
                yield from _attention(f"{ours}.encoder_attn", f"{theirs}/_cross_attention_layer")
            yield from linear(f"{ours}.fc1", f"{theirs}/_feedforward_intermediate_dense")
            yield from linear(f"{ours}.fc2", f"{theirs}/_feedforward_output_dense")
            yield from norm(f"{ours}.final_layer_norm", f"{theirs}/_feedforward_layer_norm")


def _attention(ours: str, theirs: str) -> Tensors:
    for ours_name, name in {"q_proj": "query", "k_proj": "key", "v_proj": "value"}.items():
        yield from linear(f"{ours}.{ours_name}", f"{theirs}/{name}_dense")
    yield from linear(f"{ours}.out_proj", f"{theirs}/output_dense", inputs=2)
    yield from norm(f"{ours}_layer_norm", f"{theirs}_norm")


BART = Family(
    architectures={None: "BartModel", "BartSeq2SeqLM": "BartForConditionalGeneration"},
    tokenizer="BartTokenizer",
    sizes={
        "vocabulary_size": ("vocab_size",),
        "num_layers": _both("layers"),
        "num_heads": _both("attention_heads"),
        "hidden_dim": ("d_model",),
        "intermediate_dim": _both("ffn_dim"),
        "dropout": ("dropout", "attention_dropout"),
        "max_sequence_length": ("max_position_embeddings",),
    },
    config={"activation_function": "gelu"},
    special_tokens={
        "pad_token_id": "<pad>",
        "bos_token_id": "<s>",
        "eos_token_id": "</s>",
        "decoder_start_token_id": "</s>",
        "forced_bos_token_id": "<s>",
    },
    layers=("transformer_encoder", "transformer_decoder"),
    tensors=_tensors,
    lengths={
        "encoder_sequence_length": "max_source_length",
        "decoder_sequence_length": "max_target_length",
    },
)
