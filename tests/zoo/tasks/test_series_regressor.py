"""Series regressors learn values, and say clearly what they cannot learn."""

import csv
import json

import numpy as np
import pytest

import zoo
from tests.tasks.api import command
from tests.tasks.cases import files
from zoo.errors import DataError, UserError
from zoo.tasks.baselines.small_inputs import statistics

SMALL = {"hidden_dim": 8, "num_layers": 2}
HOW = {"epochs": 30, "learning_rate": 0.02, "xla": False, "verbose": False}


def waves(count=60, seed=1):
    random = np.random.default_rng(seed)
    speeds = random.uniform(20, 120, count)
    starts = random.uniform(0, 6, count)
    steps = np.arange(29)
    return [(np.sin(v / 100 * steps + s), float(v)) for v, s in zip(speeds, starts, strict=True)]


@pytest.fixture(scope="module")
def task():
    made = zoo.SeriesRegressor(**SMALL)
    made.fit(waves(200), **HOW)
    return made


def test_values_have_the_units_of_the_data(task):
    values = [value for _, value in waves(200)]
    assert task.settings.value_means == pytest.approx([np.mean(values)])
    assert task.settings.value_scales == pytest.approx([np.std(values)])
    scores = task.evaluate(waves(seed=2))
    actual = task.predict([series for series, _ in waves(seed=2)])
    errors = np.subtract(actual, [value for _, value in waves(seed=2)])
    assert scores["mae"] == pytest.approx(np.abs(errors).mean())
    assert scores["rmse"] == pytest.approx(np.sqrt((errors**2).mean()))
    assert scores["r2"] > 0.8 > 0.1 > scores["mean_r2"]
    assert scores["ridge_mae"] < scores["mean_mae"]


def test_a_table_and_its_command(tmp_path):
    data, out = files.speeds(tmp_path), tmp_path / "run"
    options = ["--target-column", "speed", "--set", "hidden_dim=8", "--epochs", 1]
    done = command("train", "series-regressor", "--data", data, "--out", out, *options)
    assert done.exit_code == 0, done.stderr
    with open(data, encoding="utf-8") as file:
        names = {row["id"] for row in csv.DictReader(file)}
    shown = command("predict", out, data).stdout.splitlines()
    assert {line.split("\t")[0] for line in shown} == names
    (row,) = json.loads(command("predict", out, data, "--json").stdout)
    task = zoo.load(out)
    assert task.preprocessor.targets == ["ax", "ay"] and task.value_names == ["speed"]
    (actual,) = task.predict_named([data])
    for name, values in row["prediction"].items():
        assert values == pytest.approx(actual[name]) and {*values} == {"speed"}
    assert done.exit_code == 0 and "31 series of" in done.stderr


def test_several_values_of_arrays(tmp_path):
    random = np.random.default_rng(3)
    arrays = {"x": random.normal(size=(7, 11)), "y": random.normal(size=(7, 2))}
    np.savez(tmp_path / "a.npz", **arrays, names=["age", "weight"])
    examples = zoo.SeriesRegressor().read(tmp_path / "a.npz")
    assert examples.names == ["age", "weight"]
    np.testing.assert_array_equal(examples.values, arrays["y"])
    named = zoo.SeriesRegressor(target_column="a,b").read(tmp_path / "a.npz")
    assert named.names == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("id,x,target\na,1,3\na,2,3\nb,1,3\n", {}, "all values of target are 3; a regressor"),
        ("id,x,target\na,1,3\na,2,4\n", {}, "target of series 'a' is '4', and was '3'"),
        ("id,x,target\na,1,old\nb,2,new\n", {}, "the target of series 'a' is 'old', not a fini"),
        ("id,x,target\na,1,3\nb,2,\n", {}, "the target of series 'b' is empty"),
        ("id,x,target\na,1,3\nb,2,inf\n", {}, "the target of series 'b' is 'inf', not a finite"),
        ("id,x\na,1\n", {}, "has no column of values to predict: name it with target_column"),
        ("id,x,y\na,1,2\n", {"target_column": "size"}, "has no column 'size' for target_column"),
        ("id,x,y\na,1,2\n", {"target_column": "y,y"}, "target_column must name different colum"),
    ],
)
def test_what_cannot_be_learned_is_named(content, options, message, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises((UserError, DataError), match=message):
        zoo.SeriesRegressor(**options).adapt(path)


def test_statistics_are_those_of_numpy():
    values = np.random.default_rng(7).normal(size=(13, 3))
    values[2:5, 1] = np.nan
    changes = np.abs(np.diff(values, axis=0))
    functions = (np.nanmean, np.nanstd, np.nanmin, np.nanmax)
    expected = [each(values, axis=0) for each in functions] + [np.nanmean(changes, axis=0)]
    np.testing.assert_allclose(statistics(values), np.concatenate(expected))
    assert statistics(np.full((3, 1), np.nan)).tolist() == [0.0] * 5
    assert statistics(np.ones((1, 1))).tolist() == [1.0, 0.0, 1.0, 1.0, 0.0]
