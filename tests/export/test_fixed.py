"""LiteRT files of one shape: static int32 inputs, padded by the caller."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from keras import ops

import export
from export.fixed import FixedSizes
from export.fixed_probes import fitting_calls, padded
from export.source import read_source
from export.worker.artifact import load
from export.worker.probes import Probe
from tests.export.models import graph, halved, image, reader, regressor, tagger
from tests.export.standin import PAD, StandIn
from tests.export.tasks import Images, Tagger


def details(path):
    """The dtypes and shapes of all inputs, and the shapes of all outputs, of each signature."""
    interpreter = Interpreter(str(path))
    runners = [interpreter.get_signature_runner(name) for name in interpreter.get_signature_list()]
    inputs = [each for runner in runners for each in runner.get_input_details().values()]
    outputs = [each for runner in runners for each in runner.get_output_details().values()]
    shapes = [tuple(each["shape_signature"]) for each in outputs]
    return {(x["dtype"].__name__, *x["shape_signature"]) for x in inputs}, shapes


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, 3])
def test_a_model_of_ids_and_a_mask(batch, tmp_path):
    model = tagger()
    report = export.litert(model, tmp_path / "x.tflite", batch=batch, length=19)

    inputs, outputs = details(report.path)
    assert inputs == {("int32", batch, 19)}
    assert sorted(outputs) == [(batch, 3), (batch, 19, 5)]
    assert report.manifest["fixed"] == {"batch": batch, "length": 19, "text_size": None}
    assert export.verify(report.path).passed

    ids = np.random.default_rng(1).integers(1, 17, (batch, 7), "int32")
    mask = np.arange(7) < np.array([[7], [2], [5]][:batch])
    expected = model({"token_ids": ids, "padding_mask": mask})
    more = (0, 0), (0, 12)
    x = {"token_ids": np.pad(ids, more), "padding_mask": np.pad(mask, more).astype("int32")}
    actual = load(report.path).run("serving_default", x)
    np.testing.assert_allclose(actual["pooled"], expected["pooled"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(actual["logits"][:, :7], expected["logits"], rtol=0, atol=1e-5)


def test_int64_is_taken_as_int32(tmp_path):
    ids = keras.Input((None,), dtype="int64", name="ids")
    model = keras.Model(ids, ops.cast(ids, "float32") / 3)

    report = export.litert(model, tmp_path / "x.tflite", length=5)

    assert details(report.path)[0] == {("int32", 1, 5)}


@pytest.mark.thorough
def test_what_may_not_be_padded_has_probes_of_full_length(tmp_path):
    for model, sizes, shape in [
        (tagger(masked=False), {"length": 9}, ("int32", 1, 9)),
        (halved(), {"batch": 2, "length": 12}, ("int32", 2, 12)),
        (image(), {"length": 8}, ("float32", 1, 8, 8, 3)),
        (regressor(), {"batch": 2}, ("float32", 2, 7)),
        (Images(), {"length": 2}, ("float32", 1, 2, 2, 3)),
    ]:
        report = export.litert(model, tmp_path / "x.tflite", **sizes)
        assert details(report.path)[0] == {shape}


@pytest.mark.thorough
@pytest.mark.parametrize("quantize", [None, "int8"])
def test_a_task_that_generates(quantize, tmp_path):
    task = StandIn()
    report = export.litert(task, tmp_path / "x.tflite", length=9, quantize=quantize)

    inputs, outputs = details(report.path)
    assert inputs == {("int32", 1, 9)} and all(size > 0 for shape in outputs for size in shape)
    names = {check.name for check in report.checks}
    assert {"serving_default: token_ids", "attention: attention"} <= names


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("quantize", ["float16", "int8"])
def test_the_decisions_of_a_quantized_file_are_those_of_its_texts(quantize, batch, tmp_path):
    """The last row of a batch may be there more than once; no padding is a decision."""
    report = export.litert(
        Tagger(), tmp_path / "x.tflite", quantize=quantize, batch=batch, length=9
    )

    inputs, outputs = details(report.path)
    assert inputs == {("int32", batch, 9)}
    assert sorted(outputs) == [(batch, 9), (batch, 9, 3)]
    assert [row["file"] for row in report.files] == ["float32", quantize]
    # Probes and samples: texts of 5, 2 and 1 words.
    decisions = {1: 2 * (5 + 2 + 1), 3: 2 * (5 + 2 + 2 + 3 * 1)}[batch]
    for actual in report, export.verify(report.path):
        checks = {check.name: check for check in actual.checks}
        assert checks["serving_default: fixed shapes"].passed
        (tags,) = (x for name, x in checks.items() if name == "serving_default: class_id")
        assert tags.passed and f"of {decisions} decisions are the same" in tags.detail


def test_a_task_of_tags_pads_with_its_own_value(tmp_path):
    report = export.litert(Tagger(), tmp_path / "x.tflite", batch=2, length=8)

    spec = report.manifest["signatures"]["serving_default"]["inputs"]["token_ids"]
    fixed = {"dtype": "int32", "shape": [2, 8], "axes": [2, 8], "padding": 9}
    assert {name: spec[name] for name in fixed} == fixed


def test_outputs_have_one_shape_too(tmp_path):
    """Here the size of an output is what the ids say."""
    ids = keras.Input((None,), dtype="int32", name="ids")
    model = keras.Model(ids, keras.layers.Lambda(lambda x: ops.arange(ops.max(x) + 2))(ids))

    with pytest.raises(export.VerificationError, match="output_0 have no fixed shape"):
        export.litert(model, tmp_path / "x.tflite", length=5)


def test_no_output_comes_out_of_a_loop_whose_sizes_change(tmp_path):
    """Runtimes that allocate it before would leave it zero."""

    def totals(x):
        def body(step, total):
            return step + 1, total + tf.reduce_sum(tf.fill([step + 1], 0.5))

        start = tf.constant(0), tf.reduce_sum(x, axis=1)
        return tf.while_loop(lambda step, total: step < 3, body, start)[1]

    x = keras.Input((None,), name="x")
    model = keras.Model(x, {"total": keras.layers.Lambda(totals)(x)})
    with pytest.raises(export.VerificationError, match="sizes inside change: serving_default: tot"):
        export.litert(model, tmp_path / "x.tflite", length=5)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (lambda x: {"a": x * 2, "b": x * 2}, "a and b"),
        (lambda x: {"given": ops.cast(x, x.dtype), "twice": x * 2}, "x and given"),
    ],
    ids=["shared", "passed through"],
)
def test_each_output_has_a_tensor_of_its_own(outputs, message, tmp_path):
    """Runtimes of fixed shapes know one name of a tensor."""
    x = keras.Input((None,), name="x")
    model = keras.Model(x, keras.layers.Lambda(outputs)(x))
    with pytest.raises(
        export.VerificationError, match=f"one tensor has two names: serving_default: {message}"
    ):
        export.litert(model, tmp_path / "x.tflite", length=5)


@pytest.mark.thorough
def test_padding_that_has_a_say_is_found(tmp_path):
    """The live model is asked without padding, and the file is not like it."""
    task = StandIn(fault="padding")
    with pytest.raises(export.VerificationError, match="serving_default: token_ids"):
        export.litert(task, tmp_path / "x.tflite", length=9, max_new_tokens=5)


def test_calls_are_rows_without_their_padding():
    sizes = FixedSizes(batch=2, length=6)
    (signature, *_) = read_source(StandIn(), None, {}).signatures
    ids = np.array([[4, 5, 6, 7, 8, 9, 9, 9], [7, 8, PAD, 5] + 4 * [PAD], [4] + 7 * [PAD]])

    first, second = fitting_calls(sizes, signature, [{"token_ids": ids}])

    assert first["token_ids"].tolist() == [[4], [4]]  # the last row twice
    assert second["token_ids"].tolist() == [[4, 5, 6, 7, 8, 9], [7, 8, PAD, 5, PAD, PAD]]
    probe = padded(sizes, signature, Probe(first, {}))
    assert probe.inputs["token_ids"].tolist() == [[4, *[PAD] * 5]] * 2


def test_what_is_refused(tmp_path):
    for model, arguments, message in [
        (tagger(), {"batch": 0, "length": 8}, "batch must be a positive integer; received 0"),
        (tagger(), {"length": 2.5}, "length must be a positive integer; received 2.5"),
        (tagger(), {"length": True}, "length must be a positive integer; received True"),
        (tagger(), {"batch": 1}, "length must be given: it is the size of padding_mask_1"),
        (regressor(), {"length": 9}, "length=9: no input has a dynamic axis besides the batch"),
        (reader((5, None)), {"batch": 2, "length": 8}, "batch must be 5, as in the model"),
        (graph(), {"length": 9}, "Graphs have more sizes than batch and length"),
        (StandIn(), {"length": 9, "text": "strings"}, 'need text=None or "bytes"'),
        (StandIn(), {"length": 9, "text_size": 0}, "text_size must be a positive integer"),
        (StandIn(), {"length": 9, "text_size": 8}, "text_size=8: no signature takes a text in by"),
        (StandIn(), {"length": 9, "data": __file__}, "data needs a file of any shape"),
        (Images(), {"length": 99}, "no probe of batch=1 and length=99"),
    ]:
        with pytest.raises(ValueError, match=message):
            export.litert(model, tmp_path / "x.tflite", **arguments)
    assert list(tmp_path.iterdir()) == []
