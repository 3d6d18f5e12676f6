"""SavedModels of a task: what is proven of them, and what is refused."""

import json
import os

import numpy as np
import pytest
import tensorflow as tf

import export
from tests.export.parts import call
from tests.export.standin import StandIn


@pytest.fixture(scope="module")
def task():
    return StandIn()


@pytest.fixture(scope="module")
def served(task, tmp_path_factory):
    """Version 1 as a graph, and beside it version 2 with generation compiled by XLA."""
    path = tmp_path_factory.mktemp("served") / "words"
    reports = [export.saved_model(task, path, max_new_tokens=5)]
    reports.append(export.saved_model(task, path, version=2, xla=True, max_new_tokens=5))
    return path, reports


@pytest.mark.thorough
def test_the_layout_is_that_of_tf_serving(served):
    path, reports = served

    assert (path / "1" / "saved_model.pb").is_file()
    assert (path / "2" / "variables").is_dir()
    assert sorted(entry.name for entry in path.iterdir()) == [
        "1",
        "1.probes.npz",
        "2",
        "2.probes.npz",
        "manifest.json",
    ]
    assert os.listdir(path.parent) == ["words"]
    assert [report.path for report in reports] == [path / "1", path / "2"]


@pytest.mark.thorough
def test_everything_promised_was_checked(served):
    for report in served[1]:
        assert report.passed
        assert {check.name for check in report.checks} >= {
            "isolated",
            "operators",
            "signatures",
            "sha256 artifact",
            "sha256 probes",
            "serving_default: text",
            "serving_default: score",
            "serving_default: strings",
            "serving_default: invariant to batch",
            "tokens: token_ids",
            "tokens: lengths",
            "tokens: invariant to batch",
            "tokens: invariant to padding",
            "attention: attention",
        }


def test_only_the_version_that_asked_for_it_holds_an_xla_function(served):
    graph, compiled = (report.manifest["operators"] for report in served[1])

    assert "_XlaMustCompile" not in graph
    assert compiled["_XlaMustCompile"] == 2  # generation, and with maps


def recorded(dtype, shape, axes, padding=None):
    rest = {"padding": padding, "unit": None, "meaning": ""}
    return {"dtype": dtype, "shape": shape, "axes": axes, **rest}


def test_the_manifest_says_what_it_is(served, task):
    path, reports = served
    entries = json.loads((path / "manifest.json").read_text())["artifacts"]

    assert list(entries) == ["1", "2"]
    entry = entries["1"]
    assert entry == json.loads(json.dumps(reports[0].manifest))
    assert entry["config"] == {**task.export_config, "generation": {"max_new_tokens": 5}}
    assert entry["signatures"]["tokens"] == {
        "purpose": "",
        "follows": "",
        "inputs": {"token_ids": recorded("int32", [None, None], ["batch", "length"], padding=0)},
        "outputs": {
            "token_ids": recorded("int32", [None, 5], ["batch", None], padding=0),
            "lengths": recorded("int32", [None], ["batch"]),
            "scores": recorded("float32", [None], ["batch"]),
        },
    }
    # What postprocess makes is not known but by its dtype.
    assert entry["signatures"]["serving_default"]["outputs"]["text"]["axes"] is None
    assert entry["versions"]["tensorflow"] == tf.__version__
    assert entries["1"]["sha256"]["weights"] == entries["2"]["sha256"]["weights"]
    assert len({len(entry["sha256"][key]) for key in ("weights", "artifact", "probes")}) == 1
    assert entry["timing"]["tokens_per_second"] > 0


def test_it_says_what_the_task_says(served, task):
    loaded = tf.saved_model.load(str(served[0] / "1"))
    texts = tf.constant(["a red dog", "帽 the man", ""])
    expected = call(task.signatures(True, max_new_tokens=5)["serving_default"], text=texts)

    actual = loaded.signatures["serving_default"](text=texts)

    assert set(actual) == {"text", "score"}
    np.testing.assert_array_equal(actual["text"], expected["text"])
    np.testing.assert_allclose(actual["score"], expected["score"], rtol=1e-5)


@pytest.mark.thorough
def test_it_can_be_verified_again_as_folder_and_as_version(served):
    path, _ = served

    newest, first = export.verify(path), export.verify(path / "1")

    assert newest.passed and newest.path == path / "2"
    assert first.passed and first.path.name == "1"
    assert "serving_default: text" in str(first)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("fault", "failed"),
    [
        ("batch", "tokens: invariant to batch"),
        ("padding", "tokens: invariant to padding"),
        ("python", "operators"),
        ("plain probes", "serving_default: strings"),
    ],
)
def test_a_fault_is_named_and_nothing_is_left_but_the_report(tmp_path, fault, failed):
    with pytest.raises(export.VerificationError, match=failed) as caught:
        export.saved_model(StandIn(fault=fault), tmp_path / "words")

    assert failed in {check.name for check in caught.value.report.failed}
    assert os.listdir(tmp_path) == ["words.report.json"]
    written = json.loads((tmp_path / "words.report.json").read_text())
    assert not written["passed"]
    assert failed in {check["name"] for check in written["checks"] if not check["passed"]}


def test_bad_arguments(tmp_path, task):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")

    with pytest.raises(ValueError, match="is a file"):
        export.saved_model(task, tmp_path / "file")
    with pytest.raises(ValueError, match="holds files that were not exported"):
        export.saved_model(task, tmp_path / "full")
    with pytest.raises(ValueError, match="version must be a positive integer"):
        export.saved_model(task, tmp_path / "new", version=0)
    with pytest.raises(ValueError, match="no signatures"):
        export.saved_model(StandIn(fault="empty"), tmp_path / "new")
    with pytest.raises(
        ValueError,
        match=r"takes a Keras model or a task with .*evaluate_artifact\(\).*received str",
    ):
        export.saved_model("words", tmp_path / "new")
    with pytest.raises(ValueError, match="There is no artifact"):
        export.verify(tmp_path / "new")
    with pytest.raises(ValueError, match="was it exported here"):
        export.verify(tmp_path / "file")
    assert sorted(os.listdir(tmp_path)) == ["file", "full"]
    assert (tmp_path / "full" / "notes.txt").read_text() == "mine"
