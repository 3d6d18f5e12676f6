"""Series from tables to forecasts: the same by name and time in a run and in its artifacts."""

import csv
import json
import subprocess
import sys
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import export
import zoo
from export.named_inputs import inputs_of
from export.task_serving import open_task
from tests.zoo.server.serving import serving
from zoo.cli.app import app
from zoo.server.opening import servable_of

SMALL = {"hidden_dim": 4, "horizon": 2, "context_length": 5, "encoder": "conv", "dropout": 0.0}
FIT = {"epochs": 1, "xla": False, "verbose": False}


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def weather(*names, days=30):
    """A table as Vega's of the weather in Seattle, with columns in some order."""
    rng, lines = np.random.default_rng(3), [",".join(names)]
    for each in range(days):
        low = 5 + np.sin(each) + rng.normal() / 9
        cells = {"date": f"{date(2012, 1, 1) + timedelta(each):%Y/%m/%d}", "wind": "4.7"}
        cells |= {"temp_max": f"{low + 9:.3f}", "temp_min": f"{low:.3f}", "weather": "drizzle"}
        lines.append(",".join(cells[name] for name in names))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("series")
    orders = {
        "trained": ("date", "temp_max", "temp_min"),
        "turned": ("date", "temp_min", "temp_max"),
        "more": ("weather", "wind", "temp_min", "date", "temp_max"),
        "less": ("date", "temp_min"),
    }
    for name, columns in orders.items():
        (path / f"{name}.csv").write_text(weather(*columns), "utf-8")
    return path


@pytest.fixture(scope="module")
def forecaster(folder):
    task = zoo.SeriesForecaster(**SMALL, quantiles=[0.1, 0.5, 0.9])
    task.adapt(folder / "trained.csv")
    task.fit(folder / "trained.csv", **FIT)
    task.save(folder / "run")
    export.litert(task, folder / "weather.tflite")
    return task


def forecasts(source, path):
    """The printed forecasts without the name of the series."""
    actual = run("predict", source, path)
    assert not actual.exception, actual.output
    return [line.split("\t", 1)[1] for line in actual.stdout.splitlines()]


def test_a_run_and_its_artifact_match_columns_by_name(forecaster, folder):
    right = forecasts(folder / "run", folder / "trained.csv")
    assert [line.split("\t")[:2] for line in right] == [
        [day, target] for day in ("2012-01-31", "2012-02-01") for target in ("temp_max", "temp_min")
    ]
    numbers = [[float(x) for x in line.split("\t")[2:]] for line in right]
    assert min(numbers[0]) > 10 and max(numbers[1]) < 9
    for source in (folder / "run", folder / "weather.tflite"):
        for name in ("trained", "turned", "more"):
            actual = forecasts(source, folder / f"{name}.csv")
            assert [x.split("\t")[:2] for x in actual] == [x.split("\t")[:2] for x in right]
            own = [[float(x) for x in line.split("\t")[2:]] for line in actual]
            np.testing.assert_allclose(own, numbers, rtol=1e-4)
        less = run("predict", source, folder / "less.csv")
        assert "has the targets temp_min; the training data had temp_max, temp_min" in less.stderr


