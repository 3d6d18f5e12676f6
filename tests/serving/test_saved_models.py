"""SavedModels without Python and in TensorFlow's own tool: the answers of the live models."""

import subprocess
import sys

import numpy as np
import pytest

import export
from export.worker.probes import load_probes
from tests.export.models import regressor
from tests.export.standin import StandIn
from tests.export.tasks import Graphs, Images, Tagger
from tests.serving import program
from tests.serving.requests import assert_same

pytestmark = pytest.mark.thorough
MADE = {
    "text": (StandIn, True, {"max_new_tokens": 5}),
    "tags": (Tagger, False, {}),  # with a table, whose words are set when it is loaded
    "compiled": (Tagger, False, {"xla": True}),
    "graphs": (Graphs, False, {}),
    "images": (Images, False, {}),
    "keras": (regressor, False, {}),
}


@program.needs_compiler
@pytest.mark.thorough(3)
@pytest.mark.parametrize("name", MADE)
def test_in_c(tmp_path, name):
    make, text, options = MADE[name]
    export.saved_model(make(), tmp_path / "model", **options)
    probes = load_probes(tmp_path / "model" / "1.probes.npz")
    calls = [(key, probe) for key, each in probes.items() for probe in each]
    asked = [(key, probe.inputs) for key, probe in calls]
    actual = program.run(tmp_path / "model" / "1", asked, text)
    for (_, probe), outputs in zip(calls, actual, strict=True):
        assert_same(outputs, probe.outputs)


@program.needs_compiler
def test_in_c_errors_are_said(tmp_path):
    export.saved_model(regressor(), tmp_path / "model")
    (inputs,) = program.signature_names(tmp_path / "model" / "1")["serving_default"][:1]
    (name,) = inputs
    with pytest.raises(AssertionError, match="TF_SessionRun: "):
        program.run(
            tmp_path / "model" / "1", [("serving_default", {name: np.zeros((2, 3, 4), "f")})]
        )


def test_saved_model_cli(tmp_path):
    """It takes texts, and has a table."""
    export.saved_model(Tagger(), tmp_path / "model")
    probe = load_probes(tmp_path / "model" / "1.probes.npz")["serving_default"][0]
    texts = [text.decode() for text in probe.inputs["text"]]
    command = [sys.executable, "-m", "tensorflow.python.tools.saved_model_cli", "run"]
    options = {
        "dir": tmp_path / "model" / "1",
        "tag_set": "serve",
        "signature_def": "serving_default",
        "input_exprs": f"text={texts!r}",
    }
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    done = subprocess.run([*command, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stdout.partition("Result for output key text:\n")[2]
    assert said.split("\n\n")[0].strip() == str(probe.outputs["text"].astype(object))
