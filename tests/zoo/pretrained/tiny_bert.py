"""Small BERT checkpoints, as folders that Hugging Face's library would write."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.pretrained.tensor_files import save

MARKS = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["a", "man", "in", "red", "hat", "dog", "runs", "##s", "##ing", "##t", ".", ",", "!", "e"]
VOCABULARY = [*MARKS, *WORDS, "über", "uber", "##a", "b", "你", "[", "mask", "]"]
WIDTH, HEADS, HIDDEN, LAYERS, POSITIONS = 12, 3, 19, 2, 23
CONFIG = {
    "model_type": "bert",
    "vocab_size": 31,  # more rows than pieces
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "hidden_act": "gelu",
    "max_position_embeddings": POSITIONS,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "pad_token_id": 0,
}
LABELS = {"0": "bad", "1": "good", "2": "neither"}
ARCHITECTURES = {
    "BertModel": ("", ["pooler.dense"]),
    "BertForMaskedLM": ("bert.", ["cls.predictions.transform.dense"]),
    "BertForPreTraining": (
        "bert.",
        ["bert.pooler.dense", "cls.predictions.transform.dense", "cls.seq_relationship"],
    ),
    "BertForSequenceClassification": ("bert.", ["bert.pooler.dense", "classifier"]),
    "BertForQuestionAnswering": ("bert.", ["qa_outputs"]),
}


def tensors(architecture: str) -> dict[str, np.ndarray]:
    """The tensors of an architecture, the same ones whenever they are drawn."""
    prefix, heads = ARCHITECTURES[architecture]
    shapes = {
        f"{prefix}embeddings.word_embeddings.weight": (CONFIG["vocab_size"], WIDTH),
        f"{prefix}embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        f"{prefix}embeddings.token_type_embeddings.weight": (2, WIDTH),
        **norm(f"{prefix}embeddings.LayerNorm"),
    }
    for i in range(LAYERS):
        layer = f"{prefix}encoder.layer.{i}"
        for name in ("query", "key", "value"):
            shapes |= dense(f"{layer}.attention.self.{name}", WIDTH, WIDTH)
        shapes |= dense(f"{layer}.attention.output.dense", WIDTH, WIDTH)
        shapes |= norm(f"{layer}.attention.output.LayerNorm")
        shapes |= dense(f"{layer}.intermediate.dense", HIDDEN, WIDTH)
        shapes |= dense(f"{layer}.output.dense", WIDTH, HIDDEN)
        shapes |= norm(f"{layer}.output.LayerNorm")
    outputs = {"cls.seq_relationship": 2, "classifier": len(LABELS), "qa_outputs": 2}
    for name in heads:
        shapes |= dense(name, outputs.get(name, WIDTH), WIDTH)
    if any("predictions" in name for name in heads):
        shapes |= norm("cls.predictions.transform.LayerNorm")
        shapes["cls.predictions.bias"] = (CONFIG["vocab_size"],)
    return {name: drawn(name, shape) for name, shape in shapes.items()}


def dense(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
    return (centre + 0.4 * rng.normal(size=shape)).astype("float32")


def write(
    folder: Path,
    architecture: str = "BertModel",
    shards: int = 1,
    without: tuple[str, ...] = (),
    **config: Any,
) -> Path:
    """Writes a checkpoint; `config` replaces entries of `config.json`, and tensors whose names
    begin as one of `without` are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts = {**CONFIG, "architectures": [architecture], "id2label": LABELS, **config}
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    every = tensors(architecture)
    save({name: every[name] for name in every if not name.startswith(without)}, folder, shards)
    return folder


def as_json(folder: Path, **changes: dict[str, Any]) -> Path:
    """Puts `tokenizer.json` in the place of `vocab.txt`; `changes` replace facts of its parts."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    ids = {piece: number for number, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens([mark for mark in MARKS if "unused" not in mark])
    whole = json.loads(tokenizer.to_str())
    for name, change in changes.items():
        whole[name] |= change
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    (folder / "vocab.txt").unlink()
    return folder


def as_sentence_encoder(
    folder: Path,
    kinds: tuple[str, ...] = ("Transformer", "Pooling"),
    pooling: dict[str, Any] | None = None,
    **transformer: Any,
) -> Path:
    """Puts the files of sentence-transformers beside a checkpoint."""
    modules = [
        {"path": f"{number}_{kind}" if number else "", "type": f"sentence_transformers.{kind}"}
        for number, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules), "utf-8")
    (folder / "sentence_bert_config.json").write_text(json.dumps(transformer), "utf-8")
    (folder / "1_Pooling").mkdir(exist_ok=True)
    modes = pooling or {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes), "utf-8")
    return folder