def test_columns_by_name_in_python(forecaster, folder):
    predict = export.Predictor(folder / "weather.tflite")
    (series,) = forecaster.read(folder / "trained.csv").series
    high, low = series.values.T.tolist()
    right = predict(series.values[None, -5:])["forecast"]
    steps = [{"temp_min": a, "temp_max": b} for a, b in zip(low, high, strict=True)]
    for values in ({"temp_min": low, "temp_max": high}, [{"temp_min": low, "temp_max": high}],
                   steps, [steps], {"values": {"temp_min": low, "temp_max": high}}):  # fmt: skip
        np.testing.assert_array_equal(predict(values)["forecast"], right)
    rows = [{"temp_min": low[:9], "temp_max": high[:9]}, {"temp_min": low, "temp_max": high}]
    two = predict(inputs_of(rows, predict.facts["inputs"], predict.config))["forecast"]
    np.testing.assert_array_equal(two[1], right[0])
    short = predict({"temp_max": high[-2:], "temp_min": low[-2:]})["forecast"]
    filled = predict([[[np.nan] * 2] * 3 + series.values[-2:].tolist()])["forecast"]
    np.testing.assert_array_equal(short, filled)
    with pytest.warns(UserWarning, match="input 'values': the columns wind are not used"):
        predict({"wind": low, "temp_min": low, "temp_max": high})
    with pytest.raises(ValueError, match="input 'values' has no column temp_max; its columns are"):
        predict({"temp_min": low})
    with pytest.raises(ValueError, match=r"must have 2 values in each row \(temp_max, temp_min\)"):
        predict(np.zeros((1, 5, 3)))
    with pytest.raises(ValueError, match="temp_max must be numbers; received 'warm'"):
        predict({"temp_min": low, "temp_max": ["warm"] * 30})


def test_columns_by_name_in_a_request(forecaster):
    (series,) = forecaster.read({"date": ["2012-01-01"], "temp_max": [7], "temp_min": [1]}).series
    assert series.values.tolist() == [[7, 1]]
    high, low = [7.0, 8.0, None, 9.0], [1.0, 2.0, 3.0, 4.0]
    rows = [*map(list, zip(high, low, strict=True))]
    steps = [{"temp_min": a, "temp_max": b, "wind": 3} for a, b in zip(low, high, strict=True)]
    named = {"temp_min": low, "temp_max": high}
    path = "/v1/models/model:predict"
    with serving(servable_of("model", open_task(forecaster), forecaster)) as client:
        asked = [{"instances": [x]} for x in ({"values": rows}, {"values": named}, named)]
        asked += [{"instances": [{"values": steps}]}, {"inputs": {"values": [named]}}]
        actual = [client.ask(path, each) for each in asked]
        assert [status for status, _ in actual] == [200] * 5
        answers = [body.get("predictions", body.get("outputs"))[0] for _, body in actual]
        for answer in answers[1:]:
            np.testing.assert_allclose(answer, answers[0], rtol=1e-5)
        assert [body.get("unused_columns") for _, body in actual] == [None] * 3 + [["wind"], None]
        refused = {
            "input 'values' of instance 0 has no column temp_max; got temp_min": {"temp_min": low},
            "input 'values' of instance 0: a row has 2 values (temp_max, temp_min), got 3": (
                [[1.0, 2.0, 3.0]]
            ),
            "input 'values' of instance 0: the columns must have the same length": (
                {"temp_min": [1.0], "temp_max": []}
            ),
        }
        for message, values in refused.items():
            assert client.ask(path, {"instances": [{"values": values}]}) == (
                400,
                {"error": message},
            )


def test_the_manifest_has_the_columns_and_the_clock(forecaster, folder):
    config = json.loads((folder / "manifest.json").read_text("utf-8"))["artifacts"]
    config = config["weather.tflite"]["config"]
    assert config["columns"] == {"values": ["temp_max", "temp_min"]}
    assert config["series"]["layout"]["time"] == "date"
    assert config["series"]["clock"]["step"] == 86400


