"""Forecasting with covariates and several targets, what is counted, and what is refused."""

import json

import numpy as np
import pytest

import zoo
from tests.tasks import api
from tests.tasks.cases import files
from zoo.data_statistics import LOGGER
from zoo.errors import UserError
from zoo.tasks.fit import fit_baselines

SMALL = {"hidden_dim": 5, "dropout": 0.0, "horizon": 3, "context_length": 7, "encoder": "conv"}
FIT = {**api.FIT, "epochs": 2, "learning_rate": 0.01}


def forecaster(**options):
    return zoo.SeriesForecaster(**{**SMALL, "quantiles": [0.1, 0.5, 0.9], **options})


def table(folder, rows=43, future=3, **columns):
    """Two series with a covariate that raises their values, and the town where they are."""
    rng, lines = np.random.default_rng(7), ["month,item,promo,town,a,b"]
    for item, town in (("x", "Rome"), ("y", "Bonn")):
        for i in range(rows + future):
            promo = int(rng.random() < 0.3)
            known = i < rows
            a, b = (f"{10 + 5 * promo + rng.normal():.2f}", f"{i % 5}") if known else ("", "")
            lines.append(f"{2000 + i // 12}-{i % 12 + 1:02},{item},{promo},{town},{a},{b}")
    path = folder / "data.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def with_covariates(tmp_path_factory):
    path = table(tmp_path_factory.mktemp("covariates"))
    task = forecaster(target_column="a,b", known_column="promo", static_column="town")
    task.adapt(path)
    task.fit(path, **{**FIT, "epochs": 5, "batch_size": 7, "learning_rate": 0.03})
    return task, path


@pytest.mark.thorough
def test_known_covariates_and_several_targets(with_covariates):
    task, path = with_covariates
    actual = task.predict(path)
    assert [each.shape for each in actual] == [(3, 2, 3)] * 2
    series = task.read(path).series[0]
    assert series.known.shape == (46, 1) and task.preprocessor.static[0].categories == [
        "Bonn",
        "Rome",
    ]
    low, high = (
        zoo.Series(
            series.values, known=np.where(np.arange(46)[:, None] < 43, series.known, promo),
            static=series.static,
        )
        for promo in (0, 1)
    )  # fmt: skip
    without, with_promo = task.predict([low, high])
    assert (with_promo[:, 0, 1] - without[:, 0, 1] > 2).all()  # learned: about 5 more


@pytest.mark.thorough
def test_covariates_are_kept_with_the_run(with_covariates, tmp_path):
    task, path = with_covariates
    task.save(tmp_path)
    again = zoo.load(tmp_path)
    np.testing.assert_array_equal(np.stack(again.predict(path)), np.stack(task.predict(path)))
    assert again.evaluate(path) == task.evaluate(path)
    (named,) = again.predict_named([str(path)])
    assert [*named] == ["x", "y"] and [*named["x"]] == ["2003-08-01", "2003-09-01", "2003-10-01"]
    assert [*named["x"]["2003-08-01"]] == ["a", "b"]
    assert [*named["x"]["2003-08-01"]["a"]] == ["0.1", "0.5", "0.9"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: {"known": x.known[:44]}, "has known covariates of 1 steps after its last value; "
         "3 steps are to be forecast"),
        (lambda x: {"known": None}, "has 0 known covariates; expected promo"),
        (lambda x: {"static": ()}, "has 0 static covariates; expected town"),
        (lambda x: {"values": x.values[:, :1]}, "has 1 targets; expected 2: a, b"),
        (lambda x: {"values": np.full((9, 2), np.nan)}, "has no values among the last 7"),
    ],
)  # fmt: skip
def test_series_that_do_not_fit(change, message, with_covariates):
    task, path = with_covariates
    series = task.read(path).series[0]
    with pytest.raises(UserError, match=message):
        task.predict([zoo.Series(**{**vars(series), **change(series)})])


def test_a_table_with_other_columns(with_covariates, tmp_path):
    task, path = with_covariates
    other = path.read_text("utf-8").replace("promo", "price", 1)
    (tmp_path / "other.csv").write_text(other, "utf-8")
    with pytest.raises(UserError, match="has no column promo: name the known of series"):
        task.evaluate(tmp_path / "other.csv")


