"""Low-rank updates against float64 NumPy, and merged against unmerged."""

import keras
import numpy as np
import pytest

from keras_attn.attention.low_rank import LowRankUpdate
from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.low_rank import add_updates, merged_updates, updatable_of, updates_of
from zoo.models.create import create_model

ALL = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def randomize(model: keras.Model, seed: int = 3) -> None:
    """Gives every update other matrices than those that change nothing."""
    random = np.random.default_rng(seed)
    for update in updates_of(model).values():
        for weight in update.weights:
            weight.assign(random.normal(size=weight.shape, scale=0.2))


def language_model(name: str, **options: object) -> keras.Model:
    keras.utils.set_random_seed(5)
    sizes = {"num_layers": 2, "hidden_dim": 12, "num_heads": 2, "intermediate_dim": 10}
    return create_model(name, "tiny", "causal-lm", vocabulary_size=17, **{**sizes, **options})


def inputs() -> dict[str, np.ndarray]:
    ids = np.random.default_rng(0).integers(1, 17, (3, 7)).astype("int32")
    return {"token_ids": ids, "padding_mask": np.ones((3, 7), bool)}


def logits(model: keras.Model) -> np.ndarray:
    return np.asarray(keras.ops.convert_to_numpy(model(inputs())["logits"]), "float64")


@pytest.mark.parametrize("part", [(0, 1), (0, 2), (1, 2)])
def test_output_is_that_of_the_formula(part: tuple[int, int]) -> None:
    layer = LowRankUpdate(rank=2, alpha=5.0, outputs=(4, 3), input_axes=2, part=part, seed=1)
    random = np.random.default_rng(part[0])
    x = random.normal(size=(2, 5, 3, 2)).astype("float32")
    layer.build(x.shape)
    index, count = part
    width = 12 // count
    a, b = random.normal(size=(6, 2)), random.normal(size=(2, width))
    layer.a.assign(a)
    layer.b.assign(b)

    a, b = a.astype("float32").astype("float64"), b.astype("float32").astype("float64")
    expected = np.zeros((2, 5, 12))
    expected[..., index * width : (index + 1) * width] = (
        5.0 / 2 * (x.astype("float64").reshape(2, 5, 6) @ a @ b)
    )

    actual = keras.ops.convert_to_numpy(layer(x))
    np.testing.assert_allclose(actual, expected.reshape(2, 5, 4, 3), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        x.reshape(10, 6) @ layer.change().reshape(6, 12), expected.reshape(10, 12), atol=1e-5
    )


def test_first_matrix_starts_as_in_peft_and_second_at_zero() -> None:
    layer = LowRankUpdate(rank=50, alpha=1.0, outputs=(3,), seed=1)
    layer.build((None, 100))
    a, b = (keras.ops.convert_to_numpy(weight) for weight in layer.weights)
    # torch's kaiming_uniform_(a=sqrt(5)): uniform up to 1 / sqrt(fan_in)
    assert 0.099 < np.abs(a).max() <= 0.1
    np.testing.assert_allclose(a.std(), 0.1 / np.sqrt(3), rtol=0.05)
    assert not b.any()


@pytest.mark.parametrize("name", ["gpt", "llama"])
def test_new_updates_change_nothing_and_merged_equals_separate(name: str) -> None:
    model = language_model(name)
    base = logits(model)
    before = [np.array(weight) for weight in model.get_weights()]
    added = add_updates(model, 2, 6.0, [each for each in ALL if _has(model, each)], seed=4)
    np.testing.assert_array_equal(logits(model), base)
    randomize(model)
    separate = logits(model)
    assert np.abs(separate - base).max() > 0.05

    with merged_updates(model):
        assert not updates_of(model)
        assert len(model.weights) == len(before)
        np.testing.assert_allclose(logits(model), separate, atol=2e-6)
        with merged_updates(model):  # which changes nothing
            np.testing.assert_allclose(logits(model), separate, atol=2e-6)

    assert updates_of(model) == added
    np.testing.assert_array_equal(logits(model), separate)


def test_merged_kernel_is_the_sum_of_float64() -> None:
    model = language_model("llama", num_key_value_heads=1)
    add_updates(model, 3, 7.0, ALL)
    randomize(model)
    feed_forward = updatable_of(model)["block_1/feed_forward.gate_proj"].projection
    kernel = np.asarray(feed_forward.kernel, "float64")
    changes = {}
    for name in ("up_proj", "gate_proj"):
        a, b = (
            np.asarray(x, "float64")
            for x in updates_of(model)[f"block_1/feed_forward.{name}"].weights
        )
        changes[name] = 7.0 / 3 * a @ b
    expected = kernel + np.concatenate([changes["up_proj"], changes["gate_proj"]], axis=1)
    with merged_updates(model):
        np.testing.assert_allclose(np.asarray(feed_forward.kernel), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(np.asarray(feed_forward.kernel, "float64"), kernel)


def test_steps_with_a_cache_have_the_updates() -> None:
    model = language_model("llama")
    add_updates(model, 2, 6.0, ALL)
    randomize(model)
    ids = inputs()["token_ids"]
    state = model.initial_state(model.encode({"token_ids": ids}), 7)
    steps = []
    for index in range(7):
        step, state = model.step(ids[:, index], state)
        steps.append(keras.ops.convert_to_numpy(step))
    np.testing.assert_allclose(np.stack(steps, axis=1), logits(model), atol=2e-5)


def test_tied_keys_and_values_have_no_projection_of_values() -> None:
    layer = MultiHeadAttention(2, 3, tie_key_value=True, aggregate="concat")
    layer.build((None, None, 4), (None, None, 4))
    assert [*layer.updatable] == ["q_proj", "k_proj"]


def test_unknown_projection_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no projection 'gate_proj'; it has down_proj, k_proj"):
        add_updates(language_model("gpt"), 2, 6.0, ["gate_proj"])


def test_rank_must_be_positive() -> None:
    with pytest.raises(ValueError, match="rank must be a positive integer"):
        LowRankUpdate(rank=0, alpha=1.0, outputs=(3,))
    with pytest.raises(ValueError, match="alpha must be positive"):
        LowRankUpdate(rank=1, alpha=0.0, outputs=(3,))


def _has(model: keras.Model, name: str) -> bool:
    return any(each.endswith(f".{name}") for each in updatable_of(model))
