"""BERT: its configuration, its tensors and its tasks, from Hugging Face's form and back."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.models.bert_classifiers import BertTextClassifier
from zoo.models.bert_masked_lm import BertMaskedLM
from zoo.models.task_model import TaskModel
from zoo.pretrained import sentences
from zoo.pretrained.activations import activation, their_activation
from zoo.pretrained.bert_vocabulary import read_tokenizer, tokenizer_files
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import EXAMPLES, Family, T, Written, begun, of_kind, refuse
from zoo.pretrained.tensor_map import Row, linear, norm, read, tensors
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.multi_task import MultiTask
from zoo.tasks.task import Start, Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.tasks.token_tagger import TokenTagger
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

# What `Bert` has not, and what each says where it is not asked for.
REFUSED = {
    "is_decoder": False,
    "add_cross_attention": False,
    "position_embedding_type": "absolute",
    "tie_word_embeddings": True,
}
ONE_OF_SEVERAL = "single_label_classification"
# Whose checkpoints hold a pooler; others may, as may those of sentence encoders, which need none.
POOLED = ("BertModel", "BertForPreTraining", "BertForSequenceClassification")

# --- Configuration ---


def _settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """The arguments of `Bert` that a `config.json` stands for.

    Raises:
        UserError: If it asks for what `Bert` has not.
    """
    config = checkpoint.config
    refuse(checkpoint, REFUSED)
    if config.get("pad_token_id", 0) not in (0, None):
        raise UserError(f"pad_token_id must be 0, got {config['pad_token_id']}")
    return {
        "model": "bert",
        "preset": "base",
        "num_layers": config["num_hidden_layers"],
        "hidden_dim": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "intermediate_dim": config["intermediate_size"],
        "activation": activation(config.get("hidden_act", "gelu")),
        "dropout": config.get("hidden_dropout_prob", 0.1),
        "attention_dropout": config.get("attention_probs_dropout_prob", 0.1),
        "max_sequence_length": config.get("max_position_embeddings", 512),
        "num_segments": config.get("type_vocab_size", 2),
        "epsilon": config.get("layer_norm_eps", 1e-12),
    }


def _config(model: Bert, tokenizer: BertWordPieceTokenizer) -> dict[str, Any]:
    ours = model.get_config()
    return {
        "model_type": "bert",
        "vocab_size": ours["vocabulary_size"],
        "num_hidden_layers": ours["num_layers"],
        "hidden_size": ours["hidden_dim"],
        "num_attention_heads": ours["num_heads"],
        "intermediate_size": ours["intermediate_dim"],
        "hidden_act": their_activation(ours["activation"]),
        "hidden_dropout_prob": ours["dropout"],
        "attention_probs_dropout_prob": ours["attention_dropout"],
        "max_position_embeddings": ours["max_sequence_length"],
        "type_vocab_size": ours["num_segments"],
        "layer_norm_eps": ours["epsilon"],
        "pad_token_id": tokenizer.special_tokens.pad,
    }


# --- Tensors ---


def _encoder(model: Bert) -> Iterator[Row]:
    tables = {"word": model.embedding, "token_type": model.segment_embedding}
    for name, layer in tables.items():
        yield Row(f"embeddings.{name}_embeddings.weight", (layer.weights[0],), inputs=1)
    positions = (model.positions.weights[0],)
    yield Row("embeddings.position_embeddings.weight", positions, inputs=1, positions=0)
    yield from norm("embeddings.LayerNorm", model.norm.weights)
    for number, block in enumerate(model.blocks):
        layer = f"encoder.layer.{number}"
        heads = block.attention.weights
        for i, name in enumerate(("query", "key", "value")):
            yield from linear(f"{layer}.attention.self.{name}", heads[2 * i : 2 * i + 2])
        yield from linear(f"{layer}.attention.output.dense", heads[6:], inputs=2)
        after_attention, after_feed_forward = (residual.weights for residual in block.residuals)
        yield from norm(f"{layer}.attention.output.LayerNorm", after_attention)
        yield from linear(f"{layer}.intermediate.dense", block.feed_forward.weights[:2])
        yield from linear(f"{layer}.output.dense", block.feed_forward.weights[2:])
        yield from norm(f"{layer}.output.LayerNorm", after_feed_forward)


def _pooler(model: Bert) -> Iterator[Row]:
    return linear("pooler.dense", model.pooler.weights)


def _masks(model: BertMaskedLM) -> Iterator[Row]:
    names = "cls.predictions.transform"
    yield from linear(f"{names}.dense", model.transform.weights)
    yield from norm(f"{names}.LayerNorm", model.transform_norm.weights)
    yield Row("cls.predictions.bias", (model.bias.weights[0],))


def _next_sentence(model: BertMaskedLM) -> Iterator[Row]:
    return linear("cls.seq_relationship", model.next_sentence.weights)


def _classes(model: BertTextClassifier) -> Iterator[Row]:
    return linear("classifier", model.head.weights)


def _read_encoder(model: TaskModel, checkpoint: Checkpoint) -> None:
    # Models with heads keep the encoder under a name of its own.
    prefix = "bert." if "bert.embeddings.word_embeddings.weight" in checkpoint else ""
    read(checkpoint, _encoder(model.backbone), prefix)
    if _has_pooler(checkpoint):
        read(checkpoint, _pooler(model.backbone), prefix)


def _read_masked_lm(model: BertMaskedLM, checkpoint: Checkpoint) -> None:
    _read_encoder(model, checkpoint)
    read(checkpoint, _masks(model))
    if _has_next_sentence(checkpoint):
        read(checkpoint, _next_sentence(model))


def _has_pooler(checkpoint: Checkpoint) -> bool:
    """Whether it is there, or has to be: then reading it names what is missing."""
    needed = checkpoint.architecture in POOLED and not sentences.pooled(checkpoint)
    return needed or checkpoint.has_any(("pooler.dense.", "bert.pooler.dense."))


def _has_next_sentence(checkpoint: Checkpoint) -> bool:
    needed = checkpoint.architecture == "BertForPreTraining"
    return needed or checkpoint.has_any(("cls.seq_relationship.",))


# --- Tasks ---


def _told(task: T, checkpoint: Checkpoint) -> T:
    """The task, after telling which layers the checkpoint has no weights for."""
    new = [] if _has_pooler(checkpoint) else ["pooler"]
    if isinstance(task, MaskedLM) and not _has_next_sentence(checkpoint):
        new.append("next_sentence")
    if new:
        each = " and ".join(new)
        task.origin = [f"{checkpoint.folder} has no weights for {each}: they begin at random"]
        # Where no output goes through a pooler, the log of a training is enough.
        if not isinstance(task, TextEmbedder | TokenTagger):
            warnings.warn(task.origin[0], stacklevel=4)  # where `from_pretrained` is called
    return task


def _embedder(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextEmbedder:
    tokenizer = read_tokenizer(checkpoint, sentences.lowercase(checkpoint))
    task = TextEmbedder(**{"tokenizer": tokenizer.kind, **settings})
    begun(task, tokenizer, lambda model: _read_encoder(model, checkpoint))
    return _told(task, checkpoint)


def _masked_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> MaskedLM:
    tokenizer, task = read_tokenizer(checkpoint), MaskedLM(**settings)
    begun(task, tokenizer, lambda model: _read_masked_lm(model, checkpoint))
    return _told(task, checkpoint)


def _without_head(
    kind: type[Task],
) -> Callable[[Checkpoint, dict[str, Any]], Task]:
    """What makes a task that learns its labels, and heads for them, from data."""

    def make(checkpoint: Checkpoint, settings: dict[str, Any]) -> Task:
        task = kind(**{"tokenizer": BertWordPieceTokenizer.kind, **settings})
        task.start = Start(
            read_tokenizer(checkpoint), lambda model: _read_encoder(model, checkpoint)
        )
        return _told(task, checkpoint)

    return make


def _classifier(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextClassifier:
    settings = {"tokenizer": BertWordPieceTokenizer.kind, **settings}
    tokenizer = read_tokenizer(checkpoint)
    has_head = checkpoint.architecture == "BertForSequenceClassification"
    has_labels = has_head and settings.get("labels") is None
    if has_labels:
        names = checkpoint.config.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
        problem = checkpoint.config.get("problem_type") or ONE_OF_SEVERAL
        if len(names) < 2:
            raise UserError("a head of one output gives a number, not a label: it is not supported")
        if problem != ONE_OF_SEVERAL:
            raise UserError(f"problem_type = {problem} is not supported; only {ONE_OF_SEVERAL}")
        settings["labels"] = [names[number] for number in sorted(names, key=int)]
        settings.setdefault("pairs", False)
    task = TextClassifier(**settings)
    task.start = Start(tokenizer, lambda model: _read_encoder(model, checkpoint))
    if has_labels:
        task.examples = list(EXAMPLES)
        task._use(tokenizer)
        _read_encoder(task.model, checkpoint)
        read(checkpoint, _classes(task.model))
    return _told(task, checkpoint)


def _written(
    task: Task, architecture: str, heads: list[Iterator[Row]], prefix: str = "bert.", **more: Any
) -> Written:
    backbone: Bert = task.model.backbone
    tokenizer = of_kind(task.tokenizer, BertWordPieceTokenizer, "BERT")
    config = {"architectures": [architecture], **_config(backbone, tokenizer), **more}
    found = tensors(_encoder(backbone), prefix) | tensors(_pooler(backbone), prefix)
    for rows in heads:
        found |= tensors(rows)
    return Written(config, found, tokenizer_files(tokenizer, backbone.max_sequence_length))


def _write_embedder(task: TextEmbedder) -> Written:
    written = _written(task, "BertModel", [], prefix="")
    written.files.update(sentences.files(task))
    return written


def _write_masked_lm(task: MaskedLM) -> Written:
    heads = [_masks(task.model), _next_sentence(task.model)]
    return _written(task, "BertForPreTraining", heads)


def _write_classifier(task: TextClassifier) -> Written:
    labels = {str(number): label for number, label in enumerate(task.labels)}
    numbers = {label: number for number, label in enumerate(task.labels)}
    heads = [_classes(task.model)]
    return _written(task, "BertForSequenceClassification", heads, id2label=labels, label2id=numbers)


FAMILY = Family(
    model="bert",
    architectures={
        "BertModel": TextEmbedder.name,
        "BertForPreTraining": MaskedLM.name,
        "BertForMaskedLM": MaskedLM.name,
        "BertForSequenceClassification": TextClassifier.name,
    },
    settings=_settings,
    make={
        TextEmbedder.name: _embedder,
        MaskedLM.name: _masked_lm,
        TextClassifier.name: _classifier,
        TokenTagger.name: _without_head(TokenTagger),
        MultiTask.name: _without_head(MultiTask),
    },
    write={
        TextEmbedder.name: _write_embedder,
        MaskedLM.name: _write_masked_lm,
        TextClassifier.name: _write_classifier,
    },
)
