"""Small Gemma 2 and 3 checkpoints, as folders that Hugging Face's library would write."""

import functools
import json
import random
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from tests.zoo.pretrained.tensor_files import save

SPECIAL = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>", "<end_of_turn>"]
PAD, END, START = 0, 1, 2
RUNS = ["\n" * count for count in range(1, 8)] + ["▁" * count for count in range(2, 7)]
TAGS = ["<table>", "<t", "</table>"]  # one begins as another does
TEXT = "the women, no way; a is in 12 themes or other then. fox it's thin"
LAYERS, WIDTH, HEADS, GROUPS, HEAD_DIM, HIDDEN, POSITIONS = 4, 12, 4, 2, 6, 29, 37
CONFIG: dict[str, Any] = {
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS,
    "head_dim": HEAD_DIM,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "hidden_activation": "gelu_pytorch_tanh",
    "max_position_embeddings": POSITIONS,
    "query_pre_attn_scalar": 11,
    "sliding_window": 3,
    "rms_norm_eps": 1e-3,
    "tie_word_embeddings": True,
    "bos_token_id": START,
    "eos_token_id": END,
    "pad_token_id": PAD,
}
LOCAL, GLOBAL = "sliding_attention", "full_attention"
KINDS: dict[str, dict[str, Any]] = {
    "gemma2": {
        "model_type": "gemma2",
        "architectures": ["Gemma2ForCausalLM"],
        "rope_theta": 50.0,
        "attn_logit_softcapping": 2.0,
        "final_logit_softcapping": 5.0,
        "layer_types": [LOCAL, GLOBAL, LOCAL, GLOBAL],
    },
    "gemma3": {
        "model_type": "gemma3_text",
        "architectures": ["Gemma3ForCausalLM"],
        "sliding_window_pattern": 3,
        "rope_theta": 500.0,
        "rope_local_base_freq": 7.0,
    },
}
KINDS["gemma3_scaled"] = {
    **KINDS["gemma3"],
    "rope_scaling": {"rope_type": "linear", "factor": 2.5},
    "final_logit_softcapping": 5.0,
}
NEWER = {  # the same as gemma3_scaled, as newer versions of transformers write it
    "rope_parameters": {
        GLOBAL: {"rope_type": "linear", "factor": 2.5, "rope_theta": 500.0},
        LOCAL: {"rope_type": "default", "rope_theta": 7.0},
    },
    "layer_types": [LOCAL, LOCAL, GLOBAL, LOCAL],
    "rope_scaling": None,
    "sliding_window_pattern": None,
    "rope_theta": None,
    "rope_local_base_freq": None,
}
NEWER = {key: value for key, value in NEWER.items() if value is not None}
OLDER = ("rope_scaling", "sliding_window_pattern", "rope_theta", "rope_local_base_freq")


@functools.cache
def learned() -> tuple[list[str], list[tuple[str, str]]]:
    """The tokens and the merges, ordered as `transformers` makes them of SentencePiece's model."""
    rng, found = random.Random(3), set()
    for word in TEXT.split(" "):
        spaced = f"▁{word}"
        for begin in range(len(spaced)):
            found |= {spaced[begin:end] for end in range(begin + 2, len(spaced) + 1)}
    words = sorted(found)
    rng.shuffle(words)
    words = [*sorted(words[:150], key=len), "s▁t", ".▁"]  # some with a space inside
    characters = sorted({*TEXT.replace(" ", "▁"), *"\nabé"})
    in_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    pieces = list(dict.fromkeys([*SPECIAL, *RUNS, *TAGS, *in_bytes, *words, *characters]))
    ids = {piece: number for number, piece in enumerate(pieces)}
    merges = []
    for piece, score in _scores(words).items():
        cuts = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
        known = [(a, b) for a, b in cuts if a in ids and b in ids]
        merges += [
            (*pair, score) for pair in sorted(known, key=lambda pair: [ids[x] for x in pair])
        ]
    # So that of the same score, longer tokens are merged first, as of spaces.
    merges.sort(key=lambda merge: (merge[2], len(merge[0]), len(merge[1])), reverse=True)
    return pieces, [(left, right) for left, right, _ in merges]


def _scores(words: list[str]) -> dict[str, float]:
    """The scores of SentencePiece's tokens that are merged."""
    of_words = {piece: -float(number) for number, piece in enumerate(words)}
    return {**dict.fromkeys([*RUNS, *TAGS], 0.0), **of_words}


VOCABULARY = learned()[0]


