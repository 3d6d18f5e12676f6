"""What a sweep keeps, refuses and recommends, and how it goes on where it was stopped."""

import json
import os

import numpy as np
import pytest

import export
import zoo
from export.intervals import PARTS, of_parts, of_share
from export.measurements import loss
from export.sweep_result import open_sweep, recommend
from tests.export.models import regressor
from tests.tasks import api

ROWS = [
    (f"a {label} film number {i % 7} {i // 7}", label)
    for label in ("good", "bad")
    for i in range(40)
]


def row(name, size, drop, **more):
    return {"name": name, "size_mb": size, "drop": drop, "metrics": {"accuracy": 0.9}, **more}


def test_the_smallest_file_within_the_drop_is_recommended():
    rows = [row("float32", 8.0, 0.0), row("int8", 2.0, 0.01), row("dynamic_int4", 1.0, 0.2)]
    rows += [{"name": "static_int8", "refused": "loops"}, row("better", 4.0, -0.1)]
    assert recommend(rows, 0.01) == "int8"
    assert recommend(rows, 0.009) == "better"
    assert recommend(rows, 0.2) == "dynamic_int4"
    assert recommend(rows, -0.2) is None
    assert recommend(rows, None) is None


def test_errors_are_worse_the_higher_they_are():
    assert loss("accuracy", 0.9, 0.8) == pytest.approx(0.1)
    for metric in ("word_error_rate", "mae", "perplexity"):
        assert loss(metric, 0.9, 0.8) == pytest.approx(-0.1)


def test_an_interval_has_the_true_value_as_often_as_it_says():
    random = np.random.default_rng(1)
    shares = [of_share(random.binomial(80, 0.9) / 80, 80) for _ in range(100)]
    assert 0.94 <= np.mean([low <= 0.9 <= high for low, high in shares]) <= 1
    values = random.normal(3.0, 2.0, (400, PARTS))
    actual = [of_parts(x.mean(), x, [5] * PARTS) for x in values]
    assert 0.91 <= np.mean([low <= 3 <= high for low, high in actual]) <= 0.99


class TestKept:
    @pytest.fixture
    def model(self):
        return regressor()

    @pytest.fixture
    def data(self, tmp_path):
        path = tmp_path / "test.tsv"
        path.write_text("a\tb\n")
        return path

    @pytest.fixture
    def kept(self, tmp_path, model, data):
        actual = open_sweep(tmp_path / "sweep", model, data, None, {"text": None})
        actual.file("float32").write_bytes(b"all of it")
        actual.add(row("float32", 3.0, 0.0))
        actual.add({"name": "static_int8", "refused": "loops | and more"})
        return actual

    def again(self, kept, model, data, **options):
        return open_sweep(kept.folder, model, data, None, {"text": None, **options})

    def test_what_is_finished_is_not_made_again(self, kept, model, data):
        actual = self.again(kept, model, data)
        assert actual.rows == kept.rows
        assert actual.is_finished("float32") and actual.is_finished("static_int8")
        assert not actual.is_finished("int8")

    def test_a_file_that_was_changed_or_is_gone_is_made_again(self, kept, model, data):
        kept.file("float32").write_bytes(b"a part")
        assert not self.again(kept, model, data).is_finished("float32")
        kept.file("float32").unlink()
        assert not self.again(kept, model, data).is_finished("float32")

    def test_another_model_other_data_and_options_need_another_folder(self, kept, model, data):
        with pytest.raises(ValueError, match="sweep with other beams: choose another folder"):
            self.again(kept, model, data, beams=4)
        data.write_text("a\tc\n")
        with pytest.raises(ValueError, match="sweep with other data"):
            self.again(kept, model, data)
        model.weights[0].assign(model.weights[0] + 1)
        with pytest.raises(ValueError, match="sweep with other weights, data"):
            self.again(kept, model, data)

    def test_a_pipe_in_place_of_a_sweep_is_not_waited_for(self, kept, model, data):
        (kept.folder / "sweep.json").unlink()
        os.mkfifo(kept.folder / "sweep.json")
        with pytest.raises(ValueError, match="sweep.json is not a regular file"):
            self.again(kept, model, data)

    @pytest.mark.parametrize("content", ["{", "[]", '{"rows": 3}', '{"rows": [{}]}', "[" * 10**6])
    def test_what_is_no_sweep_is_refused_in_one_sentence(self, kept, model, data, content):
        (kept.folder / "sweep.json").write_text(content)
        with pytest.raises(ValueError, match="is not readable as a sweep"):
            self.again(kept, model, data)

    def test_the_table_and_the_plot_are_written(self, kept):
        pytest.importorskip("matplotlib")
        kept.file("int8").write_bytes(b"a quarter")
        kept.add(row("int8", 1.0, 0.02, drop_interval=[0.01, 0.03], interval=[0.8, 0.95]))
        kept.finish(["float32", "int8", "static_int8"], 0.05, "int8")
        page = (kept.folder / "sweep.md").read_text()
        assert "| int8 | 1 |  |  | 0.9 (0.8 to 0.95) | 0.02 (0.01 to 0.03) |  |" in page
        assert r"refused: loops \| and more" in page and "at most 0.05: int8." in page
        assert (kept.folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
        assert json.loads((kept.folder / "sweep.json").read_text())["recommended"] == "int8"
        assert str(kept).endswith("recommended: int8 (largest drop allowed: 0.05)")


def test_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match="A sweep needs a task; received Sequential"):
        export.sweep(regressor(), tmp_path, data=tmp_path)
    with pytest.raises(ValueError, match="quantize must be one of .*received 'int3'"):
        export.sweep(regressor(), tmp_path, data=tmp_path, precisions=["int3"])


