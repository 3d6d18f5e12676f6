"""The tensors of BERT checkpoints: those of the encoder, and of the heads of its tasks."""

from collections.abc import Iterator

from zoo.models.bert import OPTIONS, Bert
from zoo.models.bert_classifiers import BertTextClassifier, BertTokenClassifier
from zoo.models.bert_masked_lm import BertMaskedLM
from zoo.models.transformer_options import OF_WEIGHTS, check_usual
from zoo.pretrained import sentences
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.tensor_map import TensorRow, linear, norm, read
from zoo.pretrained.tied import check_tied

# Architectures whose checkpoints must have a pooler. Checkpoints of other tasks and of sentence
# encoders may lack it.
POOLED = ("BertModel", "BertForPreTraining", "BertForSequenceClassification")


def encoder(backbone: Bert) -> Iterator[TensorRow]:
    """The encoder without its pooler."""
    tables = {"word": backbone.embedding, "token_type": backbone.segment_embedding}
    for name, layer in tables.items():
        yield TensorRow(f"embeddings.{name}_embeddings.weight", (layer.weights[0],), inputs=1)
    positions = (backbone.positions.weights[0],)
    yield TensorRow("embeddings.position_embeddings.weight", positions, inputs=1, positions=0)
    yield from norm("embeddings.LayerNorm", backbone.norm.weights)
    for number, block in enumerate(backbone.blocks):
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


def pooler(backbone: Bert) -> Iterator[TensorRow]:
    """The pooler."""
    return linear("pooler.dense", backbone.pooler.weights)


def masked_lm_head(model: BertMaskedLM) -> Iterator[TensorRow]:
    """The masked LM head."""
    names = "cls.predictions.transform"
    yield from linear(f"{names}.dense", model.transform.weights)
    yield from norm(f"{names}.LayerNorm", model.transform_norm.weights)
    if model.bias is not None:
        yield TensorRow("cls.predictions.bias", (model.bias.weights[0],))


def next_sentence_head(model: BertMaskedLM) -> Iterator[TensorRow]:
    """The next sentence head."""
    return linear("cls.seq_relationship", model.next_sentence.weights)


def classifier_head(model: BertTextClassifier) -> Iterator[TensorRow]:
    """The classification head."""
    return linear("classifier", model.head.weights)


def answer_head(model: BertTokenClassifier) -> Iterator[TensorRow]:
    """The head that finds the first and the last token of an answer."""
    return linear("qa_outputs", model.head.weights)


def prefix(checkpoint: Checkpoint) -> str:
    """What the names of the encoder's tensors begin with, in checkpoints of models with heads."""
    return "bert." if "bert.embeddings.word_embeddings.weight" in checkpoint else ""


def read_encoder(backbone: Bert, checkpoint: Checkpoint) -> None:
    """Loads the encoder of a checkpoint, with its pooler if it has one."""
    check_usual(backbone.options, OPTIONS, "a BERT checkpoint", OF_WEIGHTS)
    begins = prefix(checkpoint)
    read(checkpoint, encoder(backbone), begins)
    if has_pooler(checkpoint):
        read(checkpoint, pooler(backbone), begins)


def read_masked_lm(model: BertMaskedLM, checkpoint: Checkpoint) -> None:
    """Loads the encoder and the masked LM head, and the next sentence head if there is one."""
    read_encoder(model.backbone, checkpoint)
    embedding = f"{prefix(checkpoint)}embeddings.word_embeddings.weight"
    check_tied(checkpoint, embedding, "cls.predictions.decoder.weight")
    read(checkpoint, masked_lm_head(model))
    if has_next_sentence_head(checkpoint):
        read(checkpoint, next_sentence_head(model))


def has_pooler(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint has a pooler, or must have one, so that reading it raises an error."""
    needed = checkpoint.architecture in POOLED and not sentences.is_sentence_encoder(checkpoint)
    return needed or checkpoint.has_any(("pooler.dense.", "bert.pooler.dense."))


def has_next_sentence_head(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint has a next sentence head, or must have one."""
    needed = checkpoint.architecture == "BertForPreTraining"
    return needed or checkpoint.has_any(("cls.seq_relationship.",))
