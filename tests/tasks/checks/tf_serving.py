"""What SavedModels answer elsewhere: TensorFlow Serving's API, its C library, saved_model_cli."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import export
from export import manifest
from export.serving import open_artifact
from export.worker.artifact import load
from export.worker.probes import is_text, load_probes
from tests.serving import cli, program
from tests.serving.requests import arrays, assert_same, columns, examples, warmup
from tests.tasks.harness import Subject
from tests.zoo.server.serving import serving
from zoo.server.servable import Servable, served


def requests(subject: Subject) -> None:
    """Every request that is written is answered as the task does, also over HTTP."""
    path = _exported(subject)
    run = load(path / "1", strings=True).run
    logs, names = warmup(path / "1"), [*subject.served.export_parts(text="strings").signatures]
    assert {log.request.model_spec.signature_name for log in logs} == {*names}
    for log in logs:
        actual = run(log.request.model_spec.signature_name, arrays(log.request.inputs))
        assert_same(actual, arrays(log.response.outputs))
    written = examples(path / "1")
    assert {*written} == {*names}
    with serving(Servable("model", served(open_artifact(path)))) as client:
        for name, (body, request) in written.items():
            assert request.model_spec.signature_name == name
            status, answer = client.ask("/v1/models/model:predict", body)
            assert status == 200, answer
            _assert_says(answer, run(name, arrays(request.inputs)))


def _assert_says(answer: Any, expected: dict[str, np.ndarray]) -> None:
    """An answer in JSON is that of a signature."""
    actual = columns(answer)
    if "" in actual:
        actual = {next(iter(expected)): actual[""]}
    assert set(actual) == set(expected)
    for name, array in expected.items():
        wanted = array
        if is_text(array):
            wanted = np.array([x.decode() for x in array.ravel()]).reshape(array.shape)
        assert_same({name: np.array(actual[name], wanted.dtype)}, {name: wanted})


def in_c(subject: Subject) -> None:
    """Without Python the answers are the same."""
    if program.compiler is None:
        pytest.skip(program.NO_COMPILER)
    path = _exported(subject)
    probes = load_probes(path / "1.probes.npz")
    calls = [(name, probe) for name, each in probes.items() for probe in each]
    asked = [(name, probe.inputs) for name, probe in calls]
    actual = program.run(path / "1", asked, text=True)
    for (_, probe), outputs in zip(calls, actual, strict=True):
        assert_same(outputs, probe.outputs)


def in_saved_model_cli(subject: Subject) -> None:
    """TensorFlow's own tool gives the answers, too."""
    path = _exported(subject)
    probe = load_probes(path / "1.probes.npz")["serving_default"][0]
    text = manifest.read(path)["artifacts"]["1"]["strings"]
    folder = subject.place("saved_model_cli")
    actual = cli.run(path / "1", "serving_default", probe.inputs, text, folder)
    assert_same(actual, probe.outputs)


def _exported(subject: Subject) -> Path:
    path = subject.folder / "tf-serving" / "model"
    if not path.exists():
        assert export.saved_model(subject.served, path, serving=True).passed
    return path
