"""The attention options of Transformer models: against NumPy float64, and against each other."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import MultiHeadAttention
from tests.oracles import blocks
from tests.oracles.position import sinusoidal
from tests.zoo.models import families, language_models
from tests.zoo.models.test_transformer import of_layer
from zoo.models.create import create_model

OF_HEADS = ("num_key_value_heads", "aggregate", "tie_key_value", "score", "normalizer")
CASES = {
    "concat": {
        "aggregate": "concat",
        "score": "general",
        "normalizer": "sparsemax",
        "position": "none",
        "use_bias": True,
    },
    "mean": {
        "aggregate": "mean",
        "num_key_value_heads": 1,
        "score": "exp_dot",
        "normalizer": "ratio",
        "position": "sinusoidal",
        "use_bias": False,
    },
    "tied": {
        "tie_key_value": True,
        "score": "additive",
        "normalizer": "entmax15",
        "position": "shaw",
        "max_distance": 2,
        "tie_embeddings": False,
        "use_bias": True,
    },
}
every_case = pytest.mark.parametrize("options", CASES.values(), ids=list(CASES))


def how(options):
    """What the oracle of a block takes of them."""
    shaw = ("shaw", {}) if options["position"] == "shaw" else None
    return {name: options[name] for name in OF_HEADS if name in options} | {"position": shaw}


def enter(table, ids, options):
    """Embeddings of tokens and positions."""
    x = table[ids]
    return x + sinusoidal(*x.shape[1:]) if options["position"] == "sinusoidal" else x


def leave(model, embedding, y, bias="logits_bias"):
    """The logits of hidden states."""
    table, *own = of_layer(model, embedding)
    names = [layer.name for layer in model.layers]
    return y @ (own[0] if own else table.T) + (of_layer(model, bias)[0] if bias in names else 0.0)


@every_case
def test_the_logits_of_gpt_are_those_of_the_formulas(options):
    model, inputs = language_models.make("gpt", **options), language_models.batch()
    x = enter(of_layer(model, "embedding")[0], inputs["token_ids"], options)
    seen = np.tril(np.ones((7, 7), bool)) & inputs["padding_mask"][:, None]
    of_block = {"activation": "gelu_tanh", "pre_norm": True, **how(options)}
    for i in range(2):
        x = blocks.encoder_block(of_layer(model, f"block_{i}"), x, seen, **of_block)
    expected = leave(model, "embedding", blocks.layer_norm(x, *of_layer(model, "norm")))
    real = inputs["padding_mask"]
    np.testing.assert_allclose(families.run(model, inputs)[real], expected[real], atol=3e-5)
    assert ("logits_bias" in [layer.name for layer in model.layers]) == options["use_bias"]


@every_case
@pytest.mark.parametrize("name", ["transformer", "bart"])
def test_the_logits_of_an_encoder_decoder_are_those_of_the_formulas(name, options):
    model, x = families.make(name, **options), families.batch()
    is_bart = name == "bart"
    names = ["embedding"] * 2 if is_bart else ["source_embedding", "target_embedding"]
    source, target = (of_layer(model, each)[0] for each in names)
    scale = 1.0 if is_bart else np.sqrt(8)
    epsilon = 1e-5 if is_bart else blocks.EPSILON

    def start(side, table):
        hidden = enter(scale * table, x[f"{side}_ids"], options)
        return (
            blocks.layer_norm(hidden, *of_layer(model, f"{side}_norm"), epsilon)
            if is_bart
            else hidden
        )

    of_block = {"activation": "gelu" if is_bart else "relu", "epsilon": epsilon, **how(options)}
    memory = start("source", source)
    seen = np.broadcast_to(x["source_mask"][:, None], (3, 7, 7))
    memory = blocks.encoder_block(of_layer(model, "encoder_0"), memory, seen, **of_block)
    masks = (x["target_mask"], x["source_mask"])
    y = blocks.decoder_block(
        of_layer(model, "decoder_0"), start("target", target), memory, *masks, **of_block
    )
    np.testing.assert_allclose(families.run(model, x), leave(model, names[1], y), atol=3e-5)


@every_case
def test_the_logits_of_masked_bert_are_those_of_the_formulas(options):
    sizes = {"vocabulary_size": 23, "num_layers": 1, "hidden_dim": 8, "num_heads": 2}
    quiet = {"dropout": 0.0, "attention_dropout": 0.0, "intermediate_dim": 13, "epsilon": 0.01}
    model = create_model("bert", task="masked-lm", **sizes, **quiet, **options)
    for number, weight in enumerate(model.weights):
        weight.assign(0.35 * np.random.default_rng(number).normal(size=weight.shape))
    inputs = language_models.batch()
    ids, real = inputs["token_ids"], inputs["padding_mask"]
    segments = np.zeros_like(ids)
    x = of_layer(model, "embedding")[0][ids] + of_layer(model, "segment_embedding")[0][segments]
    x = x + sinusoidal(7, 8) if options["position"] == "sinusoidal" else x
    x = blocks.layer_norm(x, *of_layer(model, "norm"), 0.01)
    seen = np.broadcast_to(real[:, None], (3, 7, 7))
    x = blocks.encoder_block(
        of_layer(model, "block_0"), x, seen, "gelu", False, 0.01, **how(options)
    )
    kernel, bias = of_layer(model, "masked_lm_transform")
    hidden = blocks.layer_norm(
        blocks.gelu(x @ kernel + bias), *of_layer(model, "masked_lm_norm"), 0.01
    )
    (table,) = of_layer(model, "embedding")
    if not options.get("tie_embeddings", True):
        table = of_layer(model, "masked_lm_output")[0].T
    expected = hidden @ table.T
    expected += of_layer(model, "masked_lm_bias")[0] if options["use_bias"] else 0.0
    actual = ops.convert_to_numpy(model({**inputs, "segment_ids": segments})["mlm_logits"])
    np.testing.assert_allclose(actual[real], expected[real], atol=3e-5)


def logits(model, weights=None):
    if weights is not None:
        model.set_weights(weights)
    return families.run(model, language_models.batch())


def test_a_window_over_the_whole_text_is_full_attention():
    full = language_models.make("gpt")
    local = language_models.make("gpt", attention="local", window=7)
    np.testing.assert_allclose(logits(local, full.get_weights()), logits(full), atol=2e-6)
    near = language_models.make("gpt", attention="local", window=1)
    assert np.abs(logits(near, full.get_weights()) - logits(full)).max() > 1e-2


def test_as_many_heads_of_keys_as_of_queries_are_full_attention():
    full, same = (language_models.make("gpt", num_key_value_heads=n) for n in (None, 2))
    np.testing.assert_array_equal(logits(same, full.get_weights()), logits(full))


def test_tied_keys_and_values_are_copied_weights():
    tied, untied = language_models.make("gpt", tie_key_value=True), language_models.make("gpt")
    left, copied = iter(tied.get_weights()), []
    for weight in untied.weights:
        # Kernel and bias of the keys come before those of the values.
        copied.append(copied[-2] if "/attention/value/" in weight.path else next(left))
    assert list(left) == []
    np.testing.assert_allclose(logits(untied, copied), logits(tied), atol=2e-6)


def test_the_mean_of_heads_is_a_projection_of_their_concatenation():
    """With wide heads V and identities below each other, divided by H, as output kernel."""
    mean = language_models.make("gpt", aggregate="mean")
    attention = mean.blocks[0].attention
    project = MultiHeadAttention(2, 4, value_dim=8)
    x = np.random.default_rng(5).normal(size=(2, 3, 8)).astype("float32")
    project.build(x.shape, x.shape)
    average = np.concatenate([np.eye(8)] * 2).reshape(2, 8, 8) / 2
    project.set_weights([*attention.get_weights(), average, np.zeros(8)])
    assert [w.path.split("/")[-2] for w in attention.weights[::2]] == ["query", "key", "value"]
    np.testing.assert_allclose(attention(x, x), project(x, x), atol=1e-6)


def fitted(weight, epochs, **options):
    """A GPT and its history, trained on one batch."""
    sizes = {"vocabulary_size": 23, "num_layers": 2, "hidden_dim": 16, "num_heads": 4}
    quiet = {"dropout": 0.0, "attention_dropout": 0.0, "intermediate_dim": 13, **options}
    keras.utils.set_random_seed(0)
    model = create_model("gpt", **sizes, **quiet, head_diversity=weight)
    for number, each in enumerate(model.weights):
        each.assign(0.35 * np.random.default_rng(number).normal(size=each.shape))
    inputs = {**language_models.batch(), "padding_mask": np.ones((3, 7), bool)}
    before = overlap(model, inputs)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), {"logits": loss})
    targets = {"logits": np.roll(inputs["token_ids"], -1, axis=1)}
    how = {"batch_size": 3, "epochs": epochs, "validation_data": (inputs, targets)}
    history = model.fit(inputs, targets, **how, verbose=0).history
    return history, before, overlap(model, inputs), model


def overlap(model, inputs):
    """Lin et al. 2017, equation 8, without the weight: its mean over texts and positions."""
    total = 0.0
    for weights in model.attention_maps({k: ops.convert_to_tensor(v) for k, v in inputs.items()})[
        "decoder"
    ]:
        rows = np.swapaxes(ops.convert_to_numpy(weights).astype("float64"), 1, 2)
        products = rows @ np.swapaxes(rows, 2, 3) - np.eye(4)
        total += (products**2).sum((2, 3)).mean()
    return total


def test_the_penalty_is_in_the_loss_and_in_the_log():
    without, _, _, plain = fitted(0.0, 1)
    history, before, _, model = fitted(0.3, 1)
    assert "head_diversity" not in without and plain.head_diversity is None
    np.testing.assert_allclose(history["head_diversity"], 0.3 * before, rtol=1e-5)
    expected = without["loss"][0] + 0.3 * before
    np.testing.assert_allclose(history["loss"], expected, rtol=1e-5)
    assert [name for name in history if name.startswith("val_")] == ["val_loss"]
    assert [w.shape for w in model.weights] == [w.shape for w in plain.weights]


@pytest.mark.thorough
def test_training_lowers_the_overlap_of_the_heads():
    _, before, after, _ = fitted(1.0, 30)
    _, _, without, _ = fitted(0.0, 30)
    assert after < 0.7 * before and after < 0.8 * without


def test_a_model_of_a_task_logs_the_penalty_of_its_backbone():
    sizes = {"vocabulary_size": 23, "num_layers": 1, "hidden_dim": 8, "num_heads": 2}
    model = create_model(
        "bert", task="text-classifier", **sizes, intermediate_dim=13, num_classes=2,
        head_diversity=0.5,
    )  # fmt: skip
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    inputs = {**language_models.batch(), "segment_ids": np.zeros((3, 7), "int32")}
    history = model.fit(inputs, np.array([0, 1, 0]), verbose=0).history
    assert history["head_diversity"][0] > 0.01


def test_activation_dropout_drops_in_training_alone():
    model = language_models.make("gpt", activation_dropout=0.5)
    inputs = {k: ops.convert_to_tensor(v) for k, v in language_models.batch().items()}
    quiet, again, dropped = (
        ops.convert_to_numpy(model(inputs, training=training)["logits"])
        for training in (False, False, True)
    )
    np.testing.assert_array_equal(quiet, again)
    assert np.abs(dropped - quiet).max() > 1e-2
