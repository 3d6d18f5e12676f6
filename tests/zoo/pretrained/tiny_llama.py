"""A small Llama checkpoint, as a folder that Hugging Face's library would write, and as GGUF."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.pretrained.tensor_files import save
from tests.zoo.pretrained.tiny_gpt2 import MERGES, PIECES, theirs

SPECIAL = ["<|im_start|>", "<|im_end|>"]
VOCABULARY = [*SPECIAL, *PIECES]
START, END = 0, 1
WIDTH, HEADS, GROUPS, HEAD_DIM, HIDDEN, LAYERS, POSITIONS = 12, 4, 2, 6, 29, 2, 37
CONFIG = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": len(VOCABULARY),
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS,
    "head_dim": HEAD_DIM,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "hidden_act": "silu",
    "max_position_embeddings": POSITIONS,
    "rope_theta": 500.0,
    "rms_norm_eps": 1e-3,
    "tie_word_embeddings": True,
    "bos_token_id": START,
    "eos_token_id": END,
}

SCALINGS: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "factor": 2.5},
    "llama3": {
        "rope_type": "llama3",
        "factor": 4.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16,
    },
    "yarn": {
        "rope_type": "yarn",
        "factor": 3.0,
        "original_max_position_embeddings": 16,
        "beta_fast": 3.0,
        "beta_slow": 0.5,
    },
}


FACTORS: list[float] | None = None  # of rotary frequencies in GGUF files


QWEN: dict[str, dict[str, Any]] = {
    "qwen2": {"architectures": ["Qwen2ForCausalLM"], "sliding_window": 16, "max_window_layers": 1},
    "qwen3": {"architectures": ["Qwen3ForCausalLM"], "sliding_window": None},
}
QWEN = {
    kind: {"model_type": kind, "use_sliding_window": False, **own} for kind, own in QWEN.items()
}


OTHERS: dict[str, dict[str, Any]] = {  # with the tensors and the tokenizer of Llama
    "mistral": {"architectures": ["MistralForCausalLM"], "sliding_window": 3},
    "smollm3": {
        "architectures": ["SmolLM3ForCausalLM"],
        "no_rope_layer_interval": 2,
        "no_rope_layers": [1, 0],
        "use_sliding_window": False,
        "pad_token_id": END,
    },
}
OTHERS = {kind: {"model_type": kind, **own} for kind, own in OTHERS.items()}


def tensors(tied: bool = True, kind: str = "llama") -> dict[str, np.ndarray]:
    """The tensors, the same ones whenever they are drawn."""
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (len(VOCABULARY), WIDTH),
        "model.norm.weight": (WIDTH,),
    }
    if not tied:
        shapes["lm_head.weight"] = (len(VOCABULARY), WIDTH)
    for number in range(LAYERS):
        shapes |= {
            f"model.layers.{number}.{name}.weight": shape
            for name, shape in {
                "input_layernorm": (WIDTH,),
                "post_attention_layernorm": (WIDTH,),
                "self_attn.q_proj": (HEADS * HEAD_DIM, WIDTH),
                "self_attn.k_proj": (GROUPS * HEAD_DIM, WIDTH),
                "self_attn.v_proj": (GROUPS * HEAD_DIM, WIDTH),
                "self_attn.o_proj": (WIDTH, HEADS * HEAD_DIM),
                "mlp.gate_proj": (HIDDEN, WIDTH),
                "mlp.up_proj": (HIDDEN, WIDTH),
                "mlp.down_proj": (WIDTH, HIDDEN),
            }.items()
        }
        attention = f"model.layers.{number}.self_attn"
        if kind == "qwen2":
            for name, heads in (("q", HEADS), ("k", GROUPS), ("v", GROUPS)):
                shapes[f"{attention}.{name}_proj.bias"] = (heads * HEAD_DIM,)
        if kind == "qwen3":
            shapes |= {f"{attention}.{name}_norm.weight": (HEAD_DIM,) for name in "qk"}
    return {name: drawn(name, shape) for name, shape in shapes.items()}


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    actual = (len(shape) == 1) + 0.4 * rng.normal(size=shape)
    if name in ("model.embed_tokens.weight", "lm_head.weight"):
        actual[END] *= 3  # so that outputs end, sooner or later
    return actual.astype("float32")


def write(
    folder: Path, tied: bool = True, shards: int = 1, kind: str = "llama", **config: Any
) -> Path:
    """Writes a checkpoint; `config` replaces entries of `config.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {**CONFIG, **{**QWEN, **OTHERS}.get(kind, {}), "tie_word_embeddings": tied, **config}
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    how = {"pattern": "qwen2"} if kind in QWEN else {"split_digits": True}
    whole = theirs(VOCABULARY, MERGES, **how)
    whole.add_special_tokens(SPECIAL)
    whole.save(str(folder / "tokenizer.json"))
    save(tensors(tied, kind), folder, shards)
    return folder


def write_gguf(
    path: Path, tied: bool = True, quantization: str = "F32", kind: str = "llama", **fields: Any
) -> Path:
    """Writes the checkpoint as GGUF; rows of Llama in the order of interleaved positions.

    `fields` replace those of the file; None removes one.
    """
    import gguf

    writer = gguf.GGUFWriter(path, kind)
    every = {
        f"{kind}.block_count": LAYERS,
        f"{kind}.context_length": POSITIONS,
        f"{kind}.embedding_length": WIDTH,
        f"{kind}.feed_forward_length": HIDDEN,
        f"{kind}.attention.head_count": HEADS,
        f"{kind}.attention.head_count_kv": GROUPS,
        f"{kind}.attention.key_length": HEAD_DIM,
        f"{kind}.rope.dimension_count": HEAD_DIM,
        "tokenizer.ggml.bos_token_id": START,
        "tokenizer.ggml.eos_token_id": END,
        "tokenizer.ggml.padding_token_id": END,
        **fields,
    }
    for name, value in every.items():
        if isinstance(value, str):
            writer.add_string(name, value)
        elif isinstance(value, bool):
            writer.add_bool(name, value)
        elif value is not None:
            writer.add_uint32(name, value)
    writer.add_float32(f"{kind}.attention.layer_norm_rms_epsilon", CONFIG["rms_norm_eps"])
    writer.add_float32(f"{kind}.rope.freq_base", CONFIG["rope_theta"])
    if "tokenizer.ggml.model" not in fields:
        writer.add_tokenizer_model("gpt2")
    if "tokenizer.ggml.pre" not in fields:
        writer.add_tokenizer_pre("qwen2" if kind in QWEN else "smollm")
    writer.add_token_list(VOCABULARY)
    writer.add_token_types([3 if piece in SPECIAL else 1 for piece in VOCABULARY])
    writer.add_token_merges(MERGES)
    type_ = gguf.GGMLQuantizationType[quantization]
    for name, array in tensors(tied, kind).items():
        array, stored = array if kind in QWEN else in_pairs(name, array), gguf_name(name, kind)
        if array.ndim == 1 or quantization == "F32":
            writer.add_tensor(stored, array)
        else:
            writer.add_tensor(stored, gguf.quantize(array, type_), raw_dtype=type_)
    if FACTORS is not None:
        writer.add_tensor("rope_freqs.weight", np.array(FACTORS, "float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def in_pairs(name: str, array: np.ndarray) -> np.ndarray:
    """The rows of queries and keys as llama.cpp stores them: the features of a pair in a row."""
    count = {"q_proj": HEADS, "k_proj": GROUPS}.get(name.split(".")[-2])
    if count is None:
        return array
    actual = np.empty_like(array)
    for head in range(count):
        for pair in range(HEAD_DIM // 2):
            for of_pair in range(2):
                there = head * HEAD_DIM + 2 * pair + of_pair
                actual[there] = array[head * HEAD_DIM + of_pair * HEAD_DIM // 2 + pair]
    return actual


def gguf_name(name: str, kind: str = "llama") -> str:
    """The name of a tensor in a GGUF file."""
    import gguf

    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[kind.upper()], LAYERS)
    actual = names.get_name(name, try_suffixes=(".weight", ".bias"))
    assert actual is not None
    return actual
