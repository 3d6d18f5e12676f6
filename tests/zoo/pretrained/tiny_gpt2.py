"""A small GPT-2 checkpoint, as a folder that Hugging Face's library would write."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.pretrained.tensor_files import save
from zoo.text.byte_bpe import byte_characters

# The first merges that the English side of Multi30k teaches.
MERGES = (
    "Ġ a, i n, in g, Ġ s, Ġ w, Ġ t, Ġ o, a n, Ġ b, h e, r e, Ġ in, i t, Ġ p, Ġ m, e r, Ġ c, l e, "
    "i s, r o, Ġt he, a r, n d, Ġ g, Ġo n, Ġ h, Ġ d, Ġ f, a l, l a, i r, a t, e n, Ġ is, Ġm an, "
    "Ġo f, Ġa nd, o m, Ġs t, c k, l o, it h, Ġw ith, o r, l d, e t, u n, e s, Ġt o, Ġw om, i d, "
    "o n, Ġw h, Ġs h, Ġd o, an d"
).split(", ")
PIECES = [*byte_characters().values(), *(merge.replace(" ", "") for merge in MERGES)]
VOCABULARY = [*PIECES, "<|endoftext|>"]
END = len(PIECES)
WIDTH, HEADS, HIDDEN, LAYERS, POSITIONS = 12, 3, 29, 2, 37
CONFIG = {
    "model_type": "gpt2",
    "vocab_size": len(VOCABULARY),
    "n_embd": WIDTH,
    "n_head": HEADS,
    "n_layer": LAYERS,
    "n_inner": HIDDEN,
    "n_positions": POSITIONS,
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-3,
    "bos_token_id": END,
    "eos_token_id": END,
}


def tensors(architecture: str = "GPT2LMHeadModel") -> dict[str, np.ndarray]:
    """The tensors of an architecture, the same ones whenever they are drawn."""
    shapes = {
        "wte.weight": (len(VOCABULARY), WIDTH),
        "wpe.weight": (POSITIONS, WIDTH),
        "ln_f.weight": (WIDTH,),
        "ln_f.bias": (WIDTH,),
    }
    for i in range(LAYERS):
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{i}.{name}.{end}": (WIDTH,) for end in ("weight", "bias")}
        kernels = {
            "attn.c_attn": (WIDTH, 3 * WIDTH),
            "attn.c_proj": (WIDTH, WIDTH),
            "mlp.c_fc": (WIDTH, HIDDEN),
            "mlp.c_proj": (HIDDEN, WIDTH),
        }
        for name, shape in kernels.items():
            shapes |= {f"h.{i}.{name}.weight": shape, f"h.{i}.{name}.bias": shape[1:]}
    prefix = "transformer." if architecture == "GPT2LMHeadModel" else ""
    return {prefix + name: drawn(name, shape) for name, shape in shapes.items()}


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    actual = (".ln_1.weight" in name or ".ln_2.weight" in name) + 0.4 * rng.normal(size=shape)
    if name == "wte.weight":
        # So that outputs end, sooner or later.
        actual[END] = 3 * actual[END] + 0.15 * drawn("ln_f.bias", (WIDTH,))
    return actual.astype("float32")


def write(
    folder: Path, architecture: str = "GPT2LMHeadModel", shards: int = 1, **config: Any
) -> Path:
    """Writes a checkpoint; `config` replaces entries of `config.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {**CONFIG, "architectures": [architecture], **config}
    ids = {piece: number for number, piece in enumerate(VOCABULARY)}
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    (folder / "vocab.json").write_text(json.dumps(ids), "utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES]) + "\n", "utf-8")
    save(tensors(architecture), folder, shards)
    return folder


# How other tokenizers split texts, as `tokenizer.json` of Llama 3.2 and Qwen2.5 has it.
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
REGEXES = {"llama3": CL100K % "{1,3}", "qwen2": CL100K % ""}


def theirs(
    vocabulary: list[str] = VOCABULARY,
    merges: list[str] = MERGES,
    split_digits: bool = False,
    pattern: str = "gpt2",
    ignore_merges: bool = False,
) -> Any:
    """The tokenizer as Hugging Face's `tokenizers` has it."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    ids = {piece: number for number, piece in enumerate(vocabulary)}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE(ids, pairs, ignore_merges=ignore_merges))
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if split_digits:
        digits = pre_tokenizers.Digits(individual_digits=True)
        splitter = pre_tokenizers.Sequence([digits, splitter])
    if pattern in REGEXES:
        split = pre_tokenizers.Split(Regex(REGEXES[pattern]), "isolated")
        in_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        splitter = pre_tokenizers.Sequence([split, in_bytes])
    if pattern == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
