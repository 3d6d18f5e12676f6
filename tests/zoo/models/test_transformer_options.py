"""The options that Transformer models share: what goes together, and what a model takes."""

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.transformer_options import ATTENTIONS, TransformerOptions, check_usual

SIZES = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 13}
GPT = {"vocabulary_size": 23, **SIZES}
WINDOW = {"local": {"window": 2}}


def of_attention(attention):
    return {"attention": attention, **WINDOW.get(attention, {})}


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_an_encoder_of_each_attention(attention):
    model = create_model("bert", **GPT, **of_attention(attention), normalization="rms")
    ids = np.random.default_rng(0).integers(4, 23, (2, 9)).astype("int32")
    inputs = {"token_ids": ids, "segment_ids": 0 * ids, "padding_mask": np.ones((2, 9), bool)}
    inputs["padding_mask"][1, 4:] = False
    whole = np.asarray(model(inputs)["sequence"])
    short = {name: value[1:, :4] for name, value in inputs.items()}
    np.testing.assert_allclose(np.asarray(model(short)["sequence"])[0], whole[1, :4], atol=1e-5)
    again = type(model).from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(np.asarray(again(inputs)["sequence"]), whole)
    shown = {"encoder": 1} if attention in ("full", "local") else {}
    assert model.attention_layers == shown
    assert not [w.path for w in model.weights if "beta" in w.path]


@pytest.mark.parametrize("name", ["gpt", "transformer", "bart"])
def test_models_without_attention_weights_show_none(name):
    sizes = GPT if name != "transformer" else {
        "source_vocabulary_size": 23, "target_vocabulary_size": 23, **SIZES
    }  # fmt: skip
    assert create_model(name, **sizes, attention="linear").attention_layers == {}
    assert create_model(name, **sizes, **of_attention("local")).attention_layers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attention": "sparse"}, "attention must be one of full, local, linear, random_feature"),
        ({"normalization": "batch"}, "normalization must be one of layer, rms, got 'batch'"),
        ({"attention": "local"}, "window is required with attention='local', and only there"),
        ({"attention": "linear", "window": 3}, "received attention='linear' and window=3"),
        ({"window": 3}, "received attention='full' and window=3"),
        ({"attention": "linear", "position": "rotary"}, "position 'rotary' requires attention='fu"),
        (
            {"attention": "local", "window": 3, "aggregate": "mean"},
            "aggregate requires attention=",
        ),
        ({"attention": "random_feature", "head_diversity": 0.1}, "head_diversity requires attent"),
        ({"tie_key_value": True, "aggregate": "mean"}, "tie_key_value requires aggregate='project"),
        ({"max_distance": 5}, "max_distance requires position='shaw'; received 'learned'"),
        ({"normalizer": "ratio"}, "normalizer='ratio' requires a score that is never negative"),
        ({"score": "product"}, "score must be one of dot, scaled_dot, exp_dot, general, additive"),
        ({"head_diversity": -1.0}, "head_diversity must be a number of at least 0"),
        ({"attention": "linear", "num_heads": 3}, "num_heads must divide hidden_dim = 8; rec.* 3"),
    ],
)
def test_what_does_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        create_model("gpt", **{**GPT, **options})


def heads_of(model):
    return {w.shape[1] for w in model.weights if w.path.endswith("key/kernel")}


@pytest.mark.parametrize("name", ["gpt", "bert", "bart", "transformer"])
def test_heads_share_keys_and_values(name):
    sizes = {"source_vocabulary_size": 23, "target_vocabulary_size": 23, **SIZES}
    sizes = sizes if name == "transformer" else GPT
    assert heads_of(create_model(name, **sizes)) == {2}
    assert heads_of(create_model(name, **sizes, num_key_value_heads=1)) == {1}
    with pytest.raises(ValueError, match="num_key_value_heads must divide num_heads = 2; rec"):
        create_model(name, **sizes, num_key_value_heads=3)
    with pytest.raises(ValueError, match="num_key_value_heads requires attention='full'; rec"):
        create_model(name, **sizes, attention="linear", num_key_value_heads=1)


def test_a_window_is_a_positive_integer():
    with pytest.raises(UserError, match="window must be an integer of at least 1, got 0"):
        create_model("gpt", **GPT, attention="local", window=0)


def test_a_prefix_model_attends_in_both_directions():
    with pytest.raises(ValueError, match="prefix_gpt requires attention='full', .* 'linear'"):
        create_model("prefix_gpt", task="text-to-text", **GPT, attention="linear")


def test_a_task_refuses_them_before_it_reads_data():
    with pytest.raises(UserError, match="score requires attention='full'; received 'linear'"):
        zoo.CausalLM("gpt", "tiny", attention="linear", score="additive")
    with pytest.raises(UserError, match="max_distance requires position='shaw'; rec.*'learned'"):
        zoo.TextClassifier("bert", "tiny", max_distance=5)


def test_llama_has_full_attention_and_positions_inside_of_it():
    with pytest.raises(UserError, match="llama requires attention='full'; received 'linear'"):
        create_model("llama", **GPT, attention="linear", position="none")
    with pytest.raises(UserError, match="llama requires position to be one of rotary, alibi, sha"):
        create_model("llama", **GPT, position="learned")
    with pytest.raises(ValueError, match="num_key_value_heads must divide num_heads = 2; rec"):
        create_model("llama", **GPT, num_key_value_heads=3)


def test_checkpoints_of_others_have_the_usual_options():
    usual = TransformerOptions(use_bias=True)
    check_usual(usual, usual, "a checkpoint")
    trained = TransformerOptions(use_bias=True, activation_dropout=0.1, head_diversity=0.1)
    check_usual(trained, usual, "a checkpoint")
    with pytest.raises(UserError, match="a checkpoint requires normalization='layer', got 'rms'"):
        check_usual(TransformerOptions(normalization="rms"), usual, "a checkpoint")
    with pytest.raises(UserError, match="a checkpoint requires use_bias=True, got False"):
        check_usual(TransformerOptions(), usual, "a checkpoint")