def test_what_is_missing_is_counted(caplog):
    LOGGER.propagate = True
    task = adapted()
    values = np.arange(5.0)
    values[2] = np.nan
    with caplog.at_level("WARNING", LOGGER.name):
        task.predict([values, np.arange(9.0)])
    assert "1 forecast with fewer than 7 values before, filled with missing values" in caplog.text
    assert "1 missing value" in caplog.text


def test_a_missing_value_is_read_from_the_season_before():
    """And changes the forecast of a series that repeats itself by nothing."""
    wave = np.tile([5.0, 2, 9, 4], 11)
    task = forecaster(seasonality=4, context_length=12)
    task.adapt([wave])
    task.fit([wave], **FIT)
    whole = task.predict([wave])[0]
    for index in (-1, -4, -9):
        holes = wave.copy()
        holes[index] = np.nan
        assert np.abs(task.predict([holes])[0][:, 1] - whole[:, 1]).max() < 0.2
    holes[-6:-1] = np.nan
    assert np.abs(task.predict([holes])[0][:, 1] - [5, 2, 9]).max() < 0.5


def test_a_longer_series_is_its_end_and_a_shorter_one_begins_with_missing_values():
    task = adapted()
    long, end = task.predict([np.arange(19.0), np.arange(12.0, 19)])
    np.testing.assert_allclose(long, end, rtol=1e-6)
    short, filled = task.predict([np.arange(3.0), [np.nan] * 4 + [0, 1, 2]])
    np.testing.assert_allclose(short, filled, rtol=1e-6)


def test_defaults_come_from_the_times(tmp_path):
    path = files.sales(tmp_path)
    task = zoo.SeriesForecaster(series_column="shop")
    task.adapt(path)
    settings = task.settings
    assert (settings.seasonality, settings.horizon, settings.context_length) == (7, 7, 21)
    task = zoo.SeriesForecaster()
    task.adapt([np.arange(23.0)])
    settings = task.settings
    assert (settings.seasonality, settings.horizon, settings.context_length) == (1, 12, 11)


def test_a_horizon_by_default_is_that_of_validation_and_of_baselines(tmp_path, capfd):
    """They were of 12 steps, whatever the season, and baselines, of a season, had no metrics."""
    hours = [f"2024-01-{1 + n // 24:02} {n % 24:02}:00,{n % 24 + n % 7}" for n in range(240)]
    (tmp_path / "heat.csv").write_text("\n".join(["time,heat", *hours]))
    task = zoo.SeriesForecaster()
    task.fit(tmp_path / "heat.csv", 0.2, folder=tmp_path / "run", epochs=1, xla=False)
    assert "2 forecasts to evaluate" in capfd.readouterr().err
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "baselines on the validation data: seasonal_naive_mae" in log
    assert "validation mae: " in log
    assert {"mae", "seasonal_naive_mae", "linear_mae"} <= task.metrics.keys()


def test_training_starts_from_the_linear_baseline_once(tmp_path):
    path = files.sales(tmp_path)
    task = forecaster(series_column="shop")
    task.adapt(path)
    examples = task.read(path)
    fit_baselines(task, examples)
    kernel = np.array(task.model.linear.kernel)
    np.testing.assert_allclose(kernel, task.baselines.weights[:-1], rtol=1e-6)
    context = examples.series[0].values[None, -7:]
    linear = task.baselines.forecast(context)["linear"][0, :, 0]
    actual = task.predict([context[0]])[0]
    np.testing.assert_allclose(actual[:, 1], linear[:, 1], rtol=1e-5)
    gaps = np.diff(task.baselines.linear_errors, axis=1).mean(axis=0) * np.nanstd(context)
    np.testing.assert_allclose(np.diff(actual), np.tile(gaps, (3, 1)), rtol=1e-4)
    task.model.linear.kernel.assign(kernel + 1)  # as if it was trained
    fit_baselines(task, examples)
    np.testing.assert_array_equal(task.model.linear.kernel, kernel + 1)


def test_validation_forecasts_from_every_held_out_step():
    task = forecaster()
    task.adapt([np.arange(40.0), np.arange(90.0)])
    _, held_out = task.read([np.arange(40.0), np.arange(90.0)]).split(0.2)
    assert held_out.held_out == [2, 6]
    batches = task.batches(held_out, task.Training(), held_out=True)
    assert batches.origins[:, 1].tolist() == [*range(34, 38), *range(72, 88)]
    many = task.read([np.random.default_rng(0).normal(size=9000)]).split(0.2)[1]
    origins = task.batches(many, task.Training(), held_out=True).origins
    assert origins[:, 1].tolist() == [*range(7200, 8998, 2)]


