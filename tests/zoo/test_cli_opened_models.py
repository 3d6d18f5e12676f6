"""`predict` and `evaluate` by artifacts and by addresses, as by the run that they come from."""

import csv
import io
import json
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import export
from tests.tasks import api
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.test_cli import refused, run
from zoo.cli.address import AddressedModel
from zoo.cli.opened_models import ExportedModel, open_task
from zoo.cli.predict_keys import key_of
from zoo.errors import UserError
from zoo.server.limits import RequestLimits
from zoo.server.opening import servable_of
from zoo.server.run import listen, server_of
from zoo.tasks.artifact_task import artifact_task

KINDS = [
    "text_classifier",
    "text_classifier_labels",
    "token_tagger",
    "text_embedder",
    "image_classifier",
    "series_forecaster",
    "node_classifier",
    "speech_recognizer",
    "text_to_text",
]
FORMS = {
    "ids": (".tflite", lambda task, path: export.litert(task, path)),
    "saved": ("", lambda task, path: export.saved_model(task, path)),
}


@pytest.fixture(scope="module")
def subjects(tmp_path_factory):
    made = {}

    def subject(name):
        if name not in made:
            made[name] = Subject(CASES[name], tmp_path_factory.mktemp(name) / name)
        return made[name]

    return subject


def written(subject, form):
    end, write = FORMS[form]
    path = subject.folder / f"{form}{end}"
    if not path.exists():
        assert write(subject.served, path).passed
    return path


@contextmanager
def served(path, name):
    """The address of an artifact on a real server in a thread."""
    where = listen("127.0.0.1", 0)
    servable = servable_of(name, export.serving.open_artifact(path))
    server = server_of(servable, RequestLimits(), 8, 0.001)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [where]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{where.getsockname()[1]}/v1/models/{name}"
    finally:
        server.should_exit = True
        thread.join()
        where.close()


def same(actual, expected):
    """An artifact has no baselines that learned from data."""
    shared = [name for name in expected if name in actual]
    assert shared[:1] == [*actual][:1] == [*expected][:1]
    for name in shared:
        assert actual[name] == pytest.approx(expected[name], rel=1e-3, abs=1e-4), name


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", KINDS)
def test_an_artifact_has_the_metrics_of_its_run(name, form, subjects):
    subject = subjects(name)
    expected = api.evaluated_as_files_are(subject.served, subject.data_of_served)
    task = artifact_task(ExportedModel(written(subject, form)))
    assert type(task) is type(subject.served)
    same(task.evaluate(subject.data_of_served), expected)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["text_classifier", "image_classifier", "token_tagger", "text_to_text"]
)
def test_an_address_has_the_metrics_of_its_run(name, subjects):
    subject = subjects(name)
    data = subject.data_of_served
    expected = api.evaluated_as_files_are(subject.served, data)
    with served(written(subject, "saved"), name) as address:
        same(artifact_task(AddressedModel(address)).evaluate(data), expected)
        same(json.loads(run("evaluate", address, "--data", data, "--json").stdout), expected)


@pytest.mark.thorough
def test_predictions_by_the_command_are_those_of_the_run(subjects, tmp_path):
    subject = subjects("text_classifier")
    folder = tmp_path / "run"
    subject.served.save(folder)
    texts = ["a fine film", "so dull", ""]
    (tmp_path / "new.csv").write_text("text\na fine film\nso dull\n")
    path = written(subject, "saved")
    with served(path, "films") as address:
        sources = (folder, path, written(subject, "ids"), address)
        rows = [json.loads(run("predict", x, *texts, "--json").stdout) for x in sources]
        tables = [run("predict", x, "--file", tmp_path / "new.csv").stdout for x in sources]
        tops = [run("predict", x, texts[0], "--top-k", 1).stdout for x in sources]
    for others in rows[1:]:
        for row, other in zip(rows[0], others, strict=True):
            assert (row["text"], row["prediction"]) == (other["text"], other["prediction"])
            assert row["scores"] == pytest.approx(other["scores"], abs=1e-4)
            assert other["score"] == pytest.approx(row["score"], abs=1e-4)
    for table in tables[1:]:
        for row, other in zip(
            *(csv.DictReader(io.StringIO(x)) for x in (tables[0], table)), strict=True
        ):
            assert float(row.pop("score")) == pytest.approx(float(other.pop("score")), abs=1e-4)
            assert row == other
    assert len(set(tops)) == 1


def test_an_address_that_does_not_answer():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        address = f"http://127.0.0.1:{port}/v1/models/films"
        assert refused("predict", address, "a") == (
            f"{address} does not answer: [Errno 111] Connection refused: is it served?"
        )
        closed.listen()  # accepts, and never answers
        with pytest.raises(UserError, match="films did not answer in 0.2 seconds"):
            AddressedModel(address, seconds=0.2)


@pytest.mark.parametrize("address", ["http://localhost:8501", "http://localhost/v1/models/"])
def test_an_address_of_no_model_is_refused(address):
    with pytest.raises(UserError, match="is no address of a model: give one such as"):
        AddressedModel(address)


class Model:
    """A model that is described by a test."""

    name, beside, takes_requests = "m.tflite", {}, False

    def __init__(self, config, dtype="int32"):
        facts = {"dtype": dtype, "shape": [None, None]}
        self.config = config
        self.signatures = {"serving_default": {"inputs": {"token_ids": facts}, "outputs": {}}}

    def run(self, signature, inputs):
        return {"scores": np.zeros((1, 2))}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "m.tflite does not say which task it is for: give the run instead"),
        ({"task": "text-classifier"}, "m.tflite does not describe its text-classifier"),
        (
            {"task": "text-classifier", "settings": {"labels": ["a", "b"]}},
            "m.tflite has no tokenizer.json beside it: restore the file",
        ),
    ],
)
def test_an_artifact_that_says_too_little(config, message):
    with pytest.raises(UserError, match=message):
        artifact_task(Model(config))


def test_an_artifact_has_no_head_to_choose(tmp_path):
    (tmp_path / "m.tflite").touch()
    with pytest.raises(UserError, match="an artifact has its head in it"):
        open_task(tmp_path / "m.tflite", head="films")


def test_a_table_that_an_address_answers_is_not_continued(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    address = Path("http://localhost:8501/v1/models/films")
    assert key_of(address, ["a"], {}, None) == ""
    assert len(key_of(tmp_path, ["a"], {}, None)) == 64
