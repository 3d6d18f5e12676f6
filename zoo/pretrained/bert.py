"""BERT: its configuration and its tensors under Hugging Face's names and under ours."""

from collections.abc import Iterator
from typing import Any

import keras
import numpy as np

from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.pretrained.checkpoint import Checkpoint
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

# Hugging Face's names of what a feed-forward network may have between its layers, and ours.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
POSITIONS = "embeddings.position_embeddings.weight"


def bert_config(config: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Bert` that a `config.json` stands for.

    Raises:
        UserError: If it asks for what `Bert` has not.
    """
    position = config.get("position_embedding_type", "absolute")
    if position != "absolute":
        raise UserError(f"positions of the kind {position!r} are not supported; only 'absolute'")
    activation = config.get("hidden_act", "gelu")
    if activation not in ACTIVATIONS:
        raise UserError(
            f"the activation {activation!r} is not supported; only {', '.join(ACTIVATIONS)}"
        )
    if config.get("pad_token_id", 0) not in (0, None):
        raise UserError(f"pad_token_id must be 0, got {config['pad_token_id']}")
    return {
        "num_layers": config["num_hidden_layers"],
        "width": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "hidden_width": config["intermediate_size"],
        "activation": ACTIVATIONS[activation],
        "dropout": config.get("hidden_dropout_prob", 0.1),
        "attention_dropout": config.get("attention_probs_dropout_prob", 0.1),
        "segments": config.get("type_vocab_size", 2),
        "epsilon": config.get("layer_norm_eps", 1e-12),
    }


def bert_tokenizer(checkpoint: Checkpoint) -> BertWordPieceTokenizer:
    """The tokenizer of a checkpoint: `tokenizer.json`, or `vocab.txt` with its configuration.

    Raises:
        UserError: If it is none of BERT's, or of another size than the embedding.
    """
    whole = checkpoint.json("tokenizer.json", default={})
    if whole:
        vocabulary, how = _of_tokenizer_json(whole)
    else:
        settings = checkpoint.json("tokenizer_config.json", default={})
        vocabulary = checkpoint.lines("vocab.txt")
        how = {
            "lowercase": settings.get("do_lower_case", True),
            "strip_accents": settings.get("strip_accents"),
            "split_chinese": settings.get("tokenize_chinese_chars", True),
        }
    rows = checkpoint.config["vocab_size"]
    if len(vocabulary) > rows:
        raise UserError(
            f"{checkpoint.folder}: the vocabulary has {len(vocabulary)} pieces, the embedding "
            f"only {rows} rows"
        )
    # An embedding may have rows to spare.
    vocabulary += [f"[unused-row-{number}]" for number in range(len(vocabulary), rows)]
    return BertWordPieceTokenizer(vocabulary, **how)


def _of_tokenizer_json(whole: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    kinds = [(whole.get(key) or {}).get("type") for key in ("model", "normalizer")]
    if kinds != ["WordPiece", "BertNormalizer"]:
        raise UserError(f"tokenizer.json is {kinds[0]} after {kinds[1]}; expected BERT's WordPiece")
    ids = whole["model"]["vocab"]
    vocabulary = sorted(ids, key=ids.__getitem__)
    normalizer = whole["normalizer"]
    return vocabulary, {
        "lowercase": normalizer["lowercase"],
        "strip_accents": normalizer["strip_accents"],
        "split_chinese": normalizer["handle_chinese_chars"],
    }


def load_encoder(model: Bert, checkpoint: Checkpoint) -> None:
    """Gives a `Bert` the checkpoint's embeddings, blocks and, if there is one, its pooler.

    Raises:
        UserError: If a tensor is missing or has another shape.
    """
    # Models with heads keep the encoder under a name of its own.
    prefix = "bert." if "bert.embeddings.word_embeddings.weight" in checkpoint else ""
    _assign(checkpoint, _encoder(model), prefix)
    if f"{prefix}pooler.dense.weight" in checkpoint:
        _assign(checkpoint, _dense("pooler.dense", model.pooler.weights), prefix)


def load_masked_lm_head(model: Bert, checkpoint: Checkpoint) -> None:
    """Gives a `Bert` the head that guesses masked tokens, and that of pairs if there is one."""
    names = "cls.predictions.transform"
    _assign(checkpoint, _dense(f"{names}.dense", model.transform.weights))
    _assign(checkpoint, _norm(f"{names}.LayerNorm", model.transform_norm.weights))
    _assign(checkpoint, iter([("cls.predictions.bias", model.bias.weights[0], 0)]))
    if "cls.seq_relationship.weight" in checkpoint:
        _assign(checkpoint, _dense("cls.seq_relationship", model.next_sentence.weights))


def load_classifier_head(model: Bert, checkpoint: Checkpoint) -> None:
    """Gives a `Bert` with classes the head that tells them."""
    _assign(checkpoint, _dense("classifier", model.head.weights))


# Name of a tensor, the weight it goes into, and how many leading axes of that are inputs: of
# kernels one or two, which the checkpoint has last; of biases all, of others none.
BIAS = -1
Row = tuple[str, keras.Variable, int]


def _encoder(model: Bert) -> Iterator[Row]:
    names = "embeddings.word_embeddings", "embeddings.token_type_embeddings"
    for name, layer in zip(names, (model.embedding, model.segment_embedding), strict=True):
        yield f"{name}.weight", layer.weights[0], 0
    yield POSITIONS, model.positions.weights[0], 0
    yield from _norm("embeddings.LayerNorm", model.norm.weights)
    for number, block in enumerate(model.blocks):
        layer = f"encoder.layer.{number}"
        heads = block.attention.weights
        for i, name in enumerate(("query", "key", "value")):
            yield from _dense(f"{layer}.attention.self.{name}", heads[2 * i : 2 * i + 2])
        yield from _dense(f"{layer}.attention.output.dense", heads[6:], inputs=2)
        after_attention, after_feed_forward = (residual.weights for residual in block.residuals)
        yield from _norm(f"{layer}.attention.output.LayerNorm", after_attention)
        yield from _dense(f"{layer}.intermediate.dense", block.feed_forward.weights[:2])
        yield from _dense(f"{layer}.output.dense", block.feed_forward.weights[2:])
        yield from _norm(f"{layer}.output.LayerNorm", after_feed_forward)


def _dense(name: str, weights: list[keras.Variable], inputs: int = 1) -> Iterator[Row]:
    kernel, bias = weights
    yield f"{name}.weight", kernel, inputs
    yield f"{name}.bias", bias, BIAS


def _norm(name: str, weights: list[keras.Variable]) -> Iterator[Row]:
    gamma, beta = weights
    yield f"{name}.weight", gamma, 0
    yield f"{name}.bias", beta, 0


def _assign(checkpoint: Checkpoint, rows: Iterator[Row], prefix: str = "") -> None:
    for name, weight, inputs in rows:
        tensor = checkpoint.tensor(prefix + name)
        if name == POSITIONS:  # a task reads no more of them than its texts are long
            tensor = tensor[: weight.shape[0]]
        expected = _shape(weight.shape, inputs)
        if tensor.shape != expected:
            raise UserError(
                f"{checkpoint.folder}: {prefix + name} has shape {tensor.shape}, expected "
                f"{expected}"
            )
        weight.assign((tensor.T if inputs > 0 else tensor).reshape(weight.shape))


def _shape(shape: tuple[int, ...], inputs: int) -> tuple[int, ...]:
    """The checkpoint's shape of a weight: outputs of a kernel before inputs, and heads flat."""
    if inputs == BIAS:
        return (int(np.prod(shape)),)
    if not inputs:
        return tuple(shape)
    return int(np.prod(shape[inputs:])), int(np.prod(shape[:inputs]))
