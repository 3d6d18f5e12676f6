"""`verify --url`: the stored inputs of an artifact, sent to a server that has it."""

import json
import shutil

import pytest

import export
import zoo
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.test_cli import refused, run
from tests.zoo.test_cli_opened_models import served
from zoo.cli.address import AddressedModel

KINDS = [
    "image_classifier",
    "series_forecaster",
    "node_classifier",
    "speech_recognizer",
    "text_to_text",
    "question_answering",
    "token_tagger",
]
WORDS = ("fine", "dull")


def classifier(folder, seed=0):
    """A small trained classifier of texts as a SavedModel and as LiteRT with texts in bytes."""
    rows = [(f"a {WORDS[n % 2]} film", WORDS[(n + seed) % 2]) for n in range(18)]
    task = zoo.TextClassifier(num_buckets=64, seed=seed)
    task.fit(rows, rows, epochs=3, xla=False, verbose=False)
    assert export.saved_model(task, folder / "saved").passed
    assert export.litert(task, folder / "bytes.tflite", text="bytes").passed
    return folder


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    return classifier(tmp_path_factory.mktemp("films"))


def lines(done):
    """The results of checks by name, from JSON."""
    return {each["name"]: each["passed"] for each in json.loads(done.stdout)["checks"]}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["saved", "bytes.tflite"])
def test_a_server_that_has_the_artifact_passes(films, name):
    with served(films / name, "films") as url:
        done = run("verify", films / name, "--url", url, "--json")
    assert done.exit_code == 0, done.output
    checks = lines(done)
    assert all(checks.values()) and len(checks) > 8
    for part in ("class_id", "scores", "invariant to batch", "strings", "refuses other ranks"):
        assert checks[f"serving_default: {part}"]
    address = next(x for x in json.loads(done.stdout)["checks"] if x["name"] == "address")
    assert address["detail"] == url


@pytest.mark.thorough
def test_a_server_of_another_model_fails(films, tmp_path):
    other = classifier(tmp_path, seed=1)
    with served(other / "saved", "films") as url:
        done = run("verify", films / "saved", "--url", url, "--json")
    assert done.exit_code == 1
    checks = lines(done)
    assert checks["signatures"] and not checks["serving_default: scores"]
    assert not checks["serving_default: class_id"]


@pytest.mark.thorough
def test_changed_probes_are_not_sent(films, tmp_path):
    shutil.copytree(films, tmp_path / "copy")
    probes = next((tmp_path / "copy" / "saved").glob("*/assets.extra/*.npz"), None) or next(
        (tmp_path / "copy" / "saved").rglob("*.npz")
    )
    probes.write_bytes(probes.read_bytes() + b" ")
    with served(films / "saved", "films") as url:
        done = run("verify", tmp_path / "copy" / "saved", "--url", url, "--json")
    assert done.exit_code == 1
    assert lines(done) == {"address": True, "sha256 probes": False}


@pytest.mark.thorough
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_input_is_sent(name, tmp_path):
    subject = Subject(CASES[name], tmp_path / "run")
    # The ids of passages in windows are longer than what a server takes by default.
    form = {"text": "bytes"} if name == "question_answering" else {}
    for path, write, options in (
        (tmp_path / "saved", export.saved_model, {}),
        (tmp_path / "file.tflite", export.litert, form),
    ):
        assert write(subject.served, path, **options).passed
        with served(path, name) as url:
            report = export.verify_served(path, AddressedModel(url))
        assert report.passed, str(report)
        asked = {each.name.partition(":")[0] for each in report.checks}
        assert {*report.manifest["signatures"]} <= asked


class Limited:
    """A served model that adds to numbers, and takes no long rows."""

    name = "http://localhost/v1/models/m"

    def __init__(self, added, longest):
        spec = {"dtype": "float32", "shape": [None, None]}
        self.signatures = {"serving_default": {"inputs": {"x": spec}, "outputs": {"y": spec}}}
        self.added, self.longest = added, longest

    def run(self, signature, inputs):
        if inputs["x"].ndim != 2:
            raise ValueError("the rank is 2")
        return {"y": inputs["x"] * 2 + self.added}

    def refuses(self, signature, inputs):
        return "" if inputs["x"].shape[1] <= self.longest else f"at most {self.longest}"


@pytest.fixture(scope="module")
def doubling(tmp_path_factory):
    import keras

    given = keras.Input((None,), name="x")
    model = keras.Model({"x": given}, {"y": given * 2.0})
    path = tmp_path_factory.mktemp("doubling") / "saved"
    assert export.saved_model(model, path).passed
    return path


@pytest.mark.thorough
@pytest.mark.parametrize(("added", "passed"), [(0.0, True), (3e-5, True), (3e-3, False)])
def test_numbers_are_held_to_the_tolerance_of_the_artifact(doubling, added, passed):
    report = export.verify_served(doubling, Limited(added, 10**6))
    assert report.passed == passed
    assert "limits of the server" not in str(report)


@pytest.mark.thorough
def test_probes_beyond_a_limit_are_left_out_and_counted(doubling):
    report = export.verify_served(doubling, Limited(0.0, 7))
    (limit,) = [each for each in report.checks if "limits" in each.name]
    assert report.passed and limit.detail.endswith("probes are left out: at most 7"), str(report)
    none = export.verify_served(doubling, Limited(0.0, 0))
    assert not none.passed and "all are beyond the limits" in str(none)


def test_what_is_refused(tmp_path):
    told = ("verify", tmp_path / "m.tflite", "--url", "http://localhost:1/v1/models/m")
    assert "--url and --run exclude each other" in refused(*told, "--run", tmp_path)
    assert "is no address of a model" in refused("verify", tmp_path / "m", "--url", "localhost")
