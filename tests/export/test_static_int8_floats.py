"""What stays in float32 in a file that computes with integers of eight bits."""

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

import export
from export.worker.artifact import load
from export.worker.litert_model import code_of, read_model
from export.worker.probes import SAMPLES, Probe, load_probes
from export.worker.static_int8 import static_int8
from tests.clients.compiled import Compiled
from tests.litert import converted
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

pytest.importorskip("ai_edge_quantizer")

# Case -> options of its model and of its export, and how many operators of a kind return integers
# and float32.
EXPECTED = {
    "series_classifier": (
        {"hidden_dim": 32},  # in a few channels, each rounding counts
        {"batch": 1},
        {"CONV_2D": (2, 0), "SUM": (0, 2), "TOPK_V2": (0, 2)},
    ),
    "text_classifier_pairs": (
        {},
        {"batch": 1, "length": 13},
        {"BATCH_MATMUL": (2, 0), "SOFTMAX": (0, 2), "RSQRT": (0, 3)},
    ),
    "image_classifier": ({}, {"batch": 1}, {"CONV_2D": (3, 0), "GATHER": (0, 4), "FLOOR": (0, 2)}),
}


def operators(content):
    """The number of operators by kind and type of the first output, in `serving_default`."""
    model = read_model(content)
    (graph,) = (
        model.subgraphs[each.subgraphIndex]
        for each in model.signatureDefs
        if each.signatureKey == b"serving_default"
    )
    types = {schema.TensorType.INT8: "int8", schema.TensorType.FLOAT32: "float32"}
    return Counter(
        (code_of(model, each), types.get(graph.tensors[each.outputs[0]].type))
        for each in graph.operators
    )


# Another process calibrates when a task is exported.
@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:Warning. Enabling .experimental_preserve_all_tensors.")
def test_scores_of_masked_positions_do_not_widen_a_range():
    random = np.random.default_rng(2)
    weights = [tf.Variable(random.normal(size=(16, 16)).astype("float32")) for _ in range(2)]
    x = random.normal(size=(7, 5, 16)).astype("float32")
    mask = (np.arange(5) < [[5], [1], [3], [4], [2], [5], [3]]).astype("float32")

    def attention(x, mask):
        with tf.name_scope("model_1/attention_1"):
            scores = tf.matmul(tf.matmul(x, weights[0]), x, transpose_b=True) / 16
            mean = tf.nn.softmax(scores - (1 - mask[:, None]) * 1e30) @ (x @ weights[1])
        return {"y": tf.reshape(mean, (-1, 5, 16))}

    specs = {"x": tf.TensorSpec((None, 5, 16)), "mask": tf.TensorSpec((None, 5))}
    content = converted(attention, specs, weights)[None]
    samples = {f"{SAMPLES}serving_default": [Probe({"x": x, "mask": mask}, {})]}
    actual = static_int8(content, samples, ())
    types = operators(actual)
    assert types["BATCH_MATMUL", "int8"] == 2 and not types["BATCH_MATMUL", "float32"]
    assert (types["SUB", "int8"], types["SUB", "float32"]) == (1, 1)  # of the mask, of the scores
    assert types["SOFTMAX", "float32"] == 1
    exact, own = (
        Interpreter(model_content=each).get_signature_runner("serving_default")(x=x, mask=mask)["y"]
        for each in (content, actual)
    )
    assert np.sqrt(np.square(own - exact).mean() / np.square(exact).mean()) < 0.04


@pytest.fixture(scope="module", params=EXPECTED)
def exported(request, tmp_path_factory):
    case, (options, sizes, counts) = CASES[request.param], EXPECTED[request.param]
    case = replace(case, make=partial(case.make, **options))
    subject = Subject(case, tmp_path_factory.mktemp("static") / "case")
    path = subject.folder / "x.tflite"
    return path, export.litert(subject.served, path, quantize="static_int8", **sizes), counts


@pytest.mark.thorough
def test_masks_norms_and_places_stay_exact_in_trained_models(exported):
    path, report, counts = exported
    assert report.passed and export.verify(path).passed
    actual = operators(path.read_bytes())
    for kind, (integers, floats) in counts.items():
        assert (actual[kind, "int8"], actual[kind, "float32"]) == (integers, floats), kind


@pytest.mark.thorough
def test_a_compiled_model_computes_the_same(exported):
    path, report, _ = exported
    runs, compiled = load(path, False), Compiled(path)
    probes = load_probes(path.with_name(report.manifest["probes"]))
    for probe in probes[f"{SAMPLES}serving_default"]:
        expected, actual = runs.run("serving_default", probe.inputs), compiled(probe.inputs)
        assert expected.keys() == actual.keys()
        for name, array in expected.items():
            np.testing.assert_allclose(actual[name], array, rtol=0, atol=1e-6)
