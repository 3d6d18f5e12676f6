"""Text regressors learn values, and say clearly what they cannot learn."""

import json

import numpy as np
import pytest

import zoo
from zoo.errors import DataError, UserError
from zoo.tasks.baselines.values import WORDS, ValueBaseline

WORTH = {"great": 90.0, "fine": 75.0, "dull": 30.0, "poor": 15.0}
FILLING = "the film was a plot".split()
HOW = {"xla": False, "verbose": False}


def texts(count=60, seed=1):
    random = np.random.default_rng(seed)
    chosen = random.choice([*WORTH], count)
    return [(" ".join([*random.choice(FILLING, 3), word]), WORTH[word]) for word in chosen]


@pytest.fixture(scope="module")
def task():
    made = zoo.TextRegressor(num_buckets=101)
    made.fit(texts(), epochs=40, learning_rate=0.1, **HOW)
    return made


def test_values_have_the_units_of_the_data(task):
    values = [value for _, value in texts()]
    assert task.settings.value_means == pytest.approx([np.mean(values)])
    assert task.settings.value_scales == pytest.approx([np.std(values)])
    for word, actual in zip(WORTH, task.predict([*WORTH]), strict=True):
        assert actual == pytest.approx(WORTH[word], abs=25)
    scores = task.evaluate(texts(seed=2))
    assert scores["r2"] > 0.9 > 0.1 > scores["mean_r2"]
    assert scores["mae"] < scores["mean_mae"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (("1.037,25", "12", "0,5"), [(1037.25,), (12,), (0.5,)]),
        (("$1,200.50", "$3", "-$0.5"), [(1200.5,), (3,), (-0.5,)]),
        (("45.5 %", "12%", "3%"), [(45.5,), (12,), (3,)]),
        (("1'250.50", "900", "7"), [(1250.5,), (900,), (7,)]),
    ],
)
def test_values_as_other_programs_write_them(cells, values, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("text\tprice\n" + "".join(f"a b\t{cell}\n" for cell in cells))
    assert zoo.TextRegressor().read(path).values == values


def test_values_that_can_be_read_in_two_ways_are_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("text\tprice\na\t3\nb\t1,234\n")
    with pytest.raises(UserError, match=r"a\.tsv: value: '1,234' can have a decimal comma"):
        zoo.TextRegressor().read(tmp_path / "a.tsv")


@pytest.mark.parametrize("loss", ["mae", "huber"])
def test_other_losses_learn_too(loss):
    made = zoo.TextRegressor("rnn_classifier", "tiny", embedding_dim=8, units=8)
    history = made.fit(texts(200), 0.2, epochs=12, learning_rate=0.03, loss=loss, **HOW)
    assert history.history["val_r2"][history.best_epoch - 1] > 0.6


def test_several_columns_of_a_file(tmp_path):
    path = tmp_path / "wines.csv"
    rows = [f"{text},{value},{5 - value / 20},x" for text, value in texts()]
    path.write_text("\n".join(["text,price,stars,other", *rows]) + "\n")
    made = zoo.TextRegressor(num_buckets=101, value_column="price,stars")
    made.fit(path, epochs=40, learning_rate=0.1, folder=tmp_path / "run", **HOW)
    (actual,) = made.predict(["great"])
    assert actual["price"] == pytest.approx(90, abs=25) and actual["stars"] < 2
    assert made.evaluate(path)["stars_spearman"] > 0.9
    again = zoo.load(tmp_path / "run")
    assert again.predict(["great"]) == [actual] and again.value_names == ["price", "stars"]
    config = json.loads((tmp_path / "run" / "config.json").read_text())["settings"]
    assert config["value_names"] == ["price", "stars"]
    path.write_text("text,stars\na film,3\n")
    again.settings.value_column = "stars"
    with pytest.raises(UserError, match="has 1 values in each row, and the model has 2: price, st"):
        again.evaluate(path)


def test_the_baseline_is_that_of_scikit_learn(tmp_path):
    linear = pytest.importorskip("sklearn.linear_model")
    from sklearn.feature_extraction.text import TfidfVectorizer

    given, values = zip(*texts(), strict=True)
    y = np.array(values)[:, None]
    features = TfidfVectorizer(sublinear_tf=True).fit_transform(given)
    expected = linear.Ridge(alpha=1.0, solver="lsqr", tol=1e-9).fit(features, y)
    actual = ValueBaseline.fit(WORDS, given, y)
    predicted = expected.predict(features).reshape(-1, 1)
    np.testing.assert_allclose(actual.model.predict(given), predicted, atol=0.1)
    actual.save(tmp_path)
    again = ValueBaseline.load(WORDS, tmp_path)
    np.testing.assert_array_equal(again.model.predict(given), actual.model.predict(given))
    np.testing.assert_array_equal(again.predict(given)["mean"], actual.predict(given)["mean"])
    (tmp_path / "baseline.npz").write_bytes(b"no zip")
    with pytest.raises(UserError, match=r"baseline.npz is damaged"):
        ValueBaseline.load(WORDS, tmp_path)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("text,stars\na,3\nb,3\n", {}, "all values of stars are 3; a regressor learns"),
        ("text,stars\na,good\nb,bad\n", {}, "has no numbers, but 'good': train a classifier"),
        ("text,stars\na,3\nb,nan\n", {}, "x.csv:3: the value 'nan' is not a finite number"),
        ("text,stars\na,3\nb,inf\n", {}, "x.csv:3: the value 'inf' is not a finite number"),
        ("text,stars\na,3\nb,4 stars\n", {}, "x.csv:3: the value '4 stars' is not a finite number"),
        ("text,stars\na,3\nb,\n", {}, "x.csv:3: the value is empty"),
        ("text,stars\na,3\n", {"value_column": "price"}, "has no column 'price' for value_column"),
        ("text,a,b\nx,1,2\n", {"value_column": "a,b,a"}, "value_column must name different colum"),
        ("text,stars\n", {}, "contains no texts with values"),
    ],
)
def test_what_cannot_be_learned_is_named(content, options, message, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises((UserError, DataError), match=message):
        zoo.TextRegressor(**options).adapt(path)


def test_bad_rows_may_be_skipped(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("text,stars\na,3\nb,none\nc,5\n")
    examples = zoo.TextRegressor(skip_bad_rows=True).read(path)
    assert examples.values == [(3.0,), (5.0,)]
    assert "1 bad row skipped" in str(examples)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"value_scales": [0.0]}, "value_scales must be above 0"),
        ({"value_means": [float("inf")]}, "value_means must be finite numbers"),
        ({"value_names": ["a"], "value_means": [1.0, 2.0]}, "value_means must be 1 numbers"),
    ],
)
def test_units_are_validated(options, message):
    with pytest.raises(UserError, match=message):
        zoo.TextRegressor(**options)


def test_given_units_are_kept():
    made = zoo.TextRegressor(num_buckets=101, value_means=[50.0], value_scales=[10.0])
    made.adapt(texts())
    assert made.head.means == [50.0] and made.head.scales == [10.0]
    assert made.predict(["the film"]) == [50.0]  # of a model that has learned nothing
