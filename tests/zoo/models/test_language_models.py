"""Every language model of the registry: one that is new is listed in `language_models.TINY`."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.dropout import Dropout
from tests.oracles import blocks, recurrent
from tests.oracles.attention import multi_head
from tests.variants import thorough_variants, thoroughly_but
from tests.zoo.models.families import run
from tests.zoo.models.language_models import TINY, VARIANTS, VOCABULARY, batch, make, shared
from tests.zoo.models.test_models import built_without_weights
from zoo.decoding.generate import generate
from zoo.registry import MODELS
from zoo.text.special_tokens import END, PAD, START

NAMES = [name for name, entry in MODELS.items() if "causal-lm" in entry.tasks]
every_variant = thorough_variants(VARIANTS)
every_model = pytest.mark.parametrize("name", NAMES)


def test_every_language_model_is_tested_here():
    assert set(TINY) == set(NAMES) == {name for name, _ in VARIANTS}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("preset", "vocabulary", "published"),
    # Radford et al. 2018: 117M; table 2 of Radford et al. 2019, corrected by its repository: 124M.
    # Touvron et al. 2023, table 2: 6.7B. The weights that Hugging Face publishes: 134,515,008.
    [
        (("gpt", "gpt1"), 40478, 117e6),
        (("gpt", "gpt2"), 50257, 124e6),
        (("llama", "llama_7b"), 32000, 6.7e9),
        (("llama", "smollm2_135m"), 49152, 134_515_008),
        (("llama", "qwen2_0_5b"), 151_936, 494_032_768),
        (("llama", "qwen3_0_6b"), 151_936, 596_049_920),
    ],
)
def test_the_papers_sizes(preset, vocabulary, published):
    model = built_without_weights(*preset, vocabulary_size=vocabulary)
    assert model.count_params() == pytest.approx(published, rel=0.03)
    if type(published) is int:
        assert model.count_params() == published


def test_the_size_of_zaremba_s_medium_model():
    model = built_without_weights("rnn_lm", "ptb_medium", vocabulary_size=10000)
    layer = 4 * (650 * 650 + 650 * 650 + 650)
    weights = sum(int(np.prod(w.shape)) for w in model.trainable_weights)
    assert weights == 2 * 10000 * 650 + 10000 + 2 * layer


@pytest.mark.quick(2)
@pytest.mark.parametrize("preset", [(n, p) for n in NAMES for p in MODELS[n].presets], ids=str)
def test_presets_build(preset):
    name, preset = preset
    model = built_without_weights(name, preset, vocabulary_size=VOCABULARY)
    assert sorted(model.input) == ["padding_mask", "token_ids"]
    assert model.output["logits"].shape == (None, None, VOCABULARY)
    assert MODELS[name].presets[preset].items() <= model.get_config().items()


@every_variant
def test_numbers_do_not_depend_on_the_padding(name, config):
    model, inputs = shared(name, **config), batch()
    whole = run(model, inputs)
    assert whole.std() > 0.1
    for row, length in enumerate(inputs["padding_mask"].sum(1)):
        own = {key: value[row : row + 1, :length] for key, value in inputs.items()}
        np.testing.assert_allclose(whole[row, :length], run(model, own)[0], atol=5e-6)


@every_variant
def test_no_logits_see_a_later_token(name, config):
    model, inputs = shared(name, **config), batch(rows=1)
    before = run(model, inputs)
    ids = np.where(np.arange(7) < 4, inputs["token_ids"], 19).astype("int32")
    after = run(model, {**inputs, "token_ids": ids})
    np.testing.assert_allclose(after[:, :4], before[:, :4], rtol=1e-6, atol=5e-6)
    assert np.abs(after[:, 4:] - before[:, 4:]).max() > 1e-3


@every_variant
@pytest.mark.parametrize("count", [0, 1, 4])
def test_reading_and_stepping_give_the_numbers_of_the_whole_pass(name, config, count):
    model, inputs = shared(name, **config), batch(rows=3)
    inputs["padding_mask"] = np.ones((3, 7), bool)
    whole, ids = run(model, inputs), ops.convert_to_tensor(inputs["token_ids"])
    state = model.initial_state(model.encode({"token_ids": ids}), 7)
    state = model.read(ids[:, :5], ops.convert_to_tensor(count, "int32"), state)
    for t in range(count, 7):
        assert int(state["index"]) == t
        logits, state = model.step(ids[:, t], state)
        np.testing.assert_allclose(ops.convert_to_numpy(logits), whole[:, t], atol=5e-6)


def prompts(ids):
    return {"token_ids": ops.convert_to_tensor(ids)}


def greedy(model, prompt, count):
    """One token after the other, each from a pass over all of them."""
    ids, total = list(prompt), 0.0
    for _ in range(count):
        x = {"token_ids": np.array([ids], "int32"), "padding_mask": np.ones((1, len(ids)), bool)}
        logits = run(model, x)[0, -1].astype("float64")
        logits[[PAD, START]] = -np.inf
        log_p = logits - np.log(np.exp(logits).sum())
        ids.append(int(log_p.argmax()))
        total += log_p.max()
        if ids[-1] == END:
            break
    return ids[len(prompt) :], total


@pytest.mark.thorough
@every_variant
def test_prompts_of_unequal_lengths_are_gone_on_from_as_if_alone(name, config):
    model, ids = shared(name, **config), batch()["token_ids"]
    actual = generate(model, prompts(ids), 6)
    tokens, lengths, scores = map(ops.convert_to_numpy, actual)
    assert tokens.shape == (3, 1, 6)
    for row, prompt in enumerate(ids):
        expected, total = greedy(model, prompt[prompt != PAD], 6)
        assert list(tokens[row, 0, : lengths[row, 0]]) == expected
        assert (tokens[row, 0, lengths[row, 0] :] == PAD).all()
        np.testing.assert_allclose(scores[row, 0], total, atol=1e-4)


@pytest.mark.thorough
@every_model
def test_beams_of_unequal_prompts_are_those_of_each_alone(name):
    model, ids = shared(name), batch()["token_ids"]
    together = generate(model, prompts(ids), 5, beams=3, length_penalty=0.7)
    for row, prompt in enumerate(ids):
        own = prompts(prompt[prompt != PAD][None])
        alone = generate(model, own, 5, beams=3, length_penalty=0.7)
        for one, all_ in zip(alone, together, strict=True):
            one, all_ = ops.convert_to_numpy(one)[0], ops.convert_to_numpy(all_)[row]
            np.testing.assert_allclose(one, all_, rtol=1e-4, atol=1e-5)
    best = ops.convert_to_numpy(together.scores)
    assert (np.diff(best, axis=1) <= 0).all() and (best > -100).all()


@pytest.mark.thorough
@every_model
def test_a_seed_fixes_what_is_drawn_after_a_prompt(name):
    model, inputs = shared(name), prompts(batch()["token_ids"])
    drawn = [
        ops.convert_to_numpy(generate(model, inputs, 6, temperature=1.5, seed=seed).token_ids)
        for seed in (3, 3, 4)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()


@every_variant
def test_config_round_trip(name, config):
    model = shared(name, **config)
    again = type(model).from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@every_model
def test_a_file_gives_the_same_numbers(name, tmp_path):
    model = make(name)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@every_model
def test_logits_are_float32_under_mixed_precision(name):
    half = make(name, dtype="mixed_bfloat16")
    logits = half(keras.tree.map_structure(ops.convert_to_tensor, batch()))["logits"]
    assert keras.backend.standardize_dtype(logits.dtype) == "float32"
    expected, valid = run(shared(name), batch()), batch()["padding_mask"]
    error = (ops.convert_to_numpy(logits) - expected)[valid].std() / expected[valid].std()
    assert 1e-4 < error < 0.1


@thoroughly_but("gpt", NAMES)
def test_trains_under_xla(name):
    from keras_attn.losses import MaskedCrossentropy

    model, x = make(name), batch()
    labels = np.roll(x["token_ids"], -1, axis=1) * x["padding_mask"]
    model.compile(keras.optimizers.SGD(0.6), {"logits": MaskedCrossentropy()}, jit_compile=True)
    losses = [model.train_on_batch(x, {"logits": labels}) for _ in range(80)]
    assert np.isfinite(losses).all() and losses[-1] < 0.7 * losses[0]


@thoroughly_but("lstm", ["lstm", "gru", "elman", "jordan", "orthogonal"], "cell")
def test_carried_states_make_two_halves_one_text(cell):
    """Zaremba et al. 2014: a batch begins where the one before it ended."""
    model = make("rnn_lm", cell=cell, stateful_batch_size=3)
    x = {"token_ids": batch()["token_ids"], "padding_mask": np.ones((3, 7), bool)}
    halves = [{key: value[:, part] for key, value in x.items()} for part in (slice(4), slice(4, 7))]
    whole = run(make("rnn_lm", cell=cell), x)
    actual = np.concatenate([run(model, half, training=True) for half in halves], axis=1)
    np.testing.assert_allclose(actual, whole, atol=5e-6)
    alone = run(model, halves[1])  # outside of training nothing is carried
    assert np.abs(alone - whole[:, 4:]).max() > 1e-2
    model.reset_states()
    np.testing.assert_allclose(run(model, halves[0], training=True), whole[:, :4], atol=5e-6)


@pytest.mark.thorough(1)
@pytest.mark.parametrize("cell", ["orthogonal", "gru", "elman", "jordan"])
def test_states_stay_bounded_in_a_text_without_end(cell):
    """modReLU would let an orthogonal cell's grow with each step; an LSTM counts by intent."""
    model = make("rnn_lm", cell=cell)
    tokens = np.full((1, 499), 5, "int32")
    x = {"token_ids": tokens, "padding_mask": np.ones_like(tokens, "bool")}
    _, states = model.continue_from(x, model.initial_cache(1, 0))
    for (state,) in states:
        assert np.abs(ops.convert_to_numpy(state)).max() <= 1 + 1e-6


