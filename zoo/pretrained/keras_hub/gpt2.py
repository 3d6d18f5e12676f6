"""The tensors and the configuration of KerasHub's GPT-2."""

from zoo.pretrained.keras_hub.family import Family
from zoo.pretrained.keras_hub.stored import Tensors, linear, norm, numbered, table


def _tensors(num_layers: int) -> Tensors:
    yield from table("wte", "layers/reversible_embedding")
    yield from table("wpe", "layers/position_embedding")
    for number in range(num_layers):
        ours, theirs = f"h.{number}", numbered("transformer_decoder", number)
        attention, feed_forward = f"{theirs}/_self_attention_layer", f"{theirs}/_feedforward"
        inputs = [f"{attention}/{name}_dense" for name in ("query", "key", "value")]
        yield from norm(f"{ours}.ln_1", f"{attention}_norm")
        yield from linear(f"{ours}.attn.c_attn", *inputs, outputs_first=False)
        output = f"{attention}/output_dense"
        yield from linear(f"{ours}.attn.c_proj", output, inputs=2, outputs_first=False)
        yield from norm(f"{ours}.ln_2", f"{feed_forward}_layer_norm")
        for name, layer in {"c_fc": "intermediate", "c_proj": "output"}.items():
            dense = f"{feed_forward}_{layer}_dense"
            yield from linear(f"{ours}.mlp.{name}", dense, outputs_first=False)
    yield from norm("ln_f", "layers/layer_normalization")


GPT2 = Family(
    architectures={None: "GPT2Model", "GPT2CausalLM": "GPT2LMHeadModel"},
    tokenizer="GPT2Tokenizer",
    sizes={
        "vocabulary_size": ("vocab_size",),
        "num_layers": ("n_layer",),
        "num_heads": ("n_head",),
        "hidden_dim": ("n_embd",),
        "intermediate_dim": ("n_inner",),
        "dropout": ("embd_pdrop", "resid_pdrop", "attn_pdrop"),
        "max_sequence_length": ("n_positions",),
    },
    config={"activation_function": "gelu_new", "layer_norm_epsilon": 1e-5},
    special_tokens={"bos_token_id": "<|endoftext|>", "eos_token_id": "<|endoftext|>"},
    layers=("transformer_decoder",),
    tensors=_tensors,
    lengths={"sequence_length": "max_length"},
)
