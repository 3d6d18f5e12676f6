"""Small T5 checkpoints, as folders that Hugging Face's library would write."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.pretrained import tiny_unigram
from tests.zoo.pretrained.tensor_files import save

PAD, END, UNKNOWN = range(3)
ROWS, WIDTH, HEADS, KEY, HIDDEN, BUCKETS, DISTANCE = 241, 12, 3, 5, 19, 6, 11
LAYERS = {"encoder": 3, "decoder": 2}
EXTRA = 2  # sentinels
WIDE, ENDS = 1.2, 2.0  # so that outputs differ, and end
CONFIG = {
    "model_type": "t5",
    "architectures": ["T5ForConditionalGeneration"],
    "is_encoder_decoder": True,
    "vocab_size": ROWS,
    "d_model": WIDTH,
    "d_kv": KEY,
    "d_ff": HIDDEN,
    "num_heads": HEADS,
    "num_layers": LAYERS["encoder"],
    "num_decoder_layers": LAYERS["decoder"],
    "relative_attention_num_buckets": BUCKETS,
    "relative_attention_max_distance": DISTANCE,
    "layer_norm_epsilon": 1e-6,
    "dropout_rate": 0.1,
    "pad_token_id": PAD,
    "eos_token_id": END,
    "decoder_start_token_id": PAD,
}
# The first T5, and T5 1.1, of which Flan-T5 is.
VARIANTS: dict[str, dict[str, Any]] = {
    "t5": {"feed_forward_proj": "relu"},
    "flan": {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
}


def tokenizer() -> Any:
    """The tokenizer in Hugging Face's library `tokenizers`, with sentinels at the end."""
    found = tiny_unigram.learned()
    special = ["<pad>", "</s>", "<unk>"]
    sentinels = [f"<extra_id_{number}>" for number in reversed(range(EXTRA))]
    vocabulary = [(name, 0.0) for name in special]
    vocabulary += [*zip(found.pieces, found.scores, strict=True)]
    vocabulary += [(name, 0.0) for name in sentinels]
    added = (*special, *sentinels)
    return tiny_unigram.tokenizer_json(
        vocabulary, UNKNOWN, ([], ["</s>"]), added, charsmap=found.charsmap
    )


def tensors(variant: str) -> dict[str, np.ndarray]:
    """The tensors of a variant, the same ones whenever they are drawn."""
    inner = HEADS * KEY
    shapes: dict[str, tuple[int, ...]] = {"shared.weight": (ROWS, WIDTH)}
    for side, layers in LAYERS.items():
        kinds = ["SelfAttention", *(["EncDecAttention"] if side == "decoder" else [])]
        for number in range(layers):
            block = f"{side}.block.{number}.layer"
            for i, kind in enumerate(kinds):
                shapes |= {f"{block}.{i}.{kind}.{x}.weight": (inner, WIDTH) for x in "qkv"}
                shapes[f"{block}.{i}.{kind}.o.weight"] = (WIDTH, inner)
            last = f"{block}.{len(kinds)}.DenseReluDense"
            expand = ["wi"] if variant == "t5" else ["wi_0", "wi_1"]
            shapes |= {f"{last}.{name}.weight": (HIDDEN, WIDTH) for name in expand}
            shapes[f"{last}.wo.weight"] = (WIDTH, HIDDEN)
            for i in range(len(kinds) + 1):
                shapes[f"{block}.{i}.layer_norm.weight"] = (WIDTH,)
        bias = f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        shapes[bias] = (BUCKETS, HEADS)
        shapes[f"{side}.final_layer_norm.weight"] = (WIDTH,)
    if variant == "flan":
        shapes["lm_head.weight"] = (ROWS, WIDTH)
    actual = {name: drawn(name, shape) for name, shape in shapes.items()}
    for name in {"shared.weight", "lm_head.weight"} & {*actual}:
        actual[name][END] *= ENDS  # so that outputs end, sooner or later
    return actual


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A tensor, the same whenever it is drawn."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    is_embedding = name in ("shared.weight", "lm_head.weight")
    is_wide = is_embedding or "bias" in name or name.endswith(("Attention.v.weight", "n.o.weight"))
    spread = WIDE if is_wide else 0.4
    return ("norm" in name) + (spread * rng.normal(size=shape)).astype("float32")


def write(
    folder: Path,
    variant: str = "t5",
    without: str = "",
    shards: int = 1,
    changes: dict[str, np.ndarray] | None = None,
    **config: Any,
) -> Path:
    """Writes a checkpoint; `config` replaces entries of `config.json`, `changes` tensors, and the
    tensor `without` is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts = {**CONFIG, **VARIANTS[variant], **config}
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    tokenizer().save(str(folder / "tokenizer.json"))
    every = {**tensors(variant), **(changes or {})}
    save({name: each for name, each in every.items() if name != without}, folder, shards)
    return folder