def test_a_batch_of_other_rows_than_carried():
    with pytest.raises(ValueError, match="must have 5 rows, like the states; received 3"):
        run(make("rnn_lm", stateful_batch_size=5), batch(), training=True)


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("gpt", {"position": "here"}, "position must be one of sinusoidal, learned, rotary, alibi"),
        ("llama", {"num_heads": 3}, "num_heads must divide the width 8"),
        ("llama", {"num_key_value_heads": 3}, "num_key_value_heads must divide num_heads"),
        ("llama", {"key_dim": 5}, "even"),
        ("rnn_lm", {"cell": "rnn"}, "cell must be one of elman, jordan, lstm, gru, orthogonal"),
        (
            "rnn_lm",
            {"stateful_batch_size": -1},
            "stateful_batch_size must be an integer of at least 0",
        ),
    ],
)
def test_bad_options_name_themselves(name, config, message):
    with pytest.raises(ValueError, match=message):
        make(name, **config)


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


@pytest.mark.parametrize(
    ("pre_norm", "activation", "position"),
    [(True, "gelu_tanh", "learned"), (False, "gelu", "rotary"), (True, "relu", "alibi")],
)
def test_the_logits_of_gpt_are_those_of_the_formulas(pre_norm, activation, position):
    config = {"pre_norm": pre_norm, "activation": activation, "position": position}
    model, inputs = make("gpt", **config), batch()
    (table,) = weights_of(model.embedding)
    x = table[inputs["token_ids"]]
    if position == "learned":
        x = x + weights_of(model.positions)[0][:7]
    causal = np.tril(np.ones((7, 7), bool)) & inputs["padding_mask"][:, None]
    in_heads = None if position == "learned" else (position, {})
    for layer in model.blocks:
        options = {"activation": activation, "pre_norm": pre_norm, "position": in_heads}
        x = blocks.encoder_block(weights_of(layer), x, causal, **options)
    x = blocks.layer_norm(x, *weights_of(model.norm)) if pre_norm else x
    actual = run(model, inputs)[inputs["padding_mask"]]
    np.testing.assert_allclose(actual, (x @ table.T)[inputs["padding_mask"]], atol=2e-5)


