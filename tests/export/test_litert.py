"""LiteRT files of a task: ids or text in, quantized or not, and what is refused."""

import hashlib
import json
import logging
import os

import keras
import numpy as np
import pytest
import tensorflow as tf

import export
from export.tolerances import TOLERANCES
from export.worker.artifact import load
from keras_attn import AttentionPooling
from tests.export.models import flexible
from tests.export.parts import call
from tests.export.standin import TEXTS, StandIn
from tests.litert import in_litert

WIDE = 101  # wide enough that the converter quantizes the weights


def say(texts):
    """What the live wide task says."""
    signature = StandIn(WIDE).signatures(True)["serving_default"]
    return [text.decode() for text in call(signature, text=np.array(texts))["text"].numpy()]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """An evaluation file that wants everything the task says, and as much again."""
    path = tmp_path_factory.mktemp("data") / "test.tsv"
    texts = [TEXTS[0], TEXTS[2], TEXTS[3], "the red dog", "a big hat ?"]
    pairs = zip(texts, say(texts), strict=True)
    path.write_text("".join(f"{source}\t{said} {said}\n" for source, said in pairs))
    return path


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """Two files of one folder: text in with int8 weights, ids in with float16 weights."""
    folder = tmp_path_factory.mktemp("phone")
    task = StandIn(WIDE)
    spoken = export.litert(
        task, folder / "spoken.tflite", quantize="int8", text="strings", data=data, max_drop=100
    )
    ids = export.litert(task, folder / "ids.tflite", quantize="float16", data=data)
    return folder, spoken, ids


@pytest.mark.thorough
def test_a_folder_shares_its_manifest(folder):
    path, spoken, ids = folder

    assert set(os.listdir(path)) == {
        "ids.tflite",
        "ids.tflite.SIGNATURES.md",
        ids.manifest["probes"],
        "ids.tflite.vocabulary.txt",
        "manifest.json",
        "spoken.tflite",
        "spoken.tflite.SIGNATURES.md",
        spoken.manifest["probes"],
        "spoken.tflite.vocabulary.txt",
    }
    entries = json.loads((path / "manifest.json").read_text())["artifacts"]
    assert entries == {
        "spoken.tflite": json.loads(json.dumps(spoken.manifest)),
        "ids.tflite": json.loads(json.dumps(ids.manifest)),
    }


@pytest.mark.thorough
def test_the_manifest_tells_the_rule_what_was_found_and_what_it_was_scored_on(folder, data):
    for report, kind in zip(folder[1:], ("int8", "float16"), strict=True):
        entry = report.manifest
        assert entry["tolerance"] == TOLERANCES[kind]._asdict()
        assert entry["checks"] == [vars(each) for each in report.checks]
        assert all(each["passed"] and each["detail"] for each in entry["checks"])
        assert entry["sha256"]["data"] == hashlib.sha256(data.read_bytes()).hexdigest()


@pytest.mark.thorough
def test_operators_are_built_in_but_for_those_of_text(folder):
    _, spoken, ids = folder

    assert not [name for name in ids.manifest["operators"] if name.startswith("custom:")]
    assert ids.manifest["operators"]["WHILE"] == 2
    assert {name for name in spoken.manifest["operators"] if name.startswith("custom:")} == {
        "custom:FastWordpieceTokenizeWithOffsets",
        "custom:RaggedTensorToTensor",
        "custom:TFText>FastWordpieceDetokenize",
        "custom:TFText>WhitespaceTokenizeWithOffsetsV2",
    }


class Live:
    """The live task, as if it were an artifact."""

    signatures = {"serving_default": {"inputs": {"text": {}}}}

    def run(self, signature, inputs):
        return {"text": [text.encode() for text in say(list(inputs["text"]))]}


@pytest.mark.thorough
def test_every_file_is_measured_beside_the_float_one(folder, data):
    live = StandIn(WIDE).evaluate_artifact(Live(), data)
    assert 0 < live["words"] <= 50

    for report, kind in zip(folder[1:], ("int8", "float16"), strict=True):
        exact, quantized = report.files

        assert (exact["file"], quantized["file"]) == ("float32", kind)
        assert quantized["size_mb"] < 0.8 * exact["size_mb"]
        assert exact["agreement"] == 1
        assert min(exact["latency_ms"], exact["tokens_per_second"]) > 0
        assert exact["metrics"] == live
        assert set(quantized["metrics"]) == {"words"}
        assert f"\n{kind} " in str(report)


