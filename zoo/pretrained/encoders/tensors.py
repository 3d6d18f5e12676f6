"""The tensors of the checkpoints of encoders: those of the encoder, and of the heads of tasks."""

from collections.abc import Iterator

import keras

from zoo.models.bert import Bert
from zoo.models.bert_classifiers import BertTextClassifier, BertTokenClassifier
from zoo.models.bert_masked_lm import BertMaskedLM
from zoo.models.transformer_options import OF_WEIGHTS, check_usual
from zoo.pretrained import sentences
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.encoders.config import padding_of
from zoo.pretrained.encoders.family import Family
from zoo.pretrained.tensor_map import TensorRow, linear, norm, read
from zoo.pretrained.tied import check_tied


def encoder(family: Family, backbone: Bert, pad: int) -> Iterator[TensorRow]:
    """The encoder without its pooler.

    Args:
        family: The family.
        backbone: The encoder.
        pad: Id of the padding token.
    """
    if family.layout is not None:
        yield from family.layout.encoder(backbone)
        return
    yield TensorRow(family.words, (backbone.embedding.weights[0],), inputs=1)
    if backbone.segment_embedding is not None:
        types = (backbone.segment_embedding.weights[0],)
        first = 0 if types[0].shape[0] == 1 else None  # others are not used by any text
        yield TensorRow("embeddings.token_type_embeddings.weight", types, 1, positions=first)
    places, unused = (backbone.positions.weights[0],), family.unused_positions(pad)
    yield TensorRow("embeddings.position_embeddings.weight", places, inputs=1, positions=unused)
    yield from norm("embeddings.LayerNorm", backbone.norm.weights)
    if backbone.embedding_projection is not None:
        yield from linear("embeddings_project", backbone.embedding_projection.weights)
    if family.relative_bias is not None and backbone.relative_bias is not None:
        yield TensorRow(family.relative_bias, (backbone.relative_bias.biases,), inputs=1)
    names = family.block
    for number, block in enumerate(backbone.blocks):
        layer = f"{names.blocks}{number}"
        heads = own_weights(block.attention, backbone.relative_bias)
        for i, name in enumerate((names.query, names.key, names.value)):
            yield from linear(f"{layer}.{name}", heads[2 * i : 2 * i + 2])
        yield from linear(f"{layer}.{names.output}", heads[6:], inputs=2)
        after_attention, after_feed_forward = (residual.weights for residual in block.residuals)
        yield from norm(f"{layer}.{names.attention_norm}", after_attention)
        yield from linear(f"{layer}.{names.expand}", block.feed_forward.weights[:2])
        yield from linear(f"{layer}.{names.contract}", block.feed_forward.weights[2:])
        yield from norm(f"{layer}.{names.norm}", after_feed_forward)


def own_weights(layer: keras.Layer, shared: keras.Layer | None) -> list[keras.Variable]:
    """The weights of a layer without those of one that it shares with others."""
    others = {id(each) for each in (shared.weights if shared is not None else ())}
    return [each for each in layer.weights if id(each) not in others]


def masked_lm_head(family: Family, model: BertMaskedLM) -> Iterator[TensorRow]:
    """The masked LM head."""
    if family.layout is not None:
        layers = model.transform, model.transform_norm
        yield from family.layout.hidden(family.heads.masked_dense, *layers)
    else:
        yield from linear(family.heads.masked_dense, model.transform.weights)
        yield from norm(family.heads.masked_norm, model.transform_norm.weights)
    if model.bias is not None:
        yield TensorRow(family.heads.masked_bias, (model.bias.weights[0],))


def next_sentence_head(family: Family, model: BertMaskedLM) -> Iterator[TensorRow]:
    """The next sentence head, if the models of the family have one."""
    if (name := family.heads.next_sentence) is not None:
        yield from linear(name, model.next_sentence.weights)


def classifier_head(family: Family, model: BertTextClassifier) -> Iterator[TensorRow]:
    """The output layer of a classifier of texts."""
    return linear(family.heads.classifier, model.head.weights)


def token_head(name: str, model: BertTokenClassifier) -> Iterator[TensorRow]:
    """The output layer of a head for tokens, of which a family has two."""
    return linear(name, model.head.weights)


def pooler(family: Family, name: str, backbone: Bert) -> Iterator[TensorRow]:
    """The pooler, by the name of its layer."""
    if family.layout is None:
        return linear(name, backbone.pooler.weights)
    return family.layout.hidden(name, backbone.pooler, backbone.pooler_norm)


def read_encoder(family: Family, backbone: Bert, checkpoint: Checkpoint) -> None:
    """Loads the encoder of a checkpoint, with its pooler if it has one."""
    check_usual(backbone.options, family.usual, family.a_checkpoint, OF_WEIGHTS)
    rows = encoder(family, backbone, padding_of(family, checkpoint))
    read(checkpoint, rows, family.prefix_in(checkpoint))
    if (name := pooler_in(family, checkpoint)) is not None:
        read(checkpoint, pooler(family, name, backbone))


def read_masked_lm(family: Family, model: BertMaskedLM, checkpoint: Checkpoint) -> None:
    """Loads the encoder and the masked LM head, and the next sentence head if there is one."""
    read_encoder(family, model.backbone, checkpoint)
    words = family.prefix_in(checkpoint) + family.words
    check_tied(checkpoint, words, family.heads.masked_output)
    read(checkpoint, masked_lm_head(family, model))
    if has_next_sentence_head(family, checkpoint):
        read(checkpoint, next_sentence_head(family, model))


def pooler_in(family: Family, checkpoint: Checkpoint) -> str | None:
    """The layer of a checkpoint that has the weights of the pooler, or must have them.

    It is None if there is none. Checkpoints of some tasks and of sentence encoders may lack it.
    """
    heads = family.heads
    if checkpoint.architecture in family.headed_by_hidden:
        return heads.hidden
    # ModernBERT's classifiers begin with the hidden layer of what fills masks, as in transformers.
    if heads.hidden == heads.masked_dense and checkpoint.has_any((f"{heads.hidden}.",)):
        return heads.hidden
    if heads.pooler is None:
        return None
    name = family.prefix_in(checkpoint) + heads.pooler
    pooled = [family.encoder] if heads.hidden else [family.encoder, family.masked, family.headed]
    needed = checkpoint.architecture in pooled and not sentences.is_sentence_encoder(checkpoint)
    return name if needed or checkpoint.has_any((f"{name}.",)) else None


def has_next_sentence_head(family: Family, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint has a next sentence head, or must have one."""
    name = family.heads.next_sentence
    if name is None:
        return False
    return checkpoint.architecture == family.masked or checkpoint.has_any((f"{name}.",))