@pytest.mark.parametrize(
    "config",
    [{}, {"key_dim": 6, "num_key_value_heads": 4, "rope_theta": 50.0}, {"tie_embeddings": False}],
)
def test_the_logits_of_llama_are_those_of_the_formulas(config):
    model, inputs = make("llama", **config), batch()
    table, *untied = weights_of(model.embedding)
    x = table[inputs["token_ids"]]
    causal = np.tril(np.ones((7, 7), bool)) & inputs["padding_mask"][:, None]
    groups = config.get("num_key_value_heads", 2)
    rotary = {"layout": "halves", "max_wavelength": config.get("rope_theta", 10_000.0)}

    def attend(kernels, x):
        query, key, value, output = kernels
        zeros = [np.zeros(kernel.shape[1:]) for kernel in (query, key, value)]
        weights = [query, zeros[0], key, zeros[1], value, zeros[2], output, np.zeros(8)]
        options = {"position": ("rotary", rotary), "num_key_value_heads": groups}
        return multi_head(weights, x, x, mask=causal, **options)[0]

    for layer in model.blocks:
        weights = weights_of(layer)
        x = blocks.given_sublayers(
            weights, x, attend, activation="swiglu", biases=False, epsilon=1e-5
        )
    x = blocks.rms_norm(x, *weights_of(model.norm), 1e-5)
    expected = x @ (untied[0] if untied else table.T)
    actual = run(model, inputs)[inputs["padding_mask"]]
    np.testing.assert_allclose(actual, expected[inputs["padding_mask"]], atol=2e-5)


