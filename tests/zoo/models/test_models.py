"""Every encoder-decoder of the registry: a new one is tested by being listed in `families.TINY`."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.variants import thorough_variants, thoroughly_but
from tests.zoo.models.families import (
    TINY,
    VARIANTS,
    batch,
    make,
    options_of,
    presets,
    run,
    shared,
    sizes,
)
from zoo.decoding.generate import generate
from zoo.decoding.sampling import choice
from zoo.decoding.streaming import TracedStep, stream
from zoo.decoding.token_by_token import TokenByToken
from zoo.models.create import create_model
from zoo.models.options import has_option, model_options
from zoo.registry import MODELS

NAMES = [name for name, entry in MODELS.items() if "text-to-text" in entry.tasks]
every_model = pytest.mark.parametrize("name", NAMES)
every_model_of_two_vocabularies = pytest.mark.parametrize(
    "name", [name for name in NAMES if has_option(name, "share_embeddings")]
)
every_variant = thorough_variants(VARIANTS)


def built_without_weights(name, preset, **config):
    """The model with its weights declared and none drawn: a big one takes no memory."""
    with keras.StatelessScope(initialize_variables=False):
        model = create_model(name, preset, **config)
    keras.utils.clear_session()  # forgets the weights that wait to be drawn
    return model


def test_every_model_is_tested_here():
    assert set(TINY) == set(NAMES) == {name for name, _ in VARIANTS}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "preset"), presets())
def test_presets_build(name, preset):
    config = sizes(name, 23)
    model = built_without_weights(name, preset, **config)
    assert list(model.input) == ["source_ids", "source_mask", "target_ids", "target_mask"]
    for given, tensor in model.input.items():
        assert tensor.shape == (None, None)
        assert tensor.dtype == ("bool" if given.endswith("mask") else "int32")
    assert list(model.output) == ["logits"]
    assert model.output["logits"].shape == (None, None, 23)
    saved = options_of(model)
    assert config.items() <= saved.items()
    assert MODELS[name].presets[preset].items() <= saved.items()


@pytest.mark.quick(2)
@every_model
def test_tiny_presets_run(name):
    model = create_model(name, "tiny", **sizes(name, 23))
    logits = run(model, batch())
    assert logits.shape == (3, 5, 23) and np.isfinite(logits).all()
    assert logits.std() > 0.01


@pytest.mark.quick(2)
@every_variant
def test_numbers_do_not_depend_on_the_padding(name, config):
    model = shared(name, **config)
    inputs = batch()
    whole = run(model, inputs)
    assert whole.std() > 0.1
    # Whatever stands at masked positions, and however many there are.
    further = {
        key: np.pad(value, [(0, 0), (0, 3)], constant_values=0 if "mask" in key else 5)
        for key, value in inputs.items()
    }
    for side in ("source", "target"):
        mask = further[f"{side}_mask"]
        further[f"{side}_ids"] = np.where(mask, further[f"{side}_ids"], 5).astype("int32")
    padded = run(model, further)
    for row in range(3):
        of_row = {key: value[row : row + 1] for key, value in inputs.items()}
        keep = {side: of_row[f"{side}_mask"][0].sum() for side in ("source", "target")}
        own = {key: value[:, : keep[key.split("_")[0]]] for key, value in of_row.items()}
        alone, length = run(model, own)[0], keep["target"]
        np.testing.assert_allclose(whole[row, :length], alone, atol=5e-6)
        np.testing.assert_allclose(padded[row, :length], alone, atol=5e-6)


@every_variant
def test_no_logits_see_a_later_target(name, config):
    model, inputs = shared(name, **config), batch(rows=1)
    before = run(model, inputs)
    changed = {**inputs, "target_ids": np.where(np.arange(5) < 3, inputs["target_ids"], 18)}
    after = run(model, changed)
    np.testing.assert_allclose(after[:, :3], before[:, :3], rtol=1e-6, atol=5e-6)
    assert np.abs(after[:, 3:] - before[:, 3:]).max() > 1e-3


@every_variant
def test_steps_are_the_whole_pass(name, config):
    model, inputs = shared(name, **config), batch()
    inputs["target_mask"] = np.ones((3, 5), bool)
    whole = run(model, inputs)
    state = model.initial_state(model.encode(keras.tree.map_structure(tensor, inputs)), 6)
    for t in range(5):
        logits, state = model.step(tensor(inputs["target_ids"][:, t]), state)
        np.testing.assert_allclose(ops.convert_to_numpy(logits), whole[:, t], atol=5e-6)
        assert int(state["index"]) == t + 1


def tensor(value):
    return ops.convert_to_tensor(value)


@pytest.mark.thorough(1)
@every_model
def test_a_stream_has_the_tokens_of_a_batch(name):
    """Of sources of two lengths, for which the step is traced but once."""
    model, actual = shared(name), []
    traced = TracedStep(model)
    for source, temperature, seed in ((7, 0.0, None), (4, 1.0, 3)):
        inputs = keras.tree.map_structure(tensor, batch(1, source))
        whole = generate(model, inputs, 6, temperature=temperature, seed=seed)
        (ids,) = ops.convert_to_numpy(whole.token_ids)[0]
        tokens = list(stream(TokenByToken(traced, 6, choice(temperature)), inputs, seed))
        assert tokens == [each for each in ids.tolist() if each not in (0, 3)]
        actual += tokens
    assert len(actual) > 4


@every_variant
def test_a_state_has_the_batch_first(name, config):
    """What beam search repeats and reorders by row."""
    model, inputs = shared(name, **config), batch()
    state = model.initial_state(model.encode(keras.tree.map_structure(tensor, inputs)), 6)
    tensors = keras.tree.flatten((state["memory"], state["cache"]))
    assert tensors and {tuple(x.shape)[0] for x in tensors} == {3}
    _, after = model.step(tensor(inputs["target_ids"][:, 0]), state)
    keras.tree.map_structure(
        lambda a, b: np.testing.assert_array_equal(tuple(a.shape), tuple(b.shape)), state, after
    )


def has_maps(name, config):
    return name != "rnn_seq2seq" and config.get("attention") not in ("linear", "random_feature")


@thorough_variants([variant for variant in VARIANTS if has_maps(*variant)])
def test_attention_maps(name, config):
    model, inputs = shared(name, **config), batch()
    maps = model.attention_maps(keras.tree.map_structure(tensor, inputs))
    heads = config.get("num_heads", TINY[name].get("num_heads", 1))
    if config.get("attention") == "multi_head":
        heads = options_of(model)["num_heads"]
    assert {part: len(layers) for part, layers in maps.items()} == model.attention_layers
    assert maps["cross"]
    source, target = inputs["source_mask"], inputs["target_mask"]
    masks = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
    for part, layers in maps.items():
        rows, columns = masks[part]
        for weights in map(ops.convert_to_numpy, layers):
            assert weights.shape == (3, heads, rows.shape[1], columns.shape[1])
            real = weights.transpose(0, 2, 1, 3)[rows]
            outside = np.broadcast_to(~columns[:, None, None], weights.shape)
            np.testing.assert_array_equal(weights[outside & rows[:, None, :, None]], 0)
            if config.get("normalizer") == "sigmoid":  # of each weight on its own
                assert ((real >= 0) & (real < 1)).all() and (real.sum(-1) > 0).all()
            elif name == "prefix_gpt" and part != "encoder":  # which shares a row between two parts
                assert ((real.sum(-1) > 0) & (real.sum(-1) < 1)).all()
            else:
                np.testing.assert_allclose(real.sum(-1), 1, atol=1e-5)
            if part == "decoder":
                np.testing.assert_array_equal(np.triu(weights, 1), 0)


@every_variant
def test_config_round_trip(name, config):
    model = shared(name, **config)
    saved = model.get_config()
    assert {**sizes(name), **TINY[name], **config}.items() <= options_of(model).items()
    again = type(model).from_config(saved)
    assert again.get_config() == saved
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@every_model
def test_config_holds_every_option(name):
    assert set(options_of(make(name))) == set(model_options(MODELS[name]))


@pytest.mark.quick(2)
@pytest.mark.parametrize("compiled", [False, True])
@every_model
def test_a_file_gives_the_same_numbers(name, compiled, tmp_path):
    model = make(name, dropout=0.1)
    if compiled:
        model.compile("adam", {"logits": "sparse_categorical_crossentropy"})
        model.optimizer.build(model.trainable_weights)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert type(again) is type(model) and again.get_config() == model.get_config()
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))
    assert again.step is not None and again.hidden_dim == model.hidden_dim


@every_variant
def test_logits_are_float32_under_mixed_precision(name, config, policy="mixed_bfloat16"):
    exact, half = shared(name, **config), make(name, **config, dtype=policy)
    assert options_of(half)["dtype"] == policy
    assert {keras.backend.standardize_dtype(w.dtype) for w in half.weights} == {"float32"}
    inputs = batch()
    logits = half(keras.tree.map_structure(tensor, inputs))["logits"]
    assert keras.backend.standardize_dtype(logits.dtype) == "float32"
    assert half.output["logits"].dtype == "float32"
    expected, got = run(exact, inputs), ops.convert_to_numpy(logits)
    assert 0 < np.abs(got - expected)[inputs["target_mask"]].max() < 0.3  # half inside
    state = half.initial_state(half.encode(keras.tree.map_structure(tensor, inputs)), 5)
    step, _ = half.step(tensor(inputs["target_ids"][:, 0]), state)
    assert keras.backend.standardize_dtype(step.dtype) == "float32"
    np.testing.assert_allclose(ops.convert_to_numpy(step), got[:, 0], atol=0.05)


@every_model_of_two_vocabularies
def test_shared_embeddings_are_one(name):
    shared = make(name, source_vocabulary_size=19, share_embeddings=True)
    apart = make(name, source_vocabulary_size=19, share_embeddings=False)
    assert shared.source_embedding is shared.target_embedding
    assert apart.source_embedding is not apart.target_embedding
    assert apart.count_params() - shared.count_params() == 19 * TINY[name].get(
        "embedding_dim", TINY[name].get("hidden_dim")
    )


@every_model_of_two_vocabularies
def test_sharing_needs_one_vocabulary(name):
    with pytest.raises(
        ValueError, match="requires source_vocabulary_size equal.*received 23 and 19"
    ):
        make(name, share_embeddings=True)


@every_model
def test_dropout_acts_in_training_alone(name):
    model = make(name, dropout=0.5)
    np.testing.assert_array_equal(run(model, batch()), run(shared(name), batch()))
    assert np.abs(run(model, batch(), training=True) - run(model, batch())).max() > 0.01


@pytest.mark.skipif(keras.backend.backend() == "torch", reason="Keras has no XLA with PyTorch")
@thoroughly_but("transformer", NAMES)
def test_trains_under_xla(name):
    from keras_attn.losses import MaskedCrossentropy

    model = make(name, dropout=0.1)
    labels = np.roll(batch()["target_ids"], -1, axis=1) * batch()["target_mask"]
    # Plain descent: a third of what XLA would compile otherwise is Adam.
    model.compile(keras.optimizers.SGD(0.5), {"logits": MaskedCrossentropy()}, jit_compile=True)
    assert model.jit_compile
    before = model.get_weights()
    losses = [model.train_on_batch(batch(), {"logits": labels}) for _ in range(20)]
    assert np.isfinite(losses).all() and losses[-1] < 0.7 * losses[0]
    unchanged = [
        w.path for w, old in zip(model.weights, before, strict=True) if np.array_equal(w, old)
    ]
    # The bias of a key adds the same to all scores of a query.
    assert all("key/bias" in path for path in unchanged), unchanged