def theirs(starts: bool = True) -> tokenizers.Tokenizer:
    """The tokenizer of Hugging Face's library, which puts the start token before texts."""
    pieces, merges = learned()
    ids = {piece: number for number, piece in enumerate(pieces)}
    model = models.BPE(ids, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    whole = tokenizers.Tokenizer(model)
    whole.normalizer = normalizers.Replace(" ", "▁")
    whole.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    whole.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    for names, special in ((SPECIAL, True), ([*RUNS, *TAGS], False)):
        tokens = [tokenizers.AddedToken(x, normalized=False, special=special) for x in names]
        (whole.add_special_tokens if special else whole.add_tokens)(tokens)
    if starts:
        whole.post_processor = processors.TemplateProcessing(
            single="<bos> $A", pair="<bos> $A <bos>:1 $B:1", special_tokens=[("<bos>", START)]
        )
    return whole


def texts(count: int, seed: int = 0) -> list[str]:
    """Texts of words, spaces, line feeds, tags, and characters that the vocabulary lacks."""
    rng = random.Random(seed)
    parts = [*TEXT.split(" "), *(" " for _ in range(9)), *RUNS, *TAGS, "<table", ">", "▁the"]
    parts += ["é", "ü", "🙂", "日本", "\t", "\0", "e t", "s th", ". ", "  ", "\n", "\n\n", "\r\n"]
    actual = ["".join(rng.choices(parts, k=rng.randrange(25))) for _ in range(count)]
    runs = [each * k for each in (" ", "\n", "▁", "a ", "<t") for k in range(40)]
    return actual + runs + [f"the{' ' * k}the" for k in range(20)]


def tensors(kind: str, tied: bool = True) -> dict[str, np.ndarray]:
    """The tensors, the same ones whenever they are drawn."""
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (len(VOCABULARY), WIDTH),
        "model.norm.weight": (WIDTH,),
    }
    if not tied:
        shapes["lm_head.weight"] = (len(VOCABULARY), WIDTH)
    for number in range(LAYERS):
        layer = {
            "input_layernorm": (WIDTH,),
            "post_attention_layernorm": (WIDTH,),
            "pre_feedforward_layernorm": (WIDTH,),
            "post_feedforward_layernorm": (WIDTH,),
            "self_attn.q_proj": (HEADS * HEAD_DIM, WIDTH),
            "self_attn.k_proj": (GROUPS * HEAD_DIM, WIDTH),
            "self_attn.v_proj": (GROUPS * HEAD_DIM, WIDTH),
            "self_attn.o_proj": (WIDTH, HEADS * HEAD_DIM),
            "mlp.gate_proj": (HIDDEN, WIDTH),
            "mlp.up_proj": (HIDDEN, WIDTH),
            "mlp.down_proj": (WIDTH, HIDDEN),
        }
        if kind != "gemma2":
            layer |= {f"self_attn.{name}_norm": (HEAD_DIM,) for name in "qk"}
        shapes |= {f"model.layers.{number}.{name}.weight": each for name, each in layer.items()}
    return {name: _drawn(name, shape) for name, shape in shapes.items()}


def _drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    actual = 0.4 * rng.normal(size=shape)
    if name in ("model.embed_tokens.weight", "lm_head.weight"):
        actual[END] *= 3  # so that outputs end, sooner or later
    return actual.astype("float32")


def write(folder: Path, kind: str = "gemma3", tied: bool = True, **config: Any) -> Path:
    """Writes a checkpoint; `config` replaces entries of `config.json`, and None removes one."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {**CONFIG, **KINDS[kind], "vocab_size": len(VOCABULARY), "tie_word_embeddings": tied}
    facts = {key: value for key, value in {**facts, **config}.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    theirs().save(str(folder / "tokenizer.json"))
    save(tensors(kind, tied), folder)
    return folder


def write_gguf(path: Path, kind: str = "gemma3", tied: bool = True, **fields: Any) -> Path:
    """Writes the checkpoint as GGUF; `fields` replace those of the file, and None removes one."""
    import gguf

    facts = {**CONFIG, **KINDS[kind]}
    arch = kind.split("_")[0]
    writer = gguf.GGUFWriter(path, arch)
    every = {
        f"{arch}.block_count": LAYERS,
        f"{arch}.context_length": POSITIONS,
        f"{arch}.embedding_length": WIDTH,
        f"{arch}.feed_forward_length": HIDDEN,
        f"{arch}.attention.head_count": HEADS,
        f"{arch}.attention.head_count_kv": GROUPS,
        f"{arch}.attention.key_length": HEAD_DIM,
        f"{arch}.attention.sliding_window": facts["sliding_window"],
        f"{arch}.attention.sliding_window_pattern": {"gemma2": 2, "gemma3": 3}[arch],
        f"{arch}.attention.layer_norm_rms_epsilon": facts["rms_norm_eps"],
        f"{arch}.rope.freq_base": facts["rope_theta"],
        f"{arch}.rope.freq_base_swa": facts.get("rope_local_base_freq"),
        f"{arch}.attn_logit_softcapping": facts.get("attn_logit_softcapping"),
        f"{arch}.final_logit_softcapping": facts.get("final_logit_softcapping"),
        "tokenizer.ggml.bos_token_id": START,
        "tokenizer.ggml.eos_token_id": END,
        "tokenizer.ggml.padding_token_id": PAD,
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.ggml.model": "llama",
    }
    if "rope_scaling" in facts:
        every[f"{arch}.rope.scaling.type"] = facts["rope_scaling"]["rope_type"]
        every[f"{arch}.rope.scaling.factor"] = facts["rope_scaling"]["factor"]
    for name, value in {**every, **fields}.items():
        if isinstance(value, str):
            writer.add_string(name, value)
        elif isinstance(value, bool):
            writer.add_bool(name, value)
        elif isinstance(value, float):
            writer.add_float32(name, value)
        elif value is not None:
            writer.add_uint32(name, value)
    pieces, merges = learned()
    words = [piece for piece in pieces if len(piece) > 1 and piece not in (*SPECIAL, *RUNS, *TAGS)]
    scores = _scores([piece for piece in words if not piece.startswith("<0x")])
    types = {**dict.fromkeys(SPECIAL, 3), **dict.fromkeys([*RUNS, *TAGS], 4), "<unk>": 2}
    writer.add_token_list(pieces)
    writer.add_token_scores([scores.get(piece, -1000.0) for piece in pieces])
    writer.add_token_types(
        [types.get(piece, 6 if piece.startswith("<0x") else 1) for piece in pieces]
    )
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[arch.upper()], LAYERS)
    for name, array in tensors(arch, tied).items():
        stored = names.get_name(name, try_suffixes=(".weight",))
        writer.add_tensor(stored, array + 1 if name.endswith("norm.weight") else array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
