"""From a checkpoint to the task that it is for."""

from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.bert import (
    bert_config,
    bert_tokenizer,
    load_classifier_head,
    load_encoder,
    load_masked_lm_head,
)
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.run_folder import from_run_folder, is_run_folder
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.task import Start, Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

# What each architecture of a `config.json` is for, if nothing else is asked for.
ARCHITECTURES = {
    "BertModel": TextEmbedder.name,
    "BertForPreTraining": MaskedLM.name,
    "BertForMaskedLM": MaskedLM.name,
    "BertForSequenceClassification": TextClassifier.name,
}
EXAMPLES = ["A man in a red hat.", "to be, or not to be", "It's 5 o'clock!"]  # for verification


def from_pretrained(path_or_hub_id: str | Path, task: str | None = None, **settings: Any) -> Task:
    """A task with the weights and the vocabulary of a Hugging Face checkpoint, or of a run.

    Source: Devlin et al. 2019 for BERT; Reimers & Gurevych 2019 for sentence embeddings.

    Args:
        path_or_hub_id: A folder with `config.json`, `model.safetensors` (or its shards) and
            `tokenizer.json` or `vocab.txt`; the name of a model on the hub; or a run folder, of
            which the new task has the layers that both models share.
        task: text-embedder, masked-lm or text-classifier, and of a run whatever its model is for;
            default what the checkpoint is of. A classifier without a head of its own learns its
            labels, and a head, from data: `adapt`, then `fit`.
        **settings: Settings of the task, such as `max_length`, `labels` or `dropout`.

    Outputs: The task.

    Raises:
        UserError: If the architecture is not supported, a tensor is missing, the vocabulary does
            not fit, or there are no safetensors: no pickle is ever loaded.

    Example:
        >>> import zoo
        >>> zoo.from_pretrained("/no/such/folder")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        UserError: /no/such/folder is no folder with a checkpoint
    """
    if is_run_folder(path_or_hub_id):
        return from_run_folder(path_or_hub_id, task, settings)
    checkpoint = Checkpoint(path_or_hub_id)
    architecture = (checkpoint.config.get("architectures") or ["none"])[0]
    if architecture not in ARCHITECTURES:
        raise UserError(
            f"{checkpoint.folder} is of the architecture {architecture}; supported: "
            f"{', '.join(ARCHITECTURES)}"
        )
    try:
        config = bert_config(checkpoint.config)
    except KeyError as error:
        raise UserError(f"{checkpoint.folder / 'config.json'} lacks {error}") from None
    make = {
        TextEmbedder.name: _embedder,
        MaskedLM.name: _masked_lm,
        TextClassifier.name: _classifier,
    }
    name = task or ARCHITECTURES[architecture]
    if name not in make:
        raise UserError(f"no {name!r} is made of a checkpoint; choose from {', '.join(make)}")
    longest = checkpoint.config.get("max_position_embeddings", 512)
    own = _sentence_settings(checkpoint) if name == TextEmbedder.name else {}
    shape = {"model": "bert", "preset": "base", "max_length": longest}
    settings = shape | config | own | settings
    if settings["max_length"] > longest:
        raise UserError(f"max_length must be at most {longest}, got {settings['max_length']}")
    return make[name](checkpoint, settings)


def _embedder(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextEmbedder:
    tokenizer = bert_tokenizer(checkpoint)
    task = TextEmbedder(**{"tokenizer": tokenizer.kind, **settings})
    task.examples = list(EXAMPLES)
    task._use(tokenizer)
    load_encoder(task.model, checkpoint)
    task.start = Start(tokenizer, lambda model: load_encoder(model, checkpoint))
    return task


def _sentence_settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """What the files of sentence-transformers say of pooling and length; nothing without them.

    Raises:
        UserError: If texts are pooled in a way that `TextEmbedder` has not.
    """
    modules = checkpoint.json("modules.json", default=[{}])
    folders = {each.get("type", "").rpartition(".")[2]: each.get("path") for each in modules}
    if "Pooling" not in folders:
        return {}
    pooling = checkpoint.json(f"{folders['Pooling']}/config.json")
    modes = {key for key, on in pooling.items() if key.startswith("pooling_mode") and on is True}
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if len(modes) != 1 or not modes <= set(known):
        raise UserError(f"{checkpoint.folder}: pooling by {sorted(modes)} is not supported")
    found = {"pooling": known[modes.pop()], "normalize": "Normalize" in folders}
    length = checkpoint.json("sentence_bert_config.json", default={}).get("max_seq_length")
    return found | ({"max_length": length} if length else {})


def _masked_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> MaskedLM:
    task, tokenizer = MaskedLM(**settings), bert_tokenizer(checkpoint)

    def load(model: Any) -> None:
        load_encoder(model, checkpoint)
        load_masked_lm_head(model, checkpoint)

    task.examples = list(EXAMPLES)
    task._use(tokenizer)
    load(task.model)
    task.start = Start(tokenizer, load)
    return task


def _classifier(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextClassifier:
    settings = {"tokenizer": BertWordPieceTokenizer.kind, **settings}
    tokenizer = bert_tokenizer(checkpoint)
    has_labels = "classifier.weight" in checkpoint and settings.get("labels") is None
    if has_labels:
        names = checkpoint.config.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
        settings["labels"] = [names[number] for number in sorted(names, key=int)]
        settings.setdefault("pairs", False)
    task = TextClassifier(**settings)
    task.start = Start(tokenizer, lambda model: load_encoder(model, checkpoint))
    if has_labels:
        task.examples = list(EXAMPLES)
        task._use(tokenizer)
        load_encoder(task.model, checkpoint)
        load_classifier_head(task.model, checkpoint)
    return task
