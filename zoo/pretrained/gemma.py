"""The converter between Gemma 2 and 3 checkpoints of Hugging Face and tasks."""

from collections.abc import Iterator, Mapping
from typing import Any

from zoo.errors import UserError
from zoo.models.llama import Llama
from zoo.models.transformer_options import TransformerOptions, check_usual
from zoo.pretrained.byte_fallback_vocabulary import read_tokenizer, special_tokens, tokenizer_files
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import CheckpointFiles, Converter, check_tokenizer
from zoo.pretrained.decoder import causal_lm, decoder_rows, usual
from zoo.pretrained.gemma_config import GEMMA3, read_config, written_windows
from zoo.pretrained.tensor_map import TensorRow, tensors
from zoo.tasks.causal_lm import CausalLM
from zoo.tasks.task import Task
from zoo.text.byte_fallback_bpe import ByteFallbackBPETokenizer

GEMMA2 = "gemma2"
ARCHITECTURES = {GEMMA2: "Gemma2ForCausalLM", GEMMA3: "Gemma3ForCausalLM"}
NORMS = (
    "input_layernorm",
    "post_attention_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)
ONE = 1.0  # what a weight of a normalization is greater by than its tensor
# What every checkpoint of Gemma has.
REQUIRED = {
    "activation": "geglu_tanh",
    "scale_embeddings": True,
    "output_norm": True,
    "qkv_bias": False,
    "no_rope_layer_interval": None,
}


def different(config: Mapping[str, Any]) -> str | None:
    """The first option of a model that checkpoints of Gemma have another value of."""
    return next((name for name, usual in REQUIRED.items() if config[name] != usual), None)


def fits(task: Task) -> bool:
    """Whether the model of a task is one of Gemma."""
    return different(task.model.get_config()) is None


def _written_config(task: CausalLM, tokenizer: ByteFallbackBPETokenizer) -> dict[str, Any]:
    ours, special = task.model.get_config(), tokenizer.special_tokens
    options: TransformerOptions = task.model.options
    check_usual(options, usual(options), "a Gemma checkpoint")
    kind = GEMMA3 if ours["qk_norm"] else GEMMA2
    if kind == GEMMA3 and ours["attention_soft_cap"] is not None:
        raise UserError("no checkpoint has both qk_norm and attention_soft_cap: Gemma 3 has one, "
                        "Gemma 2 the other")  # fmt: skip
    size = ours["key_dim"] or ours["hidden_dim"] // ours["num_heads"]
    return {
        "model_type": kind,
        "architectures": [ARCHITECTURES[kind]],
        "vocab_size": ours["vocabulary_size"],
        "num_hidden_layers": ours["num_layers"],
        "hidden_size": ours["hidden_dim"],
        "num_attention_heads": ours["num_heads"],
        "num_key_value_heads": ours["num_key_value_heads"] or ours["num_heads"],
        "head_dim": size,
        "intermediate_size": ours["intermediate_dim"],
        "hidden_activation": "gelu_pytorch_tanh",
        **written_windows(ours, kind),
        "query_pre_attn_scalar": ours["query_pre_attn_scalar"] or size,
        "attn_logit_softcapping": ours["attention_soft_cap"],
        "final_logit_softcapping": ours["logit_soft_cap"],
        "tie_word_embeddings": ours["tie_embeddings"],
        "attention_dropout": ours["attention_dropout"],
        "rms_norm_eps": ours["epsilon"],
        "max_position_embeddings": task.settings.max_length,
        "bos_token_id": special.start,
        "eos_token_id": special.end,
        "pad_token_id": special.pad if special.pad >= 0 else None,
    }


def _rows(model: Llama) -> Iterator[TensorRow]:
    return decoder_rows(model, NORMS, ONE)


def _causal_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> CausalLM:
    tokenizer = read_tokenizer(checkpoint, special_tokens(checkpoint))
    return causal_lm(checkpoint, settings, tokenizer, _rows, "a Gemma checkpoint")


def _write(task: CausalLM) -> CheckpointFiles:
    tokenizer = check_tokenizer(task.tokenizer, ByteFallbackBPETokenizer, "Gemma")
    return CheckpointFiles(
        _written_config(task, tokenizer),
        tensors(_rows(task.model)),
        tokenizer_files(tokenizer, task.settings.max_length),
    )


CONVERTER = Converter(
    model="llama",
    architectures=dict.fromkeys(ARCHITECTURES.values(), CausalLM.name),
    settings=read_config,
    make={CausalLM.name: _causal_lm},
    write={CausalLM.name: _write},
    fits=fits,
)
