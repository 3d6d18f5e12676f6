"""Reports of artifacts and of addresses, beside those of their runs."""

import re
import socket

import pytest

import export
import zoo
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.test_cli import refused, run
from tests.zoo.test_cli_opened_models import KINDS, served, written
from tests.zoo.test_report_labels import table_of
from zoo.cli.address import AddressedModel
from zoo.cli.opened_models import ExportedModel
from zoo.report import report
from zoo.report.about import NOT_OF_AN_ARTIFACT, UNKNOWN, UNREAD, Artifact
from zoo.tasks.artifact_task import artifact_task

pytest.importorskip("matplotlib")

OF_RUNS = {"Training"}
OF_MODELS = {"Where it looks", "Nodes", "What it hears"}  # drawn of the Keras model itself
OF_ARTIFACTS = ["Exported artifacts", "Not in this report"]
ROWS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("so dull", "bad")]


@pytest.fixture(scope="module")
def subjects(tmp_path_factory):
    made = {}

    def subject(name):
        if name not in made:
            made[name] = Subject(CASES[name], tmp_path_factory.mktemp(name) / name)
        return made[name]

    return subject


def titles(page):
    return re.findall("<h2>(.*?)</h2>", page)


def left_out(page):
    return [re.sub("<.*?>", "", each) for each in re.findall("<li>.*?</li>", page)]


def listed(page):
    """The names of the artifacts, without their checks."""
    section = page.split("<h2>Exported artifacts</h2>")[1]
    rows = table_of(f"<h2>Artifacts</h2>{section.split('<details>')[0]}</section>", "Artifacts")
    return [row[0] for row in rows[1:]]


def written_page(model, data, path, manifests=()):
    page = report(artifact_task(model), path, data, manifests, about=Artifact(model))
    return page.read_text("utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["ids", "saved"])
@pytest.mark.parametrize("name", KINDS)
def test_an_artifact_has_the_page_of_its_run_without_its_training(name, form, subjects, tmp_path):
    subject = subjects(name)
    data, path = subject.data_of_served, written(subject, form)
    expected = report(subject.served, tmp_path / "run.html", data).read_text("utf-8")
    actual = written_page(ExportedModel(path), data, tmp_path / "artifact.html", [path])
    shared = [each for each in titles(expected) if each not in OF_RUNS | OF_MODELS]
    assert titles(actual) == [*shared, *OF_ARTIFACTS]
    large = {re.search('<dl class="numbers">.*?</dl>', x, re.DOTALL)[0] for x in (actual, expected)}
    assert len(large) == 1
    for title in {"Labels", "Confusion matrix", "Predictions"} & {*shared}:
        assert table_of(actual, title) == table_of(expected, title)
    missing = [each for each in left_out(actual) if each not in NOT_OF_AN_ARTIFACT]
    assert missing or not OF_MODELS & {*titles(expected)}
    assert (UNKNOWN in missing) == (not {"Attention", "Where it looks"} & {*titles(expected)})
    assert listed(actual) == [{"ids": "ids.tflite", "saved": "saved/1"}[form]]


@pytest.mark.thorough
def test_an_address_has_what_its_artifact_tells(subjects, tmp_path):
    subject = subjects("text_embedder")
    data, path = subject.data_of_served, written(subject, "saved")
    expected = report(subject.served, tmp_path / "run.html", data).read_text("utf-8")
    with served(path, "vectors") as address:
        actual = written_page(AddressedModel(address), data, tmp_path / "address.html")
        answer = run("report", address, "--data", data, "--out", tmp_path / "same.html")
    assert answer.stdout == f"{tmp_path / 'same.html'}\n"
    assert f"note: left out of the report: {UNREAD}" in answer.stderr
    assert (tmp_path / "same.html").read_text("utf-8") == actual
    assert table_of(actual, "Predictions") == table_of(expected, "Predictions")
    assert left_out(actual) == [*NOT_OF_AN_ARTIFACT, UNREAD]
    assert "<h1>vectors <small>text-embedder</small></h1>" in actual


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """A folder with the data and an artifact of a classifier, and the classifier."""
    folder = tmp_path_factory.mktemp("films")
    write(folder / "train.csv", ("text", "label"), ROWS * 5)
    task = zoo.TextClassifier("rnn_classifier", "tiny", vocabulary_size=50)
    task.fit(folder / "train.csv", epochs=1, xla=False, verbose=False)
    export.litert(task, folder / "films.tflite")
    return folder, task


def write(path, header, rows):
    path.write_text("".join(",".join(row) + "\n" for row in (header, *rows)))
    return path


@pytest.mark.thorough
def test_the_command_writes_the_page_here(films, tmp_path, monkeypatch):
    folder, _ = films
    monkeypatch.chdir(tmp_path)
    answer = run("report", folder / "films.tflite", "--data", folder / "train.csv")
    assert answer.stdout == "films.tflite.report.html\n", answer.stderr
    page = (tmp_path / "films.tflite.report.html").read_text("utf-8")
    assert titles(page)[:3] == ["Metrics", "Labels", "Confusion matrix"]
    assert run("report", folder / "films.tflite").exit_code == 0  # without data
    alone = titles((tmp_path / "films.tflite.report.html").read_text("utf-8"))
    assert alone == OF_ARTIFACTS


@pytest.mark.thorough
def test_only_the_given_artifact_of_a_folder_is_listed(films, tmp_path):
    folder, task = films
    export.litert(task, folder / "other.tflite", quantize="float16")
    page = run("report", folder / "films.tflite", "--out", tmp_path / "page.html")
    assert page.exit_code == 0
    assert listed((tmp_path / "page.html").read_text("utf-8")) == ["films.tflite"]


@pytest.mark.thorough
def test_bad_input_is_named(films, tmp_path):
    folder, _ = films
    artifact, out = folder / "films.tflite", tmp_path / "page.html"
    told = ("report", artifact, "--out", out, "--data")
    other = write(tmp_path / "other.csv", ("a", "b", "c"), [("1", "2", "3")] * 3)
    answer = run(*told, other)
    assert answer.exit_code == 2
    assert answer.stderr.splitlines()[-1].endswith("expected single texts, found pairs")
    assert "does not exist" in refused(*told, tmp_path / "no.csv")
    cut = tmp_path / "films.tflite"
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    cut.write_bytes(artifact.read_bytes()[:1000])
    assert "must not be loaded" in refused("report", cut, "--out", out)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/v1/models/films"
        assert "does not answer" in refused("report", address, "--out", out)
    assert not out.exists()


@pytest.mark.thorough
def test_a_label_that_was_never_seen_leaves_predictions(films, tmp_path):
    folder, _ = films
    odd = write(tmp_path / "odd.csv", ("text", "label"), [*ROWS, ("a fine film", "superb")])
    answer = run("report", folder / "films.tflite", "--data", odd, "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert answer.exit_code == 0 and "superb" in answer.stderr, answer.stderr
    assert "Predictions" in titles(page)
