"""The converter between BERT checkpoints of Hugging Face and tasks."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.pretrained import bert_tensors as tensors_of
from zoo.pretrained import sentences
from zoo.pretrained.bert_config import read_config, written_config
from zoo.pretrained.bert_vocabulary import read_tokenizer, tokenizer_files
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import (
    CheckpointFiles,
    Converter,
    T,
    check_tokenizer,
    with_weights,
)
from zoo.pretrained.tensor_map import TensorRow, read, tensors
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.multi_task import MultiTask
from zoo.tasks.parts import Pretrained
from zoo.tasks.question_answering import QuestionAnswering
from zoo.tasks.task import Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.tasks.text_pair_scorer import TextPairScorer
from zoo.tasks.text_regressor import TextRegressor
from zoo.tasks.token_tagger import TokenTagger
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

HEADED = "BertForSequenceClassification"
ANSWERING = "BertForQuestionAnswering"
SINGLE_LABEL, REGRESSION = "single_label_classification", "regression"
MULTI_LABEL = "multi_label_classification"

# --- From checkpoints ---


def _text_embedder(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextEmbedder:
    tokenizer = read_tokenizer(checkpoint, sentences.lowercase(checkpoint))
    task = TextEmbedder(**{"tokenizer": tokenizer.kind, **settings})
    return _noted(with_weights(task, tokenizer, _load_encoder(checkpoint)), checkpoint)


def _masked_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> MaskedLM:
    tokenizer, task = read_tokenizer(checkpoint), MaskedLM(**settings)
    with_weights(task, tokenizer, lambda model: tensors_of.read_masked_lm(model, checkpoint))
    return _noted(task, checkpoint)


def _text_classifier(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextClassifier:
    settings = {"tokenizer": BertWordPieceTokenizer.kind, **settings}
    tokenizer = read_tokenizer(checkpoint)
    keeps_head = checkpoint.architecture == HEADED and settings.get("labels") is None
    if keeps_head:
        settings["labels"] = _labels(checkpoint)
        settings.setdefault("multi_label", _problem(checkpoint) == MULTI_LABEL)
        settings.setdefault("pairs", False)
    task, load = TextClassifier(**settings), _load_encoder(checkpoint)
    task.pretrained = Pretrained(tokenizer, load)
    if keeps_head:
        with_weights(task, tokenizer, load)
        read(checkpoint, tensors_of.classifier_head(task.model))
    return _noted(task, checkpoint)


def _labels(checkpoint: Checkpoint) -> list[str]:
    """The labels of a classifier, in the order of their class numbers."""
    problem = _problem(checkpoint)
    if problem == REGRESSION:
        raise UserError(
            f"the head of {checkpoint.folder} predicts values, no labels: load it as a "
            f"{TextRegressor.name}, or give the labels of a new head"
        )
    known = (SINGLE_LABEL, MULTI_LABEL, REGRESSION)
    if problem not in known:
        raise UserError(
            f"problem_type = {problem!r:.40} is unknown; expected one of {', '.join(known)}"
        )
    return _output_names(checkpoint)


def _output_names(checkpoint: Checkpoint) -> list[str]:
    """The names of the outputs of a head, in their order."""
    names = checkpoint.config.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
    return [names[number] for number in sorted(names, key=int)]


def _problem(checkpoint: Checkpoint) -> str:
    """What the head of a checkpoint predicts: a single output is a value."""
    usual = REGRESSION if len(_output_names(checkpoint)) == 1 else SINGLE_LABEL
    problem: str = checkpoint.config.get("problem_type") or usual
    return problem


def _default_task(checkpoint: Checkpoint) -> str:
    """The task of a checkpoint; that of a head depends on what it predicts."""
    if checkpoint.architecture == HEADED and _problem(checkpoint) == REGRESSION:
        return TextRegressor.name
    return CONVERTER.architectures[checkpoint.architecture]


def _with_values(
    kind: type[TextRegressor | TextPairScorer], pairs: bool
) -> Callable[[Checkpoint, dict[str, Any]], Task]:
    """A function that creates a task that gives values; `pairs` is that of a checkpoint's head."""

    def make(checkpoint: Checkpoint, settings: dict[str, Any]) -> Task:
        settings = {"tokenizer": BertWordPieceTokenizer.kind, **settings}
        tokenizer, load = read_tokenizer(checkpoint), _load_encoder(checkpoint)
        given = {"value_names", "value_means", "value_scales"} & settings.keys()
        keeps_head = not given and checkpoint.architecture == HEADED
        if keeps_head and _problem(checkpoint) == REGRESSION:
            names = _output_names(checkpoint)
            units = {"value_means": [0.0] * len(names), "value_scales": [1.0] * len(names)}
            task = kind(**{"pairs": pairs, "value_names": names, **units, **settings})
            with_weights(task, tokenizer, load)
            read(checkpoint, tensors_of.classifier_head(task.model))
            return _noted(task, checkpoint)
        task = kind(**settings)
        task.pretrained = Pretrained(tokenizer, load)
        return _noted(task, checkpoint)

    return make


def _question_answering(checkpoint: Checkpoint, settings: dict[str, Any]) -> QuestionAnswering:
    task = QuestionAnswering(**{"tokenizer": BertWordPieceTokenizer.kind, **settings})
    tokenizer, load = read_tokenizer(checkpoint), _load_encoder(checkpoint)
    task.pretrained = Pretrained(tokenizer, load)
    if checkpoint.architecture == ANSWERING:
        with_weights(task, tokenizer, load)
        read(checkpoint, tensors_of.answer_head(task.model))
    return _noted(task, checkpoint)


