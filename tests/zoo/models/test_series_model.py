"""The series model: normalization, missing values, quantiles and covariates."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.variants import thorough_variants
from zoo.data.series.windows import center_and_scale, filled_contexts
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.instance_normalization import InstanceNormalization
from zoo.models.seasonal_fill import SeasonalFill
from zoo.registry import MODELS

SIZES = {"context_length": 11, "horizon": 3, "num_targets": 2, "hidden_dim": 6, "num_heads": 2}
ENCODERS = [("rnn", {}), ("conv", {"num_layers": 2}), ("attention", {})]
LEVELS = [0.05, 0.3, 0.5, 0.7, 0.95]


def make(encoder, **options):
    options = {**SIZES, "quantiles": LEVELS, "encoder": encoder, **options}
    model = create_model("series_model", **options)
    rng = np.random.default_rng(11)
    model.set_weights([w + rng.normal(0, 0.3, w.shape) for w in model.get_weights()])
    return model


def values(rows=5, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(7, 3, (rows, 11, 2))
    x[rng.random(x.shape) < 0.2] = np.nan
    return x.astype("float32")


def run(model, x, **more):
    inputs = {"values": x, **more}
    inputs = {name: ops.convert_to_tensor(array) for name, array in inputs.items()}
    return ops.convert_to_numpy(model(inputs)["forecast"])


def test_the_layer_normalizes_as_batches_do():
    x = values()
    x[0, :, 0], x[1, :, 1], x[2, :, 0] = 4.0, np.nan, 0.0  # constant, missing, zero
    z, seen, center, scale = map(
        ops.convert_to_numpy, InstanceNormalization()(ops.convert_to_tensor(x))
    )
    expected = center_and_scale(x.astype("float64"))
    np.testing.assert_allclose(center, expected[0], rtol=1e-5)
    np.testing.assert_allclose(scale, expected[1], rtol=1e-5)
    oracle = np.nan_to_num((x - expected[0]) / expected[1])
    np.testing.assert_allclose(z, oracle, atol=1e-5)
    np.testing.assert_array_equal(seen, ~np.isnan(x))


@pytest.mark.parametrize(("encoder", "options"), ENCODERS)
def test_forecasts_move_and_scale_with_the_series(encoder, options):
    model, x = make(encoder, **options), values()
    actual = run(model, x)
    assert actual.shape == (5, 3, 2, 5) and actual.std() > 0.5
    np.testing.assert_allclose(run(model, 1000 * x + 50), 1000 * actual + 50, rtol=1e-3)


@pytest.mark.parametrize(("encoder", "options"), ENCODERS)
def test_quantiles_never_cross(encoder, options):
    actual = run(make(encoder, **options), values(rows=31))
    assert (np.diff(actual, axis=-1) > 0).all()


def test_a_missing_value_is_not_a_zero_nor_a_mean():
    model, x = make("rnn"), values()
    x[:, 4, 0] = np.nan
    seen = x.copy()
    seen[:, 4, 0] = np.nanmean(x[:, :, 0], axis=1)
    assert np.isfinite(run(model, x)).all()
    assert np.abs(run(model, x) - run(model, seen)).max() > 1e-3
    assert np.isfinite(run(model, np.full_like(x, np.nan))).all()


def searched(x, season):
    """`SeasonalFill` as it is defined: an outward search in each of two directions in turn."""
    step = season if season < x.shape[1] else 1
    for stride in (-step, step):
        filled = x.copy()
        for row, step, channel in np.argwhere(np.isnan(x)):
            own = x[row, step::stride, channel]
            filled[row, step, channel] = next((each for each in own if not np.isnan(each)), np.nan)
        x = filled
    return x


@pytest.mark.parametrize("season", [1, 2, 3, 4, 11, 17])
def test_missing_values_are_those_of_other_seasons(season):
    x = values(rows=29)
    x[:7, 2:9] = np.nan
    x[7:11, 3:], x[11] = np.nan, np.nan
    seen = (~np.isnan(x)).astype("float32")
    given = map(ops.convert_to_tensor, (np.nan_to_num(x), seen))
    actual = ops.convert_to_numpy(SeasonalFill(season)(*given))
    expected = searched(x, season)
    assert (
        np.isnan(expected).sum() == 22 if season in (1, 11, 17) else 22 < np.isnan(expected).sum()
    )
    np.testing.assert_array_equal(filled_contexts(x, season), expected)
    np.testing.assert_array_equal(actual, np.nan_to_num(expected))


def test_a_model_without_a_season_leaves_missing_values_at_the_mean():
    """As those that were trained before did."""
    plain, filling = make("rnn"), make("rnn", season=4)
    filling.set_weights(plain.get_weights())
    x = values()
    assert np.abs(run(plain, x) - run(filling, x)).max() > 1e-2
    full = np.nan_to_num(x, nan=7.0)
    np.testing.assert_allclose(run(plain, full), run(filling, full), atol=1e-6)


def test_the_linear_part_is_a_linear_function_of_normalized_values():
    model, x = make("conv"), values()
    before = run(model, x)
    weights = np.random.default_rng(5).normal(size=(11, 3)).astype("float32")
    change = weights - ops.convert_to_numpy(model.linear.kernel)
    model.linear.kernel.assign(weights)
    center, scale = center_and_scale(x.astype("float64"))
    z = np.nan_to_num((x - center) / scale)
    expected = np.einsum("btc,th->bhc", z, change) * scale
    np.testing.assert_allclose(run(model, x) - before, expected[..., None] + 0 * before, atol=1e-3)


def test_each_step_sees_its_own_known_covariates_of_the_future():
    model, x = make("rnn", known_scaling=[[3.0, 2.0]]), values()
    known = np.random.default_rng(7).normal(3, 2, (5, 14, 1)).astype("float32")
    before = run(model, x, known=known)
    known[:, 12] += 1  # the second step of the forecast
    moved = np.abs(run(model, x, known=known) - before).max(axis=(0, 2, 3))
    assert moved[1] > 1e-3 and moved[0] == moved[2] == 0
    known[:, 12] = np.nan  # is like the mean
    mean = np.where(np.isnan(known), 3.0, known)
    np.testing.assert_allclose(run(model, x, known=known), run(model, x, known=mean), rtol=1e-5)


def test_static_covariates_matter():
    model, x = make("conv", num_static=3), values()
    static = np.eye(5, 3, dtype="float32")
    assert np.abs(run(model, x, static=static) - run(model, x, static=static[::-1])).max() > 1e-3


@thorough_variants(ENCODERS)
def test_files_and_mixed_precision(name, config, tmp_path):
    model, x = make(name, **config), values()
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.get_config() == model.get_config()
    np.testing.assert_array_equal(run(again, x), run(model, x))
    half = make(name, dtype="mixed_bfloat16", **config)
    half.set_weights(model.get_weights())
    assert keras.backend.standardize_dtype(half.output["forecast"].dtype) == "float32"
    np.testing.assert_allclose(run(half, x), run(model, x), atol=2.0)


def test_attention_maps_are_of_every_layer():
    model = make("attention", num_layers=2)
    maps = model.attention_maps({"values": ops.convert_to_tensor(values())})["encoder"]
    assert len(maps) == model.attention_layers["encoder"] == 2
    for each in map(ops.convert_to_numpy, maps):
        assert each.shape == (5, 2, 11, 11)
        np.testing.assert_allclose(each.sum(-1), 1, atol=1e-5)
    assert make("conv").attention_layers == {}


@pytest.mark.parametrize("preset", MODELS["series_model"].presets)
def test_presets_build(preset):
    model = create_model("series_model", preset, context_length=24, horizon=12)
    assert model.output["forecast"].shape == (None, 12, 1, 3)
    if preset == "micro":
        assert model.count_params() < 10_000


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"encoder": "mlp"}, ValueError, "encoder must be one of rnn, conv, attention"),
        ({"encoder": 3}, UserError, "encoder must be a string"),
        ({"cell": "lsd"}, ValueError, "cell must be one of"),
        ({"horizon": 0}, UserError, "horizon must be an integer of at least 1"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        create_model("series_model", **{**SIZES, **options})