@pytest.fixture(scope="module")
def trained():
    task = zoo.TextClassifier("bert", "tiny", vocabulary_size=60, **api.size(64, 96))
    task.adapt(ROWS)
    options = {"schedule": "constant", "learning_rate": 0.003, "batch_tokens": 128}
    task.fit(ROWS, epochs=12, xla=False, verbose=False, **options)
    return task


@pytest.mark.thorough
def test_a_sweep_goes_on_where_it_was_stopped(trained, tmp_path):
    pytest.importorskip("ai_edge_quantizer")
    data, folder = tmp_path / "test.tsv", tmp_path / "sweep"
    data.write_text("".join(f"{text}\t{label}\n" for text, label in ROWS))
    names = ["dynamic_int8", "dynamic_int4-attention", "static_int8"]
    options = {"data": data, "max_drop": 0.1, "precisions": names}

    def stop(line):
        if line.startswith("3 of"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export.sweep(trained, folder, progress=stop, **options)
    assert not (folder / "sweep.md").exists() and not list(folder.glob(".*.partial"))
    first = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.tflite")}
    assert set(first) == {"float32.tflite", "dynamic_int8.tflite"}

    lines = []
    actual = export.sweep(trained, folder, progress=lines.append, **options)
    assert lines[0] == "convert to 2 files" and len(lines) == 3
    assert {name: (folder / name).stat().st_mtime_ns for name in first} == first
    by_name = {each["name"]: each for each in actual.rows}
    assert list(by_name) == ["float32", *names]
    exact = by_name["float32"]
    assert exact["metrics"]["accuracy"] > 0.9 and exact["drop"] == 0 and len(exact["parts"]) == 20
    for name in ("dynamic_int8", "dynamic_int4-attention"):
        each = by_name[name]
        assert each["size_mb"] < exact["size_mb"] and each["worst_layer_error"] > 0
        assert each["interval"][0] <= each["metrics"]["accuracy"] <= each["interval"][1]
        assert export.verify(folder / f"{name}.tflite").passed
    fitting = [each for each in actual.rows if each.get("drop", 1) <= 0.1]
    assert actual.recommended == min(fitting, key=lambda each: each["size_mb"])["name"]

    options |= {"max_drop": -9.0, "progress": lines.append}
    again = export.sweep(trained, folder, **options)
    assert again.rows == actual.rows and again.recommended is None
    assert len(lines) == 3  # nothing was done


@pytest.mark.thorough
def test_integers_are_calibrated_on_a_file(tmp_path):
    """A file with values ten times as large gives ranges that hold them."""
    pytest.importorskip("ai_edge_quantizer")
    random = np.random.default_rng(0)
    images = random.integers(0, 120, (60, 28, 28, 1)).astype("uint8")
    labels = np.array(["dark", "light"] * 30)
    images[1::2] += 60
    small, whole = tmp_path / "dark.npz", tmp_path / "all.npz"
    np.savez(small, x=images[::2] // 20, y=labels[::2])
    np.savez(whole, x=images, y=labels)
    task = zoo.ImageClassifier("stn_classifier", "cnn")
    task.adapt(whole)
    task.fit(whole, epochs=3, verbose=False)
    path = tmp_path / "x.tflite"
    report = export.litert(task, path, quantize="static_int8", calibration=whole, data=whole)
    assert report.passed
    exact, actual = (each["metrics"]["accuracy"] for each in report.files)
    assert abs(exact - actual) < 0.1
    with pytest.raises(export.VerificationError, match="scores|class_id"):
        export.litert(task, path, quantize="static_int8", calibration=small)
    with pytest.raises(ValueError, match="calibration needs static_int8"):
        export.litert(task, path, quantize="int8", calibration=whole)
