"""A GGUF file, read as a Hugging Face checkpoint."""

from pathlib import Path
from typing import Any

import numpy as np

from zoo.errors import UserError, reason_of
from zoo.pretrained import gguf_gemma
from zoo.pretrained.byte_fallback_vocabulary import START
from zoo.pretrained.byte_splitters import before_text, splitter_json
from zoo.pretrained.checkpoint import Checkpoint, finite
from zoo.pretrained.gguf_bounds import check_bounds
from zoo.pretrained.gguf_positions import TENSOR as FACTORS
from zoo.pretrained.gguf_positions import llama3_scaling
from zoo.text.pretokenize import GPT2, LLAMA3, QWEN2
from zoo.untrusted import check_regular

# Names in a Hugging Face checkpoint, without the number of the layer -> names in a GGUF file.
EMBEDDING = "model.embed_tokens.weight"
TENSORS = {
    EMBEDDING: "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
OF_LAYERS = {
    "input_layernorm.weight": "attn_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.o_proj.weight": "attn_output.weight",
    **{f"self_attn.{each}_proj.bias": f"attn_{each}.bias" for each in "qkv"},
    **{f"self_attn.{each}_norm.weight": f"attn_{each}_norm.weight" for each in "qk"},
    "post_attention_layernorm.weight": "ffn_norm.weight",
    "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
}
# Keys in `config.json` -> keys in a GGUF file, behind the name of the architecture.
CONFIG = {
    "vocab_size": "vocab_size",
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "max_position_embeddings": "context_length",
}
SPECIAL_TOKENS = {"bos_token_id": "bos", "eos_token_id": "eos", "pad_token_id": "padding"}
INTERLEAVED = ("llama", "smollm3")  # in whose files positions are interleaved
ARCHITECTURES = {"llama": "LlamaForCausalLM", "smollm3": "SmolLM3ForCausalLM"}
ARCHITECTURES |= gguf_gemma.ARCHITECTURES
ARCHITECTURES |= {"qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
# Tokens that are ordinary pieces of text, and what a file calls the pre-tokenizers that we have.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 1, 2, 3, 4, 5
PRE_TOKENIZERS = {  # whether each digit is a word of its own, and how texts are split
    "gpt-2": (False, GPT2),
    "smollm": (True, GPT2),
    "llama-bpe": (False, LLAMA3),
    "qwen2": (False, QWEN2),
}
# Words of its vocabulary are not merged; texts begin with the start token, if no field says it.
OF_LLAMA3 = ("llama-bpe",)


def is_gguf(path: Any) -> bool:
    """Whether a path is that of a file whose name ends in `.gguf`."""
    return str(path).endswith(".gguf") and not Path(path).is_dir()


class GGUFFile(Checkpoint):
    """The contents of a GGUF file, under the names that they have in a Hugging Face checkpoint.

    Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.

    Quantized tensors are converted to float32. The files of Llama, but not those of Qwen, have the
    rows of queries and keys in the order of interleaved rotary positions, which is undone. Those of
    Gemma have the weights of normalizations with 1 added, which is undone, too.

    Args:
        path: The file.

    Raises:
        UserError: If the package `gguf` is not installed, the file is damaged, or its architecture,
            tokenizer or type of tensors is not supported.
    """

    def __init__(self, path: str | Path) -> None:
        self.folder = Path(path)
        reader = _reader(self.folder)
        self._fields = reader.fields
        self._stored = {tensor.name: tensor for tensor in reader.tensors}
        kind = self._field("general.architecture")
        if kind not in ARCHITECTURES:
            raise UserError(
                f"{self.folder} has the architecture {kind!r}; expected {', '.join(ARCHITECTURES)}"
            )
        self._kind = kind
        self._is_gemma = kind in gguf_gemma.ARCHITECTURES
        keys = CONFIG | (gguf_gemma.CONFIG if self._is_gemma else {})
        config = {ours: self._field(f"{kind}.{theirs}", None) for ours, theirs in keys.items()}
        config |= {
            ours: self._field(f"tokenizer.ggml.{theirs}_token_id", None)
            for ours, theirs in SPECIAL_TOKENS.items()
        }
        embedding = self._stored.get(TENSORS[EMBEDDING])
        if config["vocab_size"] is None and embedding is not None:
            config["vocab_size"] = int(embedding.shape[-1])
        self._check_positions(kind, config)
        more = {}
        if self._is_gemma:
            more = gguf_gemma.config_of(kind, config, self._scaling(kind))
        factors = self._stored.pop(FACTORS, None)
        if factors is not None:
            theta = float(config["rope_theta"] or 10_000)
            config["rope_scaling"] = llama3_scaling(factors.data, theta, self.folder)
        self._tensors = dict(self._names())
        self._interleaved = kind in INTERLEAVED
        self.config = {
            "model_type": kind,
            "architectures": [ARCHITECTURES[kind]],
            **{name: value for name, value in config.items() if value is not None},
            **more,
            "tie_word_embeddings": "output.weight" not in self._stored,
        }

    def json(self, name: str, default: Any = None) -> Any:
        if name == "tokenizer.json":
            return self._tokenizer()
        if default is None:
            raise UserError(f"{self.folder} has no {name}")
        return default

    def require(self, *names: str) -> None:
        """The file has a tokenizer, or `json` says that it has none."""

    def weights_files(self) -> list[Path]:
        return [self.folder]

    def tensor(self, name: str) -> np.ndarray:
        import gguf

        stored = self._where(name)
        try:
            array = gguf.dequantize(stored.data, stored.tensor_type)
        except (NotImplementedError, ValueError) as error:
            raise UserError(
                f"{self.folder}: the tensor {stored.name} of type {stored.tensor_type.name} cannot "
                f"be read: {reason_of(error)}"
            ) from None
        if self._is_gemma and name.endswith("norm.weight"):
            array = array - 1
        return finite(self._in_halves(name, array), self.folder, name)

    def chat_template(self) -> str | None:
        template = self._field("tokenizer.chat_template", None)
        if template is not None and not isinstance(template, str):
            raise UserError(f"{self.folder}: tokenizer.chat_template must be a text")
        return template

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(int(size) for size in reversed(self._where(name).shape))

    # --- Parts of the file ---

    def _field(self, name: str, *default: Any) -> Any:
        """The value of a field."""
        if name in self._fields:
            return self._fields[name].contents()
        if default:
            return default[0]
        raise UserError(f"{self.folder} has no field {name}")

    def _check_positions(self, kind: str, config: dict[str, Any]) -> None:
        """Refuses positions that are scaled by a field, or that turn only a part of each head."""
        scaling = self._field(f"{kind}.rope.scaling.type", "none")
        if scaling != "none" and not (kind == "gemma3" and scaling == "linear"):
            raise UserError(f"{self.folder} has scaled rotary positions, which are not supported")
        turned = self._field(f"{kind}.rope.dimension_count", None)
        heads, width = config["num_attention_heads"], config["hidden_size"]
        whole = config["head_dim"] or (width // heads if heads and width else None)
        if turned is not None and turned != whole:
            raise UserError(
                f"{self.folder} rotates {turned} of the {whole} features of each head, which is "
                "not supported"
            )

    def _scaling(self, kind: str) -> dict[str, Any]:
        """The scaling of rotary positions by a factor; nothing without one."""
        if self._field(f"{kind}.rope.scaling.type", "none") == "none":
            return {}
        return {"rope_type": "linear", "factor": self._field(f"{kind}.rope.scaling.factor")}

    def _names(self) -> list[tuple[str, str]]:
        """The names of the tensors there are, as a checkpoint has them and as the file does."""
        names = list(TENSORS.items())
        numbers = {name.split(".")[1] for name in self._stored if name.startswith("blk.")}
        of_layers = OF_LAYERS | (gguf_gemma.OF_LAYERS if self._is_gemma else {})
        for number in numbers:
            names += [
                (f"model.layers.{number}.{ours}", f"blk.{number}.{theirs}")
                for ours, theirs in of_layers.items()
            ]
        known = [(ours, theirs) for ours, theirs in names if theirs in self._stored]
        left = set(self._stored) - {theirs for _, theirs in known}
        if left:
            raise UserError(f"{self.folder} has the tensor {min(left)}, which is not supported")
        return known

    def _where(self, name: str) -> Any:
        if name not in self._tensors:
            raise UserError(f"{self.folder} lacks the tensor {name}")
        return self._stored[self._tensors[name]]

    def _in_halves(self, name: str, array: np.ndarray) -> np.ndarray:
        """The rows of queries and keys, of each head first the one half of all pairs."""
        heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}
        key = next((key for part, key in heads.items() if f".{part}." in name), None)
        if key is None or not self._interleaved:
            return array
        count = self.config.get(key) or self.config["num_attention_heads"]
        if array.shape[0] % (2 * count):
            raise UserError(f"{self.folder}: {name} has {array.shape[0]} rows for {count} heads")
        pairs = array.reshape(count, array.shape[0] // count // 2, 2, array.shape[1])
        return pairs.swapaxes(1, 2).reshape(array.shape)

    def _tokenizer(self) -> dict[str, Any]:
        """The content of a `tokenizer.json`."""
        if self._is_gemma:
            return self._tokenizer_of_gemma()
        kind, splitter = (self._field(f"tokenizer.ggml.{name}") for name in ("model", "pre"))
        if kind != "gpt2" or splitter not in PRE_TOKENIZERS:
            raise UserError(
                f"{self.folder} has the tokenizer {kind!r} with {splitter!r}; expected 'gpt2' with "
                + " or ".join(map(repr, PRE_TOKENIZERS))
            )
        pieces, types = (self._field(f"tokenizer.ggml.{name}") for name in ("tokens", "token_type"))
        if len(pieces) != len(types):
            raise UserError(f"{self.folder} has {len(pieces)} tokens, and {len(types)} types")
        start = self.config.get("bos_token_id")
        frame = None
        if self._field("tokenizer.ggml.add_bos_token", splitter in OF_LLAMA3):
            if start not in range(len(pieces)):
                raise UserError(f"{self.folder} puts a start token before texts, but names none")
            frame = {"type": "TemplateProcessing", "single": before_text(pieces[start])}
        return {
            "model": {
                "type": "BPE",
                "ignore_merges": splitter in OF_LLAMA3,
                "vocab": {piece: number for number, piece in enumerate(pieces)},
                "merges": self._field("tokenizer.ggml.merges"),
            },
            "pre_tokenizer": splitter_json(*PRE_TOKENIZERS[splitter]),
            "post_processor": frame,
            "added_tokens": [
                {"id": number, "content": piece, "special": type_ != USER_DEFINED}
                for number, (piece, type_) in enumerate(zip(pieces, types, strict=True))
                if type_ != NORMAL
            ],
        }

    def _tokenizer_of_gemma(self) -> dict[str, Any]:
        if (kind := self._field("tokenizer.ggml.model")) != "llama":
            raise UserError(f"{self.folder} has the tokenizer {kind!r}; expected 'llama'")
        if self._field("tokenizer.ggml.add_space_prefix", True):
            raise UserError(f"{self.folder} puts a space before texts, which is not supported")
        names = ("tokens", "scores", "token_type")
        pieces, scores, types = (self._field(f"tokenizer.ggml.{name}") for name in names)
        start = None
        if self._field("tokenizer.ggml.add_bos_token", True):
            start = self.config.get("bos_token_id", START)
            if start not in range(len(pieces)):
                raise UserError(f"{self.folder} puts a start token before texts, but names none")
        return gguf_gemma.tokenizer_json(self.folder, pieces, scores, types, start)


def _reader(path: Path) -> Any:
    """The opened file; its tensors are mapped, not read."""
    try:
        from gguf import GGUFReader
    except ImportError:
        raise UserError(
            "GGUF files require the package gguf: pip install 'keras-attn[gguf]'"
        ) from None
    try:
        check_regular(path)
        check_bounds(path)
        return GGUFReader(path)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except Exception as error:  # any error of the reader, which checks little
        raise UserError(f"{path} is not a GGUF file: {reason_of(error)}") from None
