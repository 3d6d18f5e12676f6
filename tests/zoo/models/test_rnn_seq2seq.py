"""The recurrent encoder-decoder without attention against NumPy float64."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles import recurrent as oracles
from tests.zoo.models.families import batch, make, run
from tests.zoo.models.test_models import built_without_weights
from zoo.models.cells import CELLS


def test_the_paper_s_size():
    """Sutskever et al. 2014, section 3.4, and the context's rows of the lowest decoder layer."""
    vocabulary = {"source_vocabulary_size": 160000, "target_vocabulary_size": 80000}
    model = built_without_weights("rnn_seq2seq", "base", **vocabulary)
    layer = 4 * (1000 * 1000 + 1000 * 1000 + 1000)
    context = 1000 * 4 * 1000
    logits = 1000 * 80000 + 80000
    assert model.count_params() == 240000 * 1000 + 8 * layer + context + logits


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


@pytest.mark.parametrize(("deep", "reverse"), [(False, True), (True, True), (True, False)])
@pytest.mark.parametrize(("cell", "states"), [("lstm", 2), ("gru", 1), ("jordan", 1)])
def test_logits_are_those_of_the_formulas(cell, states, deep, reverse):
    options = {"cell": cell, "deep_output": deep, "reverse_source": reverse}
    model, x = make("rnn_seq2seq", num_layers=2, **options), batch()
    step = -1 if reverse else 1
    oracle = getattr(oracles, cell)
    (source_table,), (target_table,) = map(
        weights_of, (model.source_embedding, model.target_embedding)
    )
    h, last = source_table[x["source_ids"]][:, ::step], []
    for layer in model.encoder:
        first = [np.zeros((3, 11))] * states
        h, end = oracles.run(oracle(*weights_of(layer)), h, first, x["source_mask"][:, ::step])
        last.append(end)
    context = last[-1][0]
    words = target_table[x["target_ids"]]
    context = np.repeat(context[:, None], words.shape[1], axis=1)
    y = np.concatenate([words, context], axis=-1)
    for layer, first in zip(model.decoder, last, strict=True):
        y, _ = oracles.run(oracle(*weights_of(layer)), y, first, x["target_mask"])
    if deep:
        y = words + np.concatenate([y, context], axis=-1) @ weights_of(model.deep)[0]
    kernel, bias = weights_of(model.head)
    np.testing.assert_allclose(run(model, x), y @ kernel + bias, atol=1e-5)


@pytest.mark.parametrize("cell", CELLS)
def test_steps_of_every_cell_are_the_whole_pass(cell):
    model, inputs = make("rnn_seq2seq", num_layers=2, cell=cell), batch()
    inputs["target_mask"] = np.ones((3, 5), bool)
    whole = run(model, inputs)
    tensors = keras.tree.map_structure(ops.convert_to_tensor, inputs)
    state = model.initial_state(model.encode(tensors), 5)
    for t in range(5):
        logits, state = model.step(tensors["target_ids"][:, t], state)
        np.testing.assert_allclose(ops.convert_to_numpy(logits), whole[:, t], atol=5e-6)


def test_an_unknown_cell():
    message = "cell must be one of elman, jordan, lstm, gru, orthogonal; received 'elmann'"
    for name in ("rnn_seq2seq", "attention_seq2seq"):
        with pytest.raises(ValueError, match=message):
            make(name, cell="elmann")
