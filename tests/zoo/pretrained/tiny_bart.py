"""A small BART checkpoint, as a folder that Hugging Face's library would write."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.pretrained.tiny_gpt2 import MERGES, PIECES

VOCABULARY = ["<s>", "<pad>", "</s>", "<unk>", *PIECES, "<mask>"]
START, PAD, END = range(3)
WIDTH, HEADS, HIDDEN, POSITIONS = 12, 3, 19, 23
LAYERS = {"encoder": 2, "decoder": 1}
BIAS = "final_logits_bias"
CONFIG = {
    "model_type": "bart",
    "is_encoder_decoder": True,
    "vocab_size": len(VOCABULARY),
    "d_model": WIDTH,
    **{f"{side}_layers": number for side, number in LAYERS.items()},
    **{f"{side}_attention_heads": HEADS for side in LAYERS},
    **{f"{side}_ffn_dim": HIDDEN for side in LAYERS},
    "max_position_embeddings": POSITIONS,
    "activation_function": "gelu",
    "bos_token_id": START,
    "pad_token_id": PAD,
    "eos_token_id": END,
    "decoder_start_token_id": END,
    "forced_bos_token_id": START,
    "forced_eos_token_id": END,
}
ARCHITECTURE = "BartForConditionalGeneration"


def tensors(architecture: str = ARCHITECTURE) -> dict[str, np.ndarray]:
    """The tensors of an architecture, the same ones whenever they are drawn."""
    shapes: dict[str, tuple[int, ...]] = {"shared.weight": (len(VOCABULARY), WIDTH)}
    for side, layers in LAYERS.items():
        shapes[f"{side}.embed_positions.weight"] = (POSITIONS + 2, WIDTH)
        shapes |= _norm(f"{side}.layernorm_embedding")
        attentions = ["self_attn", *(["encoder_attn"] if side == "decoder" else [])]
        for i in range(layers):
            layer = f"{side}.layers.{i}"
            for name in attentions:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    shapes |= _linear(f"{layer}.{name}.{part}", WIDTH, WIDTH)
                shapes |= _norm(f"{layer}.{name}_layer_norm")
            shapes |= _linear(f"{layer}.fc1", WIDTH, HIDDEN)
            shapes |= _linear(f"{layer}.fc2", HIDDEN, WIDTH)
            shapes |= _norm(f"{layer}.final_layer_norm")
    actual = {name: drawn(name, shape) for name, shape in shapes.items()}
    actual["shared.weight"][END] *= 3  # so that outputs end, sooner or later
    if architecture != ARCHITECTURE:
        return {name.replace("shared", "encoder.embed_tokens"): actual[name] for name in actual}
    return {**{f"model.{name}": actual[name] for name in actual}, BIAS: logits_bias()}


def logits_bias() -> np.ndarray:
    bias = drawn(BIAS, (1, len(VOCABULARY)))
    bias[0, PAD] = -1e4  # as good as what training would make of it
    bias[0, END] += 2
    return bias


def _linear(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    is_scale = "norm" in name and name.endswith("weight")
    spread = 1.2 if "attn" in name or "positions" in name else 0.4  # so that outputs differ
    return (is_scale + spread * rng.normal(size=shape)).astype("float32")


def write(
    folder: Path,
    architecture: str = ARCHITECTURE,
    without: str = "",
    generation: dict[str, Any] | None = None,
    **config: Any,
) -> Path:
    """Writes a checkpoint; `config` replaces entries of `config.json`, `generation` is in a file
    of its own, and the tensor `without` is left out.
    """
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    facts = {**CONFIG, "architectures": [architecture], **config}
    ids = {piece: number for number, piece in enumerate(VOCABULARY)}
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    if generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(generation), "utf-8")
    (folder / "vocab.json").write_text(json.dumps(ids), "utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES]) + "\n", "utf-8")
    actual = {name: tensor for name, tensor in tensors(architecture).items() if name != without}
    save_file(actual, folder / "model.safetensors")
    return folder