def _with_new_head(kind: type[Task]) -> Callable[[Checkpoint, dict[str, Any]], Task]:
    """A function that creates a task whose head is built later, for the labels of its data."""

    def make(checkpoint: Checkpoint, settings: dict[str, Any]) -> Task:
        task = kind(**{"tokenizer": BertWordPieceTokenizer.kind, **settings})
        task.pretrained = Pretrained(read_tokenizer(checkpoint), _load_encoder(checkpoint))
        return _noted(task, checkpoint)

    return make


def _load_encoder(checkpoint: Checkpoint) -> Callable[[Any], None]:
    return lambda model: tensors_of.read_encoder(model.backbone, checkpoint)


def _noted(task: T, checkpoint: Checkpoint) -> T:
    """Records the layers for which the checkpoint has no weights, and returns the task."""
    new = [] if tensors_of.has_pooler(checkpoint) else ["pooler"]
    if isinstance(task, MaskedLM) and not tensors_of.has_next_sentence_head(checkpoint):
        new.append("next_sentence")
    if new:
        layers = " and ".join(new)
        task.origin = [
            f"{checkpoint.folder} has no weights for {layers}: initialized with random weights"
        ]
        # If no output uses the pooler, a line in the training log is enough.
        if not isinstance(task, TextEmbedder | TokenTagger | QuestionAnswering):
            warnings.warn(task.origin[0], stacklevel=5)  # where `from_pretrained` is called
    return task


# --- To checkpoints ---


def _files(
    task: Task,
    architecture: str,
    heads: list[Iterator[TensorRow]],
    prefix: str = "bert.",
    pooled: bool = True,
    **more: Any,
) -> CheckpointFiles:
    backbone: Bert = task.model.backbone
    tokenizer = check_tokenizer(task.tokenizer, BertWordPieceTokenizer, "BERT")
    config = {
        "architectures": [architecture],
        **written_config(backbone, tokenizer.special_tokens.pad),
        **more,
    }
    arrays = tensors(tensors_of.encoder(backbone), prefix)
    arrays |= tensors(tensors_of.pooler(backbone), prefix) if pooled else {}
    for rows in heads:
        arrays |= tensors(rows)
    positions = config["max_position_embeddings"]
    return CheckpointFiles(config, arrays, tokenizer_files(tokenizer, positions))


def _write_text_embedder(task: TextEmbedder) -> CheckpointFiles:
    written = _files(task, "BertModel", [], prefix="")
    written.files.update(sentences.files(task))
    return written


def _write_masked_lm(task: MaskedLM) -> CheckpointFiles:
    encoder, head = task.model.backbone.get_config(), task.model.get_config()
    for name in ("activation", "epsilon"):
        if head[f"head_{name}"] not in (None, encoder[name]):
            raise UserError(
                f"Hugging Face's BERT has one {name} for encoder and head, but this task has "
                f"{encoder[name]} and {head[f'head_{name}']}"
            )
    heads = [tensors_of.masked_lm_head(task.model), tensors_of.next_sentence_head(task.model)]
    return _files(task, "BertForPreTraining", heads)


def _write_text_classifier(task: TextClassifier) -> CheckpointFiles:
    labels = {str(number): label for number, label in enumerate(task.labels)}
    numbers = {label: number for number, label in enumerate(task.labels)}
    heads = [tensors_of.classifier_head(task.model)]
    several = task.settings.multi_label
    problem: dict[str, Any] = {"problem_type": MULTI_LABEL} if several else {}
    return _files(task, HEADED, heads, id2label=labels, label2id=numbers, **problem)


def _write_values(task: TextRegressor | TextPairScorer) -> CheckpointFiles:
    """The files of a task whose head gives values in the units of the data."""
    names, head = task.value_names, task.head
    written = _files(
        task,
        HEADED,
        [tensors_of.classifier_head(task.model)],
        problem_type=REGRESSION,
        id2label={str(number): name for number, name in enumerate(names)},
        label2id={name: number for number, name in enumerate(names)},
    )
    scales, means = (np.array(each, "float32") for each in (head.scales, head.means))
    kernel, bias = (written.tensors[f"classifier.{name}"] for name in ("weight", "bias"))
    scaled = {"weight": kernel * scales[:, None], "bias": bias * scales + means}
    written.tensors.update({f"classifier.{name}": array for name, array in scaled.items()})
    return written


def _write_question_answering(task: QuestionAnswering) -> CheckpointFiles:
    heads = [tensors_of.answer_head(task.model)]
    return _files(task, ANSWERING, heads, pooled=False)  # Hugging Face's has no pooler


CONVERTER = Converter(
    model="bert",
    architectures={
        "BertModel": TextEmbedder.name,
        "BertForPreTraining": MaskedLM.name,
        "BertForMaskedLM": MaskedLM.name,
        HEADED: TextClassifier.name,
        ANSWERING: QuestionAnswering.name,
    },
    settings=read_config,
    make={
        TextEmbedder.name: _text_embedder,
        MaskedLM.name: _masked_lm,
        TextClassifier.name: _text_classifier,
        TextRegressor.name: _with_values(TextRegressor, pairs=False),
        TextPairScorer.name: _with_values(TextPairScorer, pairs=True),
        TokenTagger.name: _with_new_head(TokenTagger),
        QuestionAnswering.name: _question_answering,
        MultiTask.name: _with_new_head(MultiTask),
    },
    write={
        TextEmbedder.name: _write_text_embedder,
        MaskedLM.name: _write_masked_lm,
        TextClassifier.name: _write_text_classifier,
        TextRegressor.name: _write_values,
        TextPairScorer.name: _write_values,
        QuestionAnswering.name: _write_question_answering,
    },
    default_task=_default_task,
)
