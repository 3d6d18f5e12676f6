"""Truncated backpropagation through time as an option of recurrent models."""

import numpy as np
import pytest
import tensorflow as tf

from zoo.models.create import create_model

SIZES = {"embedding_dim": 7, "units": 7, "num_layers": 2, "dropout": 0.0}
MODELS = {
    "rnn_lm": {"vocabulary_size": 23},
    "rnn_classifier": {"vocabulary_size": 23, "num_classes": 3, "bidirectional": False},
    "rnn_tagger": {"vocabulary_size": 23, "num_classes": 3, "bidirectional": False},
    "rnn_seq2seq": {"source_vocabulary_size": 23, "target_vocabulary_size": 19},
}
LENGTH, STRETCH = 11, 4
IDS = np.arange(5, 5 + LENGTH)[None].astype("int32")  # each token once


def reached(name, truncate):
    """The tokens whose embeddings have a gradient of the last output in training."""
    model = create_model(name, **SIZES, **MODELS[name], truncate=truncate)
    for number, weight in enumerate(model.weights):
        weight.assign(np.random.default_rng(number).normal(size=weight.shape) / 2)
    ids, mask = tf.constant(IDS), tf.ones(IDS.shape, bool)
    if name == "rnn_seq2seq":
        inputs = {"source_ids": ids, "source_mask": mask}
        inputs |= {"target_ids": ids[:, :1], "target_mask": mask[:, :1]}
    else:
        inputs = {"token_ids": ids, "padding_mask": mask}
    with tf.GradientTape() as tape:
        logits = model(inputs, training=True)["logits"]
        last = tf.reduce_sum(tf.reshape(logits, [-1, logits.shape[-1]])[-1] ** 2)
    table = model.source_embedding if name == "rnn_seq2seq" else _embedding(model)
    gradient = tf.convert_to_tensor(tape.gradient(last, table.weights[0].value))
    return np.abs(gradient).max(axis=-1)[IDS[0]] > 0


def _embedding(model):
    return getattr(model, "backbone", model).embedding


@pytest.mark.parametrize("name", MODELS)
def test_gradients_end_where_stretches_begin(name):
    """Of steps 0 to 10 in stretches of 4, the last output depends on 8, 9 and 10 alone."""
    first_read_last = name == "rnn_seq2seq"  # whose source is read from its end
    order = slice(None, None, -1 if first_read_last else 1)
    assert reached(name, None)[order].all()
    expected = np.arange(LENGTH) >= LENGTH // STRETCH * STRETCH
    np.testing.assert_array_equal(reached(name, STRETCH)[order], expected)