def test_an_artifact_of_series_needs_no_tensorflow(forecaster, folder):
    script = "import sys\nfrom zoo.cli.app import app\ntry:\n    app(sys.argv[1:])\nfinally:\n    "
    script += "print('tensorflow' in sys.modules)"
    given = ["predict", str(folder / "weather.tflite"), str(folder / "turned.csv")]
    done = subprocess.run(
        [sys.executable, "-c", script, *given], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == "False", done.stderr
    assert done.stdout.startswith("turned\t2012-01-31\ttemp_max\t")


READERS = {
    ".csv": pa.csv.read_csv,
    ".tsv": lambda path: pa.csv.read_csv(path, parse_options=pa.csv.ParseOptions(delimiter="\t")),
    ".jsonl": pa.json.read_json,
    ".parquet": pa.parquet.read_table,
}


def rows_of(path):
    return [*csv.DictReader(path.read_text("utf-8").splitlines())]


def test_an_artifact_forecasts_one_horizon(forecaster, folder):
    """And says so: the message was on heads and options of generation."""
    given = ["predict", folder / "weather.tflite", folder / "turned.csv"]
    told = run(*given, "--steps", 5).stderr
    assert "an exported file forecasts one horizon of 2 steps: leave out --steps" in told
    assert run(*given, "--steps", 2).stdout == run(*given).stdout != ""


@pytest.mark.parametrize("source", ["run", "weather.tflite"])
def test_forecasts_are_written_as_a_table(forecaster, folder, tmp_path, source):
    printed = [line.split("\t") for line in forecasts(folder / source, folder / "trained.csv")]
    out = tmp_path / "out.csv"
    done = run("predict", folder / source, folder / "trained.csv", "--out", out)
    assert not done.exception, done.output
    assert done.stdout == "" and done.stderr.endswith(
        f"{out}: 4 rows; the columns 0.1 to 0.9 are quantiles, of which 0.5 is the median\n"
    )
    rows = rows_of(out)
    assert [*rows[0]] == ["time", "target", "0.1", "0.5", "0.9"]
    assert [[*row.values()][:2] for row in rows] == [line[:2] for line in printed]
    actual = [[float(row[level]) for level in ("0.1", "0.5", "0.9")] for row in rows]
    expected = [[float(x) for x in line[2:]] for line in printed]
    np.testing.assert_allclose(actual, expected, rtol=1e-5)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_tables_of_forecasts_in_each_format(forecaster, folder, tmp_path, suffix):
    out, paths = tmp_path / f"out{suffix}", [folder / "trained.csv", folder / "turned.csv"]
    assert not run("predict", folder / "run", *paths, "--out", out, "--steps", 3).exception
    table = READERS[suffix](out)
    assert table.column_names == ["file_name", "series", "time", "target", "0.1", "0.5", "0.9"]
    assert table["series"].to_pylist() == ["trained"] * 6 + ["turned"] * 6
    assert len({*map(str, table["time"].to_pylist())}) == 3
    low, middle, high = (table[name].to_numpy() for name in ("0.1", "0.5", "0.9"))
    assert (low <= middle).all() and (middle <= high).all() and (low < high).any()


def test_what_no_table_of_forecasts_is_written_to(forecaster, folder, tmp_path):
    table = folder / "trained.csv"
    before = table.read_bytes()
    for out, message in {
        table: "is the table to read: name another file with --out",
        tmp_path / "out.xls": "must end with .csv, .tsv, .jsonl, .parquet or .xlsx",
        tmp_path / "no" / "out.csv": "is not a folder: create it first",
    }.items():
        assert message in run("predict", folder / "run", table, "--out", out).stderr
    for source in ("run", "weather.tflite"):
        refused = run("predict", folder / source, "--file", table, "--out", tmp_path / "out.csv")
        assert refused.stderr.rstrip().endswith("give the table itself, without --file")
    assert table.read_bytes() == before and not [*tmp_path.iterdir()]


def test_a_table_of_forecasts_from_an_address(forecaster, folder, tmp_path):
    with serving(servable_of("model", open_task(forecaster), forecaster)) as client:
        address = f"http://127.0.0.1:{client.port}/v1/models/model"
        done = run("predict", address, folder / "trained.csv", "--out", tmp_path / "out.csv")
    assert not done.exception, done.output
    expected = forecasts(folder / "run", folder / "trained.csv")
    rows = rows_of(tmp_path / "out.csv")
    assert [row["time"] for row in rows] == [line.split("\t")[0] for line in expected]
    np.testing.assert_allclose(
        [float(row["0.9"]) for row in rows], [float(x.split("\t")[-1]) for x in expected], rtol=1e-4
    )


def test_what_metrics_are_measured_on(forecaster, folder):
    done = run("evaluate", folder / "run", "--data", folder / "turned.csv", "--windows", 3)
    where = "turned.csv: 3 forecasts of 2 steps each, from 2012-01-25 to 2012-01-30"
    assert f"measured on {where}; coverage should be 0.8\n" in done.stderr
    metrics = json.loads((folder / "run" / "metrics.json").read_text("utf-8"))
    assert metrics["data"] == where
    assert metrics["mae"] == pytest.approx(
        (metrics["mae_of_temp_max"] + metrics["mae_of_temp_min"]) / 2
    )
    assert run("report", folder / "run", "--data", folder / "turned.csv").exit_code == 0
    page = (folder / "run" / "report.html").read_text("utf-8")
    one = "turned.csv: 1 forecast of 2 steps, from 2012-01-29 to 2012-01-30"
    assert f'Measured on <bdi dir="auto">{one}</bdi>.' in page
    assert "MAE of temp max" in page and "Coverage should be 0.8." in page


def test_training_data_is_scored_where_it_was_held_out(folder, tmp_path):
    task = zoo.SeriesForecaster(**SMALL)
    task.fit(folder / "trained.csv", 0.2, **FIT)
    task.save(tmp_path / "run")
    evaluate = ["evaluate", tmp_path / "run", "--data"]
    noted = {}
    for windows in (None, 3, 4):
        options = [] if windows is None else ["--windows", windows]
        noted[windows] = run(*evaluate, folder / "trained.csv", *options).stderr
    tail = "3 forecasts of 2 steps each, from 2012-01-25 to 2012-01-30"
    for windows in (None, 3):
        assert f"measured on trained.csv: {tail}, the validation data;" in noted[windows]
        assert "is training data" not in noted[windows]
    assert "measured on trained.csv: 4 forecasts" in noted[4] and "is training data" in noted[4]
    other = run(*evaluate, folder / "turned.csv").stderr
    assert "measured on turned.csv: 1 forecast of 2 steps, from 2012-01-29 to 2012-01-30;" in other


def test_notes_name_the_file(forecaster, folder, tmp_path):
    short = tmp_path / "short.csv"
    short.write_text(weather("date", "temp_max", "temp_min", days=4), "utf-8")
    note = "1 forecast with fewer than 5 values before, filled with missing values"
    assert f"{short}: {note}" in run("predict", folder / "run", short).stderr
    out = tmp_path / "out.csv"
    assert f"{short}: {note}" in run("predict", folder / "run", short, "--out", out).stderr
    more = run("predict", folder / "run", *[short] * 5).stderr
    several = note[2:].replace("forecast", "forecasts", 1)
    assert f"{short}, {short}, {short}, 2 more: 5 {several}" in more


def test_forecasts_are_counted_and_compared_one_by_one(folder, tmp_path):
    for seed in (0, 1):
        task = zoo.SeriesForecaster(**SMALL, linear=not seed)
        task.fit(folder / "trained.csv", **FIT)
        task.save(tmp_path / f"run{seed}")
    both = ["compare", tmp_path / "run0", tmp_path / "run1", "--data", folder / "turned.csv"]
    done = run(*both, "--windows", 3)
    assert done.exit_code == 0, done.output
    assert " of 3 answers changed" in done.stdout and "from 2012-01-25" in done.stdout
    assert "row: evaluate several forecasts with --windows" in run(*both).stderr
    done = run("evaluate", tmp_path / "run0", "--data", folder / "turned.csv", "--windows", 99)
    assert ", 14 forecasts to evaluate," in done.stderr and ": 14 forecasts of 2" in done.stderr
