"""What artifacts of a task give: the task's predictions, and its scores on a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import export
from export.worker import artifact
from tests.clients.compiled import Compiled
from tests.export.tensors import dynamic_tensors
from tests.pages import said
from tests.tasks import api
from tests.tasks.harness import Subject
from zoo.lines import from_lines, to_lines
from zoo.options import values_of
from zoo.preprocessing.byte_texts import as_bytes

LENGTH, SIZE = 11, 41  # of texts in a file of one shape: tokens, bytes


def saved_model(subject: Subject, **options: Any) -> None:
    """A SavedModel gives the predictions for texts that it was not verified with."""
    path = subject.folder / "-".join(["served", *options])
    assert export.saved_model(subject.served, path, **options).passed
    answers_texts(subject, artifact.load(path / "1", strings=True).run)


def compiled(subject: Subject) -> None:
    """So does one that is compiled."""
    saved_model(subject, xla=True)


def litert_strings(subject: Subject) -> None:
    """And a LiteRT file that takes texts."""
    path = subject.folder / "strings.tflite"
    assert export.litert(subject.served, path, text="strings").passed
    answers_texts(subject, artifact.load(path, strings=True).run)


def text_bytes(subject: Subject) -> None:
    """And one that takes and returns them as bytes, with built-in operators only."""
    path = subject.folder / "bytes.tflite"
    report = export.litert(subject.served, path, text="bytes")
    assert report.passed
    run, takes_text = artifact.load(path).run, api.takes_strings(subject.served)
    forms = "serving_default: bytes and strings agree"
    assert (forms in {check.name for check in report.checks}) == takes_text

    def answer(signature: str, inputs: dict[str, Any]) -> dict[str, Any]:
        return _with_text(run(signature, as_bytes(inputs) if takes_text else inputs))

    answers_texts(subject, answer)
    page = path.with_name(f"{path.name}.SIGNATURES.md")
    assert len(said(page, path.parent)) == len(
        subject.served.export_parts(text="bytes", litert=True).signatures
    )


def one_shape(subject: Subject) -> None:
    """One of one shape has no other inside it, and says of which texts it cut off the end.

    The interpreter and `CompiledModel` give the same.
    """
    task, output = subject.served, subject.case.output
    assert api.takes_strings(task)
    path = subject.folder / "one-shape.tflite"
    assert export.litert(task, path, text="bytes", length=LENGTH, text_size=SIZE).passed
    assert not dynamic_tensors(path.read_bytes())
    run, compiled = artifact.load(path).run, Compiled(path)

    def answer(inputs: dict[str, np.ndarray]) -> tuple[dict[str, Any], bool]:
        given = _filled(as_bytes(inputs))
        actual, other = run("serving_default", given), compiled(given)
        assert set(actual) == set(other)
        for name, each in actual.items():
            np.testing.assert_allclose(other[name], each, atol=1e-4, err_msg=name)
        actual = _with_text(actual)
        return actual, bool(actual.pop("truncated"))

    whole = 0
    for text, prediction in zip(subject.case.texts, subject.predictions, strict=True):
        actual, truncated = answer(output.inputs([text]))
        if not truncated:
            whole += 1
            expected = output.expected([prediction])
            output.same(output.from_text(actual), expected, tolerance=1e-4)
    assert whole > 1
    longer = {name: SIZE * x for name, x in output.inputs(subject.case.texts[:1]).items()}
    assert answer(longer)[1]


def _filled(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Bytes of texts in arrays of the only size; what has no room is left out."""
    return {
        name: np.pad(x, [(0, 0), (0, SIZE)])[:, :SIZE].copy() if x.ndim == 2 else x
        for name, x in inputs.items()
    }


def _with_text(actual: dict[str, np.ndarray]) -> dict[str, Any]:
    """Outputs with their text in bytes as a string, too."""
    if "text_bytes" not in actual:
        return actual
    rows = zip(actual["text_bytes"], actual["text_lengths"], strict=True)
    texts = [bytes(row[:size].tolist()).decode(errors="replace") for row, size in rows]
    return {**actual, "text": np.array([text.encode() for text in texts], object)}


def answers_texts(subject: Subject, run: Any) -> None:
    output = subject.case.output
    for texts, predictions in (
        (subject.case.texts, subject.predictions),
        (subject.case.texts[1:2], subject.predictions[1:2]),
    ):
        actual = output.from_text(run("serving_default", output.inputs(texts)))
        output.same(actual, output.expected(predictions), tolerance=1e-4)


def litert_ids(subject: Subject) -> None:
    """A LiteRT file that takes ids gives what the task does with these ids."""
    path = subject.folder / "ids.tflite"
    assert export.litert(subject.served, path).passed
    _answers_ids(subject, artifact.load(path).run, "serving_default")
    _lies_beside(subject.served, path)


def onnx_ids(subject: Subject) -> None:
    """ONNX files that take ids give what the task does, also without the library."""
    folder = subject.folder / "ids"
    assert export.onnx(subject.served, folder).passed
    _answers_ids(subject, artifact.load(folder).run, "serving_default")
    assert len(said(folder / "SIGNATURES.md", folder.parent)) == len(list(folder.glob("*.onnx")))


def onnx_bytes(subject: Subject) -> None:
    """So do those that take and return texts as bytes, which have a file for ids, too."""
    task, folder = subject.served, subject.folder / "bytes"
    assert export.onnx(task, folder, text="bytes").passed
    run, takes_text = artifact.load(folder).run, api.takes_strings(task)

    def answer(signature: str, inputs: dict[str, Any]) -> dict[str, Any]:
        return _with_text(run(signature, as_bytes(inputs) if takes_text else inputs))

    answers_texts(subject, answer)
    if takes_text:
        _answers_ids(subject, run, "tokens")


def _answers_ids(subject: Subject, run: Any, signature: str) -> None:
    output = subject.case.output
    features = output.features(subject.served, subject.case.texts)
    outputs, ids = run(signature, features), next(iter(features.values()))
    actual = output.from_ids(subject.served, subject.case.texts, ids, outputs)
    output.same(actual, subject.predictions, tolerance=1e-4)


def _lies_beside(task: Any, path: Path) -> None:
    """Beside a file are its vocabulary, its labels, and a page whose code runs."""

    def lines(name: str) -> list[str]:
        return path.with_name(f"{path.name}.{name}").read_bytes().decode().split("\n")[:-1]

    if "vocabulary_size" in values_of(task.settings):
        assert lines("vocabulary.txt") == from_lines(to_lines(task.tokenizer.vocabulary))
        assert "\n".join(lines("tokenizer.json")) + "\n" == task.tokenizer.to_json()
    if "labels" in values_of(task.settings):
        assert lines("labels.txt") == task.labels
    card = "\n".join(lines("README.md"))
    assert card.startswith("---\nlibrary_name: keras\n") and f" for {task.name}\n" in card
    page = path.with_name(f"{path.name}.SIGNATURES.md")
    assert "|  |\n" not in page.read_text("utf-8")  # each tensor is said in words
    assert len(said(page, path.parent)) == len(task.export_parts(text=None).signatures)


def int8(subject: Subject) -> None:
    """A file of eight bits a weight is no larger, and near what it was made from."""
    path, report = subject.quantized or _quantized(subject)
    output = subject.case.output
    assert report.passed and [row["file"] for row in report.files] == ["float32", "int8"]
    features = output.features(subject.served, subject.case.texts)
    outputs = artifact.load(path).run("serving_default", features)
    ids = next(iter(features.values()))
    actual = output.from_ids(subject.served, subject.case.texts, ids, outputs)
    assert output.near(actual, subject.predictions)


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
