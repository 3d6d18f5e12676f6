"""What artifacts of a task give: the task's predictions, and its scores on a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import export
from export.worker import artifact
from tests.pages import said
from tests.tasks import api
from tests.tasks.harness import Subject
from zoo.preprocessing.byte_texts import as_bytes


def saved_model(subject: Subject, **options: Any) -> None:
    """A SavedModel gives the predictions for texts that it was not verified with."""
    path = subject.folder / "-".join(["served", *options])
    assert export.saved_model(subject.served, path, **options).passed
    _answers_texts(subject, artifact.load(path / "1", strings=True).run)


def compiled(subject: Subject) -> None:
    """So does one that is compiled."""
    saved_model(subject, xla=True)


def litert_strings(subject: Subject) -> None:
    """And a LiteRT file that takes texts."""
    path = subject.folder / "strings.tflite"
    assert export.litert(subject.served, path, text="strings").passed
    _answers_texts(subject, artifact.load(path, strings=True).run)


def text_bytes(subject: Subject) -> None:
    """And one that takes them as bytes, with built-in operators only."""
    path = subject.folder / "bytes.tflite"
    assert export.litert(subject.served, path, text="bytes").passed
    run = artifact.load(path).run

    def answer(signature: str, inputs: dict[str, Any]) -> dict[str, Any]:
        found = run(signature, as_bytes(inputs))
        if "text_bytes" in found:
            rows = zip(found["text_bytes"], found["text_lengths"], strict=True)
            texts = [bytes(row[:size].tolist()).decode(errors="replace") for row, size in rows]
            found["text"] = np.array([text.encode() for text in texts], object)
        return found

    _answers_texts(subject, answer)
    page = path.with_name(f"{path.name}.SIGNATURES.md")
    assert len(said(page, path.parent)) == len(subject.served.signatures(text="bytes"))


def _answers_texts(subject: Subject, run: Any) -> None:
    output = subject.case.output
    for texts, predictions in (
        (subject.case.texts, subject.predictions),
        (subject.case.texts[1:2], subject.predictions[1:2]),
    ):
        found = output.from_text(run("serving_default", output.inputs(texts)))
        output.same(found, output.expected(predictions), tolerance=1e-4)


def litert_ids(subject: Subject) -> None:
    """A LiteRT file that takes ids gives what the task does with these ids."""
    path = subject.folder / "ids.tflite"
    assert export.litert(subject.served, path).passed
    run, output = artifact.load(path).run, subject.case.output
    features = output.features(subject.served, subject.case.texts)
    outputs = run("serving_default", features)
    ids = next(iter(features.values()))
    found = output.from_ids(subject.served, subject.case.texts, ids, outputs)
    output.same(found, subject.predictions, tolerance=1e-4)
    _lies_beside(subject.served, path)


def _lies_beside(task: Any, path: Path) -> None:
    """Beside a file are its vocabulary, its labels, and a page whose code runs."""

    def lines(name: str) -> list[str]:
        return path.with_name(f"{path.name}.{name}").read_bytes().decode().split("\n")[:-1]

    if hasattr(task, "tokenizer"):
        assert lines("vocabulary.txt") == task.tokenizer.vocabulary
        assert "\n".join(lines("tokenizer.json")) + "\n" == task.tokenizer.to_json()
    if "labels" in task.settings.names():
        assert lines("labels.txt") == task.labels
    page = path.with_name(f"{path.name}.SIGNATURES.md")
    assert "|  |\n" not in page.read_text("utf-8")  # each tensor is said in words
    assert len(said(page, path.parent)) == len(task.signatures(text=None))


def int8(subject: Subject) -> None:
    """A file of eight bits a weight is no larger, and near what it was made from."""
    path, report = subject.quantized or _quantized(subject)
    output = subject.case.output
    assert report.passed and [row["file"] for row in report.files] == ["float32", "int8"]
    features = output.features(subject.served, subject.case.texts)
    outputs = artifact.load(path).run("serving_default", features)
    ids = next(iter(features.values()))
    found = output.from_ids(subject.served, subject.case.texts, ids, outputs)
    assert output.near(found, subject.predictions)


def _quantized(subject: Subject, **options: Any) -> tuple[Path, Any]:
    path = subject.folder / "int8.tflite"
    return path, export.litert(subject.served, path, quantize="int8", **options)


def score(subject: Subject) -> None:
    """The scores of an exported file are those of the task; those of a quantized one are there."""
    subject.quantized = _quantized(subject, **api.scored_on(subject.data_of_served))
    exact, quantized = api.scores(subject.quantized[1])
    expected = api.evaluated_as_files_are(subject.served, subject.data_of_served)
    assert exact == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert set(quantized) == set(expected)