@pytest.mark.parametrize(
    ("cell", "tie", "width"),
    [("lstm", True, 11), ("gru", False, 11), ("elman", True, 11), ("gru", True, 5)],
)
def test_the_logits_of_a_recurrent_model_are_those_of_the_formulas(cell, tie, width):
    model, inputs = make("rnn_lm", cell=cell, embedding_dim=width, tie_embeddings=tie), batch()
    (table,) = weights_of(model.embedding)
    x, states = table[inputs["token_ids"]], 2 if cell == "lstm" else 1
    for layer in model.recurrent:
        step = getattr(recurrent, cell)(*weights_of(layer.layer))
        x, _ = recurrent.run(step, x, [np.zeros((3, 11))] * states, inputs["padding_mask"])
    if tie:
        (into,) = [np.eye(11)] if model.projection is None else weights_of(model.projection)
        assert into.shape == (11, width)
        expected = x @ into @ table.T
    else:
        kernel, bias = weights_of(model.head)
        expected = x @ kernel + bias
    np.testing.assert_allclose(run(model, inputs), expected, atol=1e-5)


def test_dropout_falls_between_layers_and_never_on_the_states(monkeypatch):
    """Zaremba et al. 2014, section 3.1: of the input of each layer and of the logits' layer."""
    model, x = make("rnn_lm", dropout=0.3), batch()
    rng, masks = np.random.default_rng(4), []

    def call(self, inputs, training=None):
        assert training and self.rate == 0.3
        masks.append(rng.integers(0, 2, inputs.shape) / 0.5)
        return inputs * ops.convert_to_tensor(masks[-1], inputs.dtype)

    monkeypatch.setattr(Dropout, "call", call)
    actual = run(model, x, training=True)
    assert [mask.shape for mask in masks] == [(3, 7, 7), (3, 7, 11), (3, 7, 11)]
    h = weights_of(model.embedding)[0][x["token_ids"]]
    for layer, mask in zip(model.recurrent, masks[:2], strict=True):
        step = recurrent.lstm(*weights_of(layer.layer))
        h, _ = recurrent.run(step, h * mask, [np.zeros((3, 11))] * 2, x["padding_mask"])
    kernel, bias = weights_of(model.head)
    np.testing.assert_allclose(actual, h * masks[2] @ kernel + bias, atol=1e-5)
