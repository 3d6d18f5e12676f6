"""What a server answers: the predictions of the task, from a run and from its artifacts."""

import base64
import functools
from typing import Any

import numpy as np
import tensorflow as tf

import export
from export.serving import Opened, open_artifact
from export.task_serving import open_task
from tests.tasks.checks.artifacts import LENGTH, SIZE, answers_texts
from tests.tasks.harness import Subject
from tests.zoo.server.serving import Client, serving
from zoo.attention_map import visible
from zoo.report.heads import data
from zoo.server.opening import servable_of
from zoo.server.servable import Servable, ServedSignature, served
from zoo.server.stepping import stream_of
from zoo.serving.streamed import ENDED, START, STEP


def of_run(subject: Subject) -> None:
    """A server of a run gives the task's predictions over HTTP."""
    _answers(subject, open_task(subject.served))


def of_artifacts(subject: Subject) -> None:
    """So does one of a SavedModel and, for texts, those of other files that take bytes."""
    task, folder = subject.served, subject.folder / "to-serve"
    assert export.saved_model(task, folder / "model").passed
    _answers(subject, open_artifact(folder / "model"))
    _attends(subject, open_artifact(folder / "model"))
    if "text bytes" in subject.case.not_applicable:
        return
    for write, name in ((export.litert, "model.tflite"), (export.onnx, "onnx")):
        assert write(task, folder / name, text="bytes").passed
        _answers(subject, open_artifact(folder / name))
        _attends(subject, open_artifact(folder / name))


def of_streams(subject: Subject) -> None:
    """And artifacts that stream, token by token, also one of one shape."""
    task, output, folder = subject.served, subject.case.output, subject.folder / "streams"
    makers = {"model": lambda path: export.saved_model(task, path, stream=True)}
    if "text" in task.preprocessor.inputs:
        write = functools.partial(export.litert, task, text="bytes", stream=True)
        makers["bytes.tflite"] = write
        makers["one-shape.tflite"] = functools.partial(write, length=LENGTH, text_size=SIZE)
    for name, make in makers.items():
        assert make(folder / name).passed
        signatures = served(open_artifact(folder / name))
        stream = stream_of(signatures)
        for given, expected in zip(subject.case.texts, subject.predictions, strict=True):
            inputs = {
                key: x if isinstance(x, np.ndarray) else np.array(x, object)
                for key, x in output.inputs([given]).items()
            }
            texts = _streamed(signatures, inputs)
            whole = signatures["serving_default"].run(inputs)
            assert texts[-1] == whole["text"][0]
            text = texts[-1].decode(errors="replace")
            assert name == "one-shape.tflite" or text == expected  # which may cut off the end
            assert stream is None or "".join(stream(given)) == text


def _streamed(signatures: dict[str, ServedSignature], inputs: dict[str, np.ndarray]) -> list[bytes]:
    """The text after each token."""
    known, written = signatures[START].run(inputs), []
    while not written or not known[ENDED].all():
        known |= signatures[STEP].run({name: known[name] for name in signatures[STEP].inputs})
        written.append(known["text"][0])
    return written


def _attends(subject: Subject, opened: Opened) -> None:
    """The maps of an artifact are those of the task, of texts and of captions."""
    task, given = subject.served, subject.case.texts[0]
    assert {*task.export_parts().assets} <= {*opened.beside}
    attention, is_captioner = servable_of("model", opened).attention, hasattr(task, "looks")
    reads_text = [*task.preprocessor.inputs] == ["text"]
    if not is_captioner and not (reads_text and task.model.attention_layers):
        assert attention is None
        return
    assert attention is not None
    show = attention[1]
    if is_captioner:
        content = tf.io.encode_png(given.reshape(*given.shape[:2], -1)).numpy()
        expected: Any = [
            {"token": visible(each.token), "weights": each.weights.tolist()}
            for each in task.attention_by_token(given)
        ]
    else:
        content = subject.case.output.inputs([given])["text"][0]
        text = content.decode()
        expected = data([(text, task.attention_parts(text))])
    texts, weights = _leaves(show(content))
    expected_texts, expected_weights = _leaves(expected)
    assert texts == expected_texts
    np.testing.assert_allclose(weights, expected_weights, atol=1 / 200)  # rounded to 1 / 255


def _leaves(value: Any, name: str = "") -> tuple[list[str], list[float]]:
    """The texts and the numbers of a JSON value, in order; of layers their weights."""
    if name == "layers":
        return [], [x / 255 for layer in value for x in base64.b64decode(layer)]
    if not isinstance(value, dict | list):
        return ([value], []) if isinstance(value, str) else ([], [value])
    parts = sorted(value.items()) if isinstance(value, dict) else enumerate(value)
    actual = [_leaves(each, str(key)) for key, each in parts]
    return [x for texts, _ in actual for x in texts], [x for _, numbers in actual for x in numbers]


def _answers(subject: Subject, opened: Opened) -> None:
    servable = Servable("model", served(opened))
    with serving(servable) as client:

        def answer(name: str, inputs: dict[str, Any]) -> dict[str, Any]:
            if opened.empty or all(map(np.size, inputs.values())):
                return _asked(client, servable, name, inputs)
            status, refused = _ask(client, name, inputs)  # such as a graph without edges
            assert status == 400 and "must not be empty" in refused["error"]
            return opened.run(name, inputs)

        answers_texts(subject, answer)


def _ask(client: Client, name: str, inputs: dict[str, Any]) -> tuple[int, Any]:
    """The status and the answer to columns."""
    columns = {key: _json(x) for key, x in inputs.items()}
    return client.ask("/v1/models/model:predict", {"signature_name": name, "inputs": columns})


def _asked(client: Client, servable: Servable, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """The outputs of a signature, in columns."""
    status, answer = _ask(client, name, inputs)
    assert status == 200, answer
    names = [*servable.signatures[name].outputs]
    outputs = answer["outputs"] if len(names) > 1 else {names[0]: answer["outputs"]}
    return {key: _array(value) for key, value in outputs.items()}


def _json(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray | list):
        return [_json(each) for each in value]
    return None if value != value else value.item() if hasattr(value, "item") else value


def _array(value: Any) -> np.ndarray:
    array = np.array(value)
    if array.dtype.kind != "U":
        return array
    return np.vectorize(str.encode, otypes=[object])(array)