@pytest.mark.thorough
def test_several_forecasts_are_evaluated(tmp_path):
    path = files.sales(tmp_path)
    task = forecaster(series_column="shop", windows=3)
    task.adapt(path)
    task.fit(path, **FIT)
    scores = task.evaluate(path)
    errors = []
    for series in task.read(path).series:
        for start in (52, 55, 58):
            (actual,) = task.predict([series.values[:start]])
            errors.append(np.abs(actual[:, 1] - series.values[start : start + 3, 0]))
    assert scores["mae"] == pytest.approx(np.nanmean(np.concatenate(errors)), rel=1e-5)
    metrics = {"mae", "mase", "crps", "coverage"}
    expected = metrics | {f"{b}_{m}" for b in ("seasonal_naive", "linear") for m in metrics}
    assert set(scores) == expected


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: forecaster(quantiles=[0.5, 0.1]), "quantiles must be numbers that rise, above 0"),
        (lambda: forecaster(quantiles=[0.5, 1.0]), "quantiles must be numbers that rise"),
        (lambda: forecaster(quantiles=[]), "quantiles must be numbers that rise"),
        (lambda: forecaster(quantiles=["low"]), "quantiles must be numbers that rise"),
        (lambda: forecaster(horizon=0), "horizon must be an integer of at least 1"),
        (lambda: forecaster(num_targets=2), "series_model has no option 'num_targets'"),
        (lambda: adapted([np.arange(3.0)]).fit([np.arange(3.0)]), "no series that is longer"),
        (lambda: adapted().fit([np.full(23, np.nan)]), "no series that is longer"),
        (lambda: adapted().predict(np.arange(9.0)), "got a single series"),
        (lambda: adapted().predict([["a"]]), "series 1 must be an array"),
        (lambda: adapted().evaluate([np.arange(2.0)]), "no series with values"),
    ],
)  # fmt: skip
def test_mistakes(act, message):
    with pytest.raises(UserError, match=message):
        act()


def adapted(series=None):
    task = forecaster()
    task.adapt(series or [np.arange(23.0)])
    return task


@pytest.mark.thorough
def test_commands(tmp_path):
    path, run = files.sales(tmp_path), tmp_path / "run"
    options = ["--series-column", "shop", "--horizon", "3", "--context-length", "7", "--no-xla"]
    options += ["--quantiles", "0.1", "--quantiles", "0.5", "--set", "encoder=conv"]
    train = ["train", "series-forecaster", "--data", path, "--out", run, "--epochs", "1"]
    assert api.command(*train, *options).exit_code == 0
    actual = api.command("predict", run, path)
    rows = [line.split("\t") for line in actual.stdout.splitlines()]
    assert [row[:2] for row in rows[:3]] == [["north", f"2024-03-0{day}"] for day in (2, 3, 4)]
    assert len(rows) == 6 and all(len(row) == 4 and float(row[2]) < float(row[3]) for row in rows)
    (named,) = json.loads(api.command("predict", run, path, "--json").stdout)
    assert [*named["prediction"]["south"]["2024-03-02"]] == ["0.1", "0.5"]
    evaluated = api.command("evaluate", run, "--data", path, "--windows", "2", "--json")
    assert set(json.loads(evaluated.stdout)) >= {"mae", "mase", "crps", "linear_mae"}
    refused = api.command(*train[:-1], "1", "--quantiles", "low", "--horizon", "3")
    assert refused.exit_code == 2 and "--quantiles must be a number, got 'low'" in refused.stderr


def test_inspect_knows_series(tmp_path):
    rows = [f"2024-01-{day:02},{day}" for day in range(1, 29)]
    path = tmp_path / "data.csv"
    path.write_text("date,sales\n" + "\n".join(rows), "utf-8")
    actual = json.loads(api.command("inspect", path, "--json").stdout)
    assert actual["task"] == "series-forecaster"
    assert "1 series of 28 steps in all, every day; time = date" in actual["understood"]
    assert actual["command"].startswith("keras-attn train series-forecaster --data")