def test_weights_are_there_once_for_two_signatures(folder):
    entry = folder[2].manifest
    weights = sum(weight.numpy().nbytes for weight in StandIn(WIDE).model.weights)

    assert set(entry["signatures"]) == {"serving_default", "attention"}
    assert entry["bytes"] < 0.5 * weights + 50_000


def test_both_files_say_what_the_manifest_promises(folder):
    path, _, _ = folder

    assert export.verify(path / "ids.tflite").passed
    assert export.verify(path / "spoken.tflite").passed


def test_float16_ids_agree_with_the_live_task(folder):
    run = load(folder[0] / "ids.tflite").run
    ids = np.array([[4, 9, 11, 0], [5, 6, 7, 8]], "int32")
    expected = StandIn(WIDE).signatures(False)["serving_default"].infer(ids)

    actual = run("serving_default", {"token_ids": ids})

    np.testing.assert_array_equal(actual["token_ids"], expected["token_ids"])
    np.testing.assert_allclose(actual["scores"], expected["scores"], atol=1e-2)


@pytest.mark.thorough
def test_what_a_task_notes_of_the_data_is_shown_once(tmp_path, data, caplog):
    export.litert(StandIn(), tmp_path / "x.tflite", quantize="float16", data=data)

    assert caplog.messages == ["test.tsv: 5 pairs"]
    assert logging.getLogger("keras_attn").level == logging.NOTSET


class Costly(StandIn):
    """A task whose metric sees a loss in every second file that it scores."""

    def __init__(self):
        super().__init__(WIDE)
        self.scored = []

    def evaluate_artifact(self, artifact, data):
        assert artifact.run("serving_default", {"token_ids": np.array([[4, 5]], "int32")})
        self.scored.append(80.0 - 3 * len(self.scored))
        return {"words": self.scored[-1], "other": 0.0}


@pytest.mark.thorough
def test_a_file_that_costs_too_much_is_refused(tmp_path, data):
    with pytest.raises(export.VerificationError, match="max drop .words 80 -> 77, allowed drop 2"):
        export.litert(Costly(), tmp_path / "x.tflite", quantize="int8", data=data, max_drop=2)

    assert os.listdir(tmp_path) == ["x.tflite.report.json"]


def test_an_operator_that_litert_lacks_is_named_with_its_layer(tmp_path):
    place = r"no operator for: BitwiseAnd \([a-z0-9_]+/odd_layer[0-9_]*/BitwiseAnd\)"
    with pytest.raises(export.VerificationError, match=place):
        export.litert(flexible(), tmp_path / "x.tflite")

    assert os.listdir(tmp_path) == ["x.tflite.report.json"]


def test_bad_arguments(tmp_path, data):
    task, path = StandIn(), tmp_path / "x.tflite"
    (tmp_path / "manifest.json").write_text('{"name": "an app"}')
    (tmp_path / "folder.tflite").mkdir()

    with pytest.raises(ValueError, match=r"quantize must be one of .*'int8'.*received 'int3'"):
        export.litert(task, path, quantize="int3")
    with pytest.raises(ValueError, match="must name a .tflite file"):
        export.litert(task, tmp_path / "x.bin")
    with pytest.raises(ValueError, match="must name a .tflite file"):
        export.litert(task, tmp_path / "folder.tflite")
    with pytest.raises(ValueError, match="max_drop needs quantize and data"):
        export.litert(task, path, max_drop=1.0, quantize="int8")
    with pytest.raises(ValueError, match="not a manifest of exported artifacts"):
        export.litert(task, path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(ValueError, match="There is no file"):
        export.litert(task, path, data=tmp_path / "none.tsv")
    with pytest.raises(ValueError, match="a bare Keras model has no metric"):
        export.litert(flexible(), path, data=data)
    assert os.listdir(tmp_path) == ["folder.tflite"]


def test_a_sum_over_no_tokens_is_an_error_of_the_runtime():
    """No crash, and the file can still be used; docs/how-to says that there have to be some."""
    table, layer = keras.layers.Embedding(17, 5), AttentionPooling()
    model = keras.Sequential([keras.Input((None,), dtype="int32"), table, layer])
    specs = {"ids": tf.TensorSpec((None, None), "int32")}
    pool = in_litert(lambda ids: model(ids), specs, model.weights)
    tokens = np.array([[3, 9, 16], [5, 2, 1]], "int32")

    assert not np.any(model(tokens[:, :0]))
    with pytest.raises(RuntimeError, match="failed to prepare"):
        pool(ids=tokens[:, :0])
    np.testing.assert_allclose(pool(ids=tokens), model(tokens), rtol=1e-6, atol=1e-6)
