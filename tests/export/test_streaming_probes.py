"""Signatures that are called step by step: their probes, and the check of what they return."""

import numpy as np
import pytest
import tensorflow as tf

import export
import zoo
from export.signatures import LiveSignature
from export.streaming_probes import followed, following_probes
from export.task import answered
from export.worker import streaming
from export.worker.artifact import Artifact
from export.worker.probes import Probe
from export.xla import compiled
from tests.export.parts import Tensor, of_features
from zoo.errors import UserError

NUMBER = Tensor((1,), "int32")
TOLERANCE = {"tolerance": {"error": 1e-4, "agreement": 1.0}}


def begin(number):
    return {"left": number, "by": number * 0 + 2}


def step(left, by):
    left = left - by
    return {"left": left, "half": left / 2, "ended": tf.cast(left <= 0, "int32")}


# Counts down by two, and returns the half of what is left.
BEGIN = LiveSignature(
    "begin", of_features({"number": NUMBER}, begin, {"left": (1,), "by": (1,)}, invariances=())
)
STEP = LiveSignature(
    "step",
    of_features(
        {"left": NUMBER, "by": NUMBER},
        step,
        {"left": (1,), "half": (1,), "ended": (1,)},
        invariances=(),
        follows="begin",
    ),
)


def test_probes_are_what_the_last_call_returned():
    first = answered(BEGIN, [{"number": np.array([n], "int32")} for n in (3, 11)])
    probes = following_probes(STEP, first)
    assert followed([BEGIN, STEP]) == {"begin"}
    # The first ends after two steps; of the second, as many are taken as of each.
    assert [probe.inputs["left"].item() for probe in probes] == [3, 1, 11, 9, 7, 5]
    assert {probe.inputs["by"].item() for probe in probes} == {2}
    assert [probe.outputs["half"].item() for probe in probes] == [0.5, -0.5, 4.5, 3.5, 2.5, 1.5]


def test_xla_leaves_them_out():
    other = LiveSignature("other", BEGIN.parts)
    assert list(compiled([BEGIN, STEP, other])) == ["other"]


@pytest.mark.parametrize(
    ("whole", "message"),
    [
        (lambda n: (n % 2) / 2 - 1 + (n % 2 == 0), "error 0.0e+00, 100.0% equal, steps: 8"),
        (lambda n: (n % 2) / 2 - 1.5, "error"),
    ],
    ids=["equal", "other"],
)
def test_the_last_step_returns_what_one_call_does(whole, message):
    def run(name, inputs):
        if name == "serving_default":
            return {"half": whole(inputs["number"])}
        return {"begin": BEGIN, "step": STEP}[name].run(inputs)

    facts = {"follows": "begin", "outputs": {"half": {"padding": None}}}
    artifact = Artifact(run, {"step": {"inputs": {"left": {}, "by": {}}}})
    probes = {"begin": [Probe({"number": np.array([n], "int32")}, {}) for n in (3, 11)]}
    (actual,) = streaming.streaming_checks(
        {**TOLERANCE, "signatures": {"begin": {}, "step": facts}}, probes, artifact
    )
    assert actual["name"] == "step: equals serving_default"
    assert actual["passed"] == (message != "error") and actual["detail"].startswith(message)


def test_a_step_that_never_ends(monkeypatch):
    monkeypatch.setattr(streaming, "MOST", 7)
    artifact = Artifact(lambda *_: {"ended": np.zeros(1)}, {"step": {"inputs": {}}})
    signatures = {"begin": {}, "step": {"follows": "begin", "outputs": {}}}
    entry = {**TOLERANCE, "signatures": signatures}
    with pytest.raises(ValueError, match="step has not ended after 7 calls"):
        [*streaming.streaming_checks(entry, {"begin": [Probe({}, {})]}, artifact)]


def test_what_does_not_stream():
    pairs = [("a b", "c")]
    task = zoo.TextToText("transformer", "tiny", vocabulary_size=30, max_target_length=5)
    task.adapt(pairs)
    with pytest.raises(UserError, match="stream must not be combined with beams"):
        task.export_parts("bytes", stream=True, beams=2)
    classifier = zoo.TextClassifier("ngram_classifier")
    classifier.adapt([("a b", "x"), ("c", "y")])
    with pytest.raises(UserError, match="an export of text-classifier has no option 'stream'"):
        export.saved_model(classifier, "never-written", stream=True)
