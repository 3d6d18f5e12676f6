"""What a server answers: the predictions of the task, from a run and from its artifacts."""

from typing import Any

import numpy as np

import export
from export.serving import Opened, open_artifact, open_task
from tests.tasks.checks.artifacts import answers_texts
from tests.tasks.harness import Subject
from tests.zoo.server.serving import Client, serving
from zoo.server.servable import Servable, served


def of_run(subject: Subject) -> None:
    """A server of a run gives the task's predictions over HTTP."""
    _answers(subject, open_task(subject.served))


def of_artifacts(subject: Subject) -> None:
    """So does one of a SavedModel and, for texts, those of other files that take bytes."""
    task, folder = subject.served, subject.folder / "to-serve"
    assert export.saved_model(task, folder / "model").passed
    _answers(subject, open_artifact(folder / "model"))
    if "text bytes" in subject.case.not_applicable:
        return
    for write, name in ((export.litert, "model.tflite"), (export.onnx, "onnx")):
        assert write(task, folder / name, text="bytes").passed
        _answers(subject, open_artifact(folder / name))


def _answers(subject: Subject, opened: Opened) -> None:
    servable = Servable("model", served(opened))
    with serving(servable) as client:
        answers_texts(subject, lambda name, inputs: _asked(client, servable, name, inputs))


def _asked(client: Client, servable: Servable, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """The outputs of a signature, in columns."""
    columns = {key: _json(x) for key, x in inputs.items()}
    body = {"signature_name": name, "inputs": columns}
    status, answer = client.ask("/v1/models/model:predict", body)
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
