"""The recurrent encoder-decoder against NumPy float64, and what it refuses."""

import numpy as np
import pytest
from keras import ops

from keras_attn.attention.scores import SCORES
from tests.oracles import recurrent as oracles
from tests.oracles.attention import multi_head
from tests.oracles.other_attention import linear
from tests.zoo.models.families import batch, make, run
from tests.zoo.models.test_models import built_without_weights


def parameters(vocabulary, width, units):
    """Of RNNsearch: two embeddings, a GRU each way, the cell that attends, bridge and logits."""

    def recurrent(inputs):
        return 3 * (inputs * units + units * units + units)

    fed, output = 2 * units * 3 * units, (2 * units + units) * units
    score = units * units + 2 * units * units + units
    bridge, logits = units * units + units, units * vocabulary + vocabulary
    decoder = recurrent(width) + fed + output + score
    return 2 * vocabulary * width + 2 * recurrent(width) + decoder + bridge + logits


@pytest.mark.thorough
def test_the_paper_s_size():
    vocabulary = {"source_vocabulary_size": 30000, "target_vocabulary_size": 30000}
    model = built_without_weights("attention_seq2seq", "base", **vocabulary)
    assert model.count_params() == parameters(30000, 620, 1000)


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


@pytest.mark.quick(6)
@pytest.mark.parametrize("options", [{}, {"gate": True, "deep_output": True}])
@pytest.mark.parametrize(
    ("order", "score"), [("bahdanau", "additive"), *(("luong", score) for score in SCORES)]
)
def test_logits_are_those_of_the_formulas(order, score, options):
    sizes = {"order": order, "score": score, "normalizer": "softmax", **options}
    model, x = make("attention_seq2seq", **sizes), batch()
    (source_table,), (target_table,) = map(
        weights_of, (model.source_embedding, model.target_embedding)
    )

    def read(layer, go_backwards):
        step, words = oracles.gru(*weights_of(layer)), source_table[x["source_ids"]]
        return oracles.run(step, words, [np.zeros((3, 11))], x["source_mask"], go_backwards)

    (onward, _), (back, (last,)) = read(model.forwards[0], False), read(model.backwards[0], True)
    memory = np.concatenate([onward, back[:, ::-1]], axis=-1)
    if model.narrow is not None:  # products want two vectors of one width
        memory = memory @ weights_of(model.narrow)[0]
    kernel, bias = weights_of(model.bridges[0][0])
    weights = weights_of(model.lowest)
    step = oracles.attending(
        oracles.gru, weights, memory, x["source_mask"], order, score, **options
    )
    width = 7 if "deep_output" in options else 11
    first = [np.tanh(last @ kernel + bias), np.zeros((3, width))]
    outputs, *_ = oracles.run(step, target_table[x["target_ids"]], first, x["target_mask"])
    kernel, bias = weights_of(model.head)
    expected = outputs @ kernel + bias
    np.testing.assert_allclose(run(model, x), expected, atol=1e-5)


def test_copies_are_of_the_tokens_that_it_attends_to():
    model = make("attention_seq2seq", copy=True, target_vocabulary_size=23, order="luong")
    x = batch()
    inputs = {name: ops.convert_to_tensor(value) for name, value in x.items()}
    weights = np.asarray(model.attention_maps(inputs)["cross"][0], "float64")[:, 0]
    memory = model.encode(inputs)
    outputs = model.lowest(
        model.target_embedding(inputs["target_ids"]),
        initial_state=model._first_states(memory)[0],
        mask=inputs["target_mask"],
        memory=memory["sequence"],
        memory_mask=memory["mask"],
    )
    outputs = np.asarray(outputs, "float64")
    (kernel, bias), (gate, shift) = weights_of(model.head), weights_of(model.copying)
    logits = outputs @ kernel + bias
    chances = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    generates = 1 / (1 + np.exp(-(outputs @ gate + shift)))
    expected = generates * chances
    for row, ids in enumerate(x["source_ids"]):
        for place, token in enumerate(ids):
            copied = (1 - generates[row, :, 0]) * weights[row, :, place]
            expected[row, :, token] += copied
    real = x["target_mask"]  # after it, the output of the step before is repeated
    np.testing.assert_allclose(np.exp(run(model, x))[real], expected[real], atol=1e-6)
    np.testing.assert_allclose(expected[real].sum(axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("order", ["bahdanau", "luong"])
@pytest.mark.parametrize(
    ("options", "formula"),
    [
        (
            {"attention": "multi_head", "score": "general", "normalizer": "sparsemax"},
            lambda weights, query, memory, mask: multi_head(
                weights,
                query,
                memory,
                mask=mask[:, None],
                score="general",
                normalizer="sparsemax",
            ),
        ),
        *(
            (
                {"attention": attention},
                lambda weights, query, memory, mask: (
                    linear(weights, query, memory, key_mask=mask),
                    None,
                ),
            )
            for attention in ("linear", "random_feature")
        ),
    ],
)
def test_logits_with_other_attentions_are_those_of_the_formulas(order, options, formula):
    model, x = make("attention_seq2seq", units=12, num_heads=3, order=order, **options), batch()
    inputs = {name: ops.convert_to_tensor(value) for name, value in x.items()}
    memory = model.encode(inputs)
    first = [np.asarray(state, "float64") for state in model._first_states(memory)[0]]
    (table,), (kernel, bias) = weights_of(model.target_embedding), weights_of(model.head)
    sequence = np.asarray(memory["sequence"], "float64")
    assert model.narrow is None  # the projections into heads take any width
    step = oracles.attending(
        oracles.gru, weights_of(model.lowest), sequence, x["source_mask"], order, formula
    )
    outputs, *_ = oracles.run(step, table[x["target_ids"]], first, x["target_mask"])
    np.testing.assert_allclose(run(model, x), outputs @ kernel + bias, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"copy": True}, "copy requires source_vocabulary_size equal to target_vocabulary_size"),
        (
            {"copy": True, "target_vocabulary_size": 23, "attention": "linear"},
            "copy requires attention='single_head'; received 'linear'",
        ),
        (
            {"copy": True, "target_vocabulary_size": 23, "normalizer": "sigmoid"},
            "copy requires a normalizer whose weights sum to 1, not 'sigmoid'",
        ),
        ({"attention": "full"}, "attention must be one of single_head, multi_head, linear, rand"),
        ({"attention": "multi_head"}, "num_heads must divide units = 11; received 4"),
        (
            {"attention": "linear", "units": 12, "score": "dot"},
            "score requires attention='single_head' or 'multi_head', .* received 'dot'",
        ),
        (
            {"attention": "random_feature", "units": 12, "normalizer": "sparsemax"},
            "normalizer requires attention='single_head'",
        ),
    ],
)
def test_what_does_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        make("attention_seq2seq", **options)


def test_shares_of_exponentials_are_a_softmax():
    one = make("attention_seq2seq", score="exp_dot", normalizer="ratio")
    other = make("attention_seq2seq", score="dot")
    np.testing.assert_allclose(run(one, batch()), run(other, batch()), rtol=1e-6, atol=5e-6)
