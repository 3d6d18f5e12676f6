"""What TensorFlow Serving takes beside a SavedModel: files, batches, and what is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest
from google.protobuf import text_format
from tensorflow_serving.config.model_server_config_pb2 import ModelServerConfig

import export
from export import extras, manifest
from export.extras import check_extra
from export.tf_serving.batching import SIZES, Batching
from export.tf_serving.container import model_name
from export.tf_serving.folder import check_folder
from export.tf_serving.messages import rest_request
from export.tf_serving.warmup import write_requests
from export.worker.artifact import load
from export.worker.probes import Probe
from export.xla import BATCHES
from tests.export.models import regressor, tagger
from tests.export.parts import Tensor, of_features
from tests.export.standin import StandIn
from tests.export.tasks import Graphs, Tagger
from tests.serving.requests import (
    arrays,
    assert_same,
    batching_parameters,
    columns,
    examples,
    in_a_batch,
    warmup,
)

COMMON = ["Dockerfile", "compose.yaml", "models.config"]


def files(path):
    return sorted(str(each.relative_to(path)) for each in path.rglob("*") if each.is_file())


def answered(path, strings=False):
    """Every request of a version is answered as the live model answered it.

    Returns:
        By signature, the numbers of rows of the requests of the warm-up.
    """
    run, rows = load(path, strings).run, {}
    for log in warmup(path):
        inputs, name = arrays(log.request.inputs), log.request.model_spec.signature_name
        rows.setdefault(name, []).append(len(next(iter(inputs.values()))))
        actual = run(name, inputs)
        if log.response.outputs:
            assert_same(actual, arrays(log.response.outputs))
    return rows


def test_the_files_of_a_keras_model(tmp_path):
    report = export.saved_model(regressor(), tmp_path / "a b", serving=True)
    version = tmp_path / "a b" / "1"

    assert {"batching_params.pbtxt", "assets.extra/tf_serving_warmup_requests"} <= {*files(version)}
    (said,) = (check.detail for check in report.checks if check.name == "TensorFlow Serving")
    assert said == f"warm-up: {len(warmup(version))} requests; batches up to 32 rows"
    assert len(answered(version)["serving_default"]) > 1
    assert all(
        log.response.outputs and log.request.model_spec.name == "a-b" for log in warmup(version)
    )

    ((body, request),) = examples(version).values()
    assert request.model_spec.name == "a-b"
    (name,) = request.inputs
    np.testing.assert_array_equal(columns(body)[""], arrays(request.inputs)[name])

    actual = batching_parameters((version / "batching_params.pbtxt").read_text())
    assert (*actual.allowed_batch_sizes,) == SIZES and actual.max_batch_size.value == SIZES[-1]
    assert actual.batch_timeout_micros.value == 2000 and not actual.pad_variable_length_inputs

    text = (tmp_path / "a b" / "models.config").read_text()
    (config,) = text_format.Parse(text, ModelServerConfig()).model_config_list.config
    assert [config.name, config.base_path, config.model_platform] == [
        *("a-b", "/models/a-b", "tensorflow")
    ]
    image = (tmp_path / "a b" / "Dockerfile").read_text()
    assert "FROM tensorflow/serving:${VERSION}\nCOPY . /models/a-b\n" in image
    assert '"--model_config_file=/models/a-b/models.config"' in image and "xla" not in image
    assert (
        "1/assets.extra/requests/serving_default.json"
        in (tmp_path / "a b" / "compose.yaml").read_text()
    )
    assert {*COMMON} < report.manifest["beside"].keys()


@pytest.mark.thorough
def test_text_in_and_out(tmp_path):
    """Only the requests in text can be computed together whatever they are: no batches of any."""
    path = tmp_path / "words"
    report = export.saved_model(StandIn(), path, serving=True, max_new_tokens=5)

    assert set(answered(path / "1", True)) == {"serving_default", "tokens", "attention"}
    assert not (path / "1" / "batching_params.pbtxt").exists()
    text = (path / "1" / "assets.extra" / "batching_params.pbtxt").read_text()
    assert (*batching_parameters(text).allowed_batch_sizes,) == SIZES
    assert "batch: tokens, attention\n" in text
    assert any("requests to tokens, attention may differ" in x.detail for x in report.checks)
    assert examples(path / "1")["serving_default"][0]["instances"] == ["a man in the red hat"]


@pytest.mark.thorough
def test_compiled_by_xla(tmp_path):
    """Requests of each size are warmed up, and are what XLA compiles for, so that a batch of such a
    size is not padded twice."""
    path = tmp_path / "tags"
    export.saved_model(Tagger(), path, text=None, xla=True, serving=True)

    assert {*SIZES[1:]} <= {*BATCHES}
    rows = answered(path / "1")["serving_default"]
    assert rows[-len(SIZES) :] == [*SIZES] and len(rows) > len(SIZES)
    assert '"--xla_cpu_compilation_enabled"' in (path / "Dockerfile").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("xla", [False, True])
def test_requests_in_a_batch_are_answered_as_alone(tmp_path, xla):
    export.saved_model(Tagger(), tmp_path / "tags", text=None, xla=xla, serving=True)
    text = (tmp_path / "tags" / "1" / "assets.extra" / "batching_params.pbtxt").read_text()
    sizes, run = batching_parameters(text).allowed_batch_sizes, load(tmp_path / "tags" / "1").run
    random = np.random.default_rng(3)

    def called(inputs):
        return run("serving_default", inputs)

    for counts in ((1,), (1, 2), (3, 1, 1), (5, 6), (7, 10, 3)):
        requests = [{"token_ids": random.integers(0, 9, (n, 5)).astype("int32")} for n in counts]
        for each, actual in zip(requests, in_a_batch(called, requests, sizes), strict=True):
            assert_same(actual, called(each))


@pytest.mark.thorough
def test_graphs_have_no_batches(tmp_path):
    report = export.saved_model(Graphs(), tmp_path / "graphs", serving=True)
    assert not [name for name in files(tmp_path) if "batching" in name]
    assert any("batches off: serving_default has no rows" in x.detail for x in report.checks)
    answered(tmp_path / "graphs" / "1")
    ((body, _),) = examples(tmp_path / "graphs" / "1").values()
    assert body["inputs"].keys() == {"nodes", "edges"}


def facts(inputs, invariances=("batch",)):
    recorded = {
        name: {"axes": axes, "shape": [None if isinstance(x, str) else x for x in axes]}
        for name, axes in inputs.items()
    }
    return {
        "signatures": {"serving_default": {"inputs": recorded}},
        "invariances": {"serving_default": [*invariances]},
    }


@pytest.mark.parametrize(
    ("axes", "invariances", "shape", "said"),
    [
        (("batch", 7), ["batch"], (2, 3), "up to 32 rows"),
        (("batch",), ["batch"], (2, 3), "up to 32 rows"),
        (("batch", "length"), ["batch"], (2, 3), "off: requests to serving_default may differ"),
        (("batch", 7), ["padding"], (2, 3), "off: serving_default gives other outputs in a batch"),
        ((2, 7), ["batch"], (2, 3), "off: serving_default has no rows"),
        (("nodes", 7), ["batch"], (2, 3), "off: serving_default has no rows"),
        (("batch", 7), ["batch"], (), "off: serving_default has outputs without rows"),
        (("batch", 7), ["batch"], (3, 3), "off: serving_default has outputs without rows"),
    ],
)
def test_which_requests_are_computed_together(tmp_path, axes, invariances, shape, said):
    sizes = [size if isinstance(size, int) else 2 for size in axes]
    probe = Probe({"x": np.zeros(sizes)}, {"y": np.zeros(shape)})
    actual = Batching.of(facts({"x": axes}, invariances), {"serving_default": [probe]})
    assert str(actual).startswith(said)
    (tmp_path / "extra").mkdir()
    actual.write(tmp_path, tmp_path / "extra")
    place = ["batching_params.pbtxt"] if said.startswith("up") else []
    if "may differ" in said:
        place = ["extra/batching_params.pbtxt"]
    assert files(tmp_path) == place


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("en-de", "en-de"),
        ('a"b\n}', "a-b--"),
        ("v1:2/..x", "..x"),
        ("帽 ü", "---"),
        ("$(x)", "--x-"),
    ],
)
def test_names_have_no_characters_that_mean_something(tmp_path, path, name):
    assert model_name(tmp_path / path) == name


def test_json_of_rows_and_bytes():
    both = {"a": ("batch",), "b_bytes": ("batch",)}
    inputs = {"a": np.array([b"\xc3\xa9", b""]), "b_bytes": np.array([b"\xff\x00\x01", b"x"])}
    body = rest_request("s", facts(both)["signatures"]["serving_default"], inputs)
    assert body["instances"] == [
        {"a": "é", "b_bytes": {"b64": "/wAB"}},
        {"a": "", "b_bytes": {"b64": "eA=="}},
    ]
    one = facts({"a": ("batch",)})["signatures"]["serving_default"]
    assert rest_request("s", one, {"a": np.array([b"\xff"])})["instances"] == [{"b64": "/w=="}]


def test_large_and_empty_probes(tmp_path):
    """A request that TensorFlow Serving refuses would keep it from serving the version."""

    def written(folder, *rows):
        folder.mkdir()
        arrays = [{"x": np.arange(n * 3, dtype="float32").reshape(n, 3)} for n in rows]
        probes = {"serving_default": [Probe(each, {"y": each["x"]}) for each in arrays]}
        said = {**facts({"x": ("batch", 3)}), "xla": False}
        (folder / "assets.extra").mkdir()
        count = write_requests(folder / "assets.extra", "m", said, probes)
        logs = warmup(folder)
        assert len(logs) == count
        return [(len(arrays_of(log)), len(log.response.outputs)) for log in logs]

    def arrays_of(log):
        return arrays(log.request.inputs)["x"]

    assert written(tmp_path / "a", 33, 0, 32) == [(32, 0), (32, 1)]
    assert len(written(tmp_path / "b", *[1] * 1001)) == 1000
    with pytest.raises(ValueError, match="'serving_default' has no probe with a row"):
        written(tmp_path / "c", 0)


@pytest.mark.thorough
def test_several_versions(tmp_path):
    """What they have in common is that of the newest, and all stay verifiable."""
    path, model = tmp_path / "model", regressor()
    export.saved_model(model, path, serving=True)
    first = (path / "compose.yaml").read_text()
    export.saved_model(model, path, version=2, xla=True, serving=True)
    assert first != (path / "compose.yaml").read_text()
    assert "xla" in (path / "Dockerfile").read_text()
    assert export.verify(path / "1").passed and export.verify(path / "2").passed

    with pytest.raises(ValueError, match="in common: export with serving=True"):
        export.saved_model(model, path, version=3)
    export.saved_model(model, path, version=2, serving=True)
    assert "xla" not in (path / "Dockerfile").read_text()
    assert export.verify(path / "1").passed and export.verify(path / "2").passed


@pytest.mark.thorough
def test_without_serving_nothing_of_it_is_left(tmp_path):
    path, model = tmp_path / "model", regressor()
    export.saved_model(model, path, serving=True)
    (path / "compose.override.yaml").write_text("services: {}\n")
    export.saved_model(model, path)
    assert sorted(os.listdir(path)) == [
        *("1", "1.probes.npz", "compose.override.yaml", "manifest.json")
    ]
    assert not [name for name in files(path / "1") if "requests" in name or "batching" in name]


@pytest.mark.thorough
@pytest.mark.parametrize("name", COMMON)
def test_a_common_file_that_was_changed(tmp_path, name):
    path = tmp_path / "model"
    export.saved_model(regressor(), path, serving=True)
    with (path / name).open("a") as file:
        file.write("# mine\n")
    assert [check.name for check in export.verify(path).failed] == [f"sha256 {name}"]
    before = files(path), (path / name).read_text()
    with pytest.raises(ValueError, match=f"{name} is not as an export wrote it"):
        export.saved_model(regressor(), path, serving=True)
    assert before == (files(path), (path / name).read_text())


def test_a_file_that_no_export_wrote(tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM mine\n")
    plain = {"1": {"beside": {}}}
    with pytest.raises(ValueError, match="Dockerfile is not as an export wrote it"):
        check_folder(tmp_path, "2", plain, serving=True)
    check_folder(tmp_path, "2", plain, serving=False)


class Odd(Tagger):
    """A task whose signature has a name that is a path."""

    def signatures(self, text, litert=False):
        ids = {"token_ids": Tensor(("batch", "length"), "int32", 9)}
        outputs = {"scores": ("batch", "length", 3), "class_id": ("batch", "length")}
        return {"../../x": of_features(ids, self.infer, outputs)}


def test_what_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"signature '../../x' cannot be the name of a file"):
        export.saved_model(Odd(), tmp_path / "odd", serving=True)
    gone = ("serving=True", {"gone": "tensorflow-serving-api"})
    monkeypatch.setitem(extras.EXTRAS, "serving", gone)
    needs = r"serving=True needs tensorflow-serving-api: pip install 'keras-attn\[serving\]'"
    with pytest.raises(ValueError, match=needs):
        export.saved_model(tagger(), tmp_path / "model", serving=True)
    with pytest.raises(ValueError, match=needs):
        check_extra("serving")
    assert not os.listdir(tmp_path)


@pytest.mark.long
def test_its_package_is_imported_for_it_only(tmp_path):
    code = """
import sys, export, keras
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
for serving in (False, True):
    export.saved_model(model, sys.argv[1], serving=serving)
    print("tensorflow_serving" in sys.modules, "grpc" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model"], capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", "False", "True", "False"], done.stderr[-2000:]
    entry = manifest.find(tmp_path / "model", "1")
    assert entry["versions"]["tensorflow-serving-api"]
