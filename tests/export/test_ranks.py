"""Inputs of another rank than a signature declares are refused, in every format."""

import numpy as np
import pytest
import tensorflow as tf

import export
from export import signatures
from export.worker.artifact import load
from export.worker.probes import Probe
from export.worker.rank_checks import rank_check
from tests.export.models import graphs, image, regressor, tagger
from tests.export.standin import StandIn
from tests.export.tasks import Graphs

TEXTS = np.array(["a red dog", "the man"], object)
OTHERS = [TEXTS[0], TEXTS[None], TEXTS[:, None]]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A SavedModel, and its report."""
    path = tmp_path_factory.mktemp("ranks") / "words"
    return path / "1", export.saved_model(StandIn(), path)


def test_a_saved_model_names_the_input_and_its_rank(served):
    serve = tf.saved_model.load(str(served[0])).signatures["serving_default"]

    for text in OTHERS:
        with pytest.raises(tf.errors.InvalidArgumentError, match="text_must_have_rank_1"):
            serve(text=tf.constant(text))
    assert serve(text=tf.constant(TEXTS))["text"].shape == [2]


@pytest.mark.thorough
def test_a_litert_file_refuses_each_and_goes_on(tmp_path):
    export.litert(StandIn(), tmp_path / "x.tflite", text="strings")
    run = load(tmp_path / "x.tflite", strings=True).run
    expected = run("serving_default", {"text": TEXTS})["text"].tolist()

    for text in OTHERS:
        with pytest.raises(RuntimeError, match="failed to prepare"):
            run("serving_default", {"text": text})
        assert run("serving_default", {"text": TEXTS})["text"].tolist() == expected
    assert run("serving_default", {"text": TEXTS[:1]})["text"].tolist() == expected[:1]


def test_verification_asks_every_signature(served):
    actual = {check.name: check.detail for check in served[1].checks}

    for signature in ("serving_default", "tokens", "attention"):
        assert actual[f"{signature}: refuses other ranks"] == "inputs: 1"


@pytest.mark.quick(2)
@pytest.mark.parametrize("make", [regressor, Graphs, graphs, image, tagger])
def test_so_does_every_kind_of_input(make, tmp_path):
    report = export.litert(make(), tmp_path / "x.tflite")

    assert "serving_default: refuses other ranks" in {check.name for check in report.checks}


@pytest.mark.thorough
def test_a_signature_that_lets_them_through_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(signatures, "of_rank", lambda tensor: tensor)

    with pytest.raises(
        export.VerificationError, match="takes input_0 of 3 axes, input_0 of 1 axes"
    ):
        export.litert(regressor(), tmp_path / "x.tflite")
    with pytest.raises(export.VerificationError, match=r"worker process \(.*status -11"):
        export.saved_model(StandIn(), tmp_path / "words")


def test_an_answer_is_a_failure(served):
    artifact = load(served[0], strings=True)
    taken = artifact._replace(run=lambda signature, inputs: {})
    probe = Probe({"text": TEXTS}, {})

    assert rank_check("serving_default", ["text"], probe, artifact)["passed"]
    assert (
        rank_check("x", ["text"], probe, taken)["detail"] == "takes text of 2 axes, text of 0 axes"
    )
