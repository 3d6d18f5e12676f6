"""Files for MediaPipe: one graph, metadata, and the files behind the model."""

import json
import re
import zipfile
from dataclasses import dataclass

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from flatbuffers import encode, number_types, table

import export
from export.flatbuffer import Table, write
from keras_attn import LSTM
from tests.export.parts import Tensor, of_features
from tests.export.tasks import Task

PIXELS = (5, 7, 3)


@dataclass(frozen=True)
class Metadata:
    name: str = "ImageClassifier"
    description: str = "Classifies images."
    vocabulary: str | None = None
    labels: str | None = "éins\ntwo\n"


class Images(Task):
    """Images -> scores."""

    length = None

    def __init__(self, layer=None, misread=()):
        image = keras.Input(PIXELS, name="image")
        x = layer(keras.layers.Reshape((5, 21))(image)) if layer else image
        x = keras.layers.Dense(2)(keras.layers.Flatten()(x))
        super().__init__(keras.Model(image, x), "images")
        self.wrong = list(misread)

    def for_mediapipe(self, length=None):
        return self

    def metadata(self):
        return Metadata()

    def misread(self):
        return self.wrong

    def signatures(self, text, litert=False):
        image = {"image": Tensor(("batch", *PIXELS), "float32")}
        parts = of_features(
            image, lambda image: {"scores": self.model(image)}, {"scores": ("batch", 2)}
        )
        return {"serving_default": parts}

    def probes(self, **generation):
        random = np.random.default_rng(2)
        return {"serving_default": [{"image": random.normal(size=(3, *PIXELS)).astype("float32")}]}


def test_the_file_has_metadata_and_its_files_behind_it(tmp_path):
    task, path = Images(), tmp_path / "images.tflite"
    report = export.mediapipe(task, path)
    assert report.passed and export.verify(path).passed
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["labels.txt"]
        assert archive.getinfo("labels.txt").compress_type == zipfile.ZIP_STORED
        assert archive.read("labels.txt").decode() == "éins\ntwo\n"
    content = path.read_bytes()
    assert b"TFLITE_METADATA" in content and b"M001" in content
    run = Interpreter(str(path)).get_signature_runner("serving_default")
    image = task.probes()["serving_default"][0]["image"][:1]
    np.testing.assert_allclose(run(image=image)["scores"], task.model(image), atol=1e-5)


def test_recurrent_layers_are_unrolled(tmp_path):
    path = tmp_path / "images.tflite"
    task = Images(LSTM(4, return_sequences=True))
    assert export.mediapipe(task, path).passed
    entry = json.loads((tmp_path / "manifest.json").read_text())["artifacts"][path.name]
    assert "WHILE" not in entry["operators"]
    assert not task.model.layers[2].unroll


class Looping(keras.layers.Layer):
    def call(self, x):
        return keras.ops.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, x * 2 + x[:, :1]), (0, x)
        )[1]


def test_a_loop_is_named(tmp_path):
    with pytest.raises(export.VerificationError) as error:
        export.mediapipe(Images(Looping(name="looping")), tmp_path / "images.tflite")
    assert "MediaPipe takes files of a single graph, and there is a loop in" in str(error.value)
    assert re.search(r"/looping(_\d+)?/while", str(error.value))
    assert [each.name for each in tmp_path.iterdir()] == ["images.tflite.report.json"]


def test_what_mediapipe_reads_otherwise_is_refused(tmp_path):
    task = Images(misread=["a text"])
    with pytest.raises(export.VerificationError) as error:
        export.mediapipe(task, tmp_path / "images.tflite")
    assert "MediaPipe reads the task's inputs (not 'a text')" in str(error.value)


def test_what_is_no_task_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^MediaPipe runs tasks; received Sequential\.$"):
        export.mediapipe(keras.Sequential(), tmp_path / "a.tflite")


def test_a_flatbuffer_has_what_was_written():
    written = write(
        Table({0: "naïve", 2: 7, 3: [1.5, -2.0], 5: [Table({1: "b"}), Table({})]}), b"ABCD"
    )
    root = table.Table(written, encode.Get(number_types.UOffsetTFlags.packer_type, written, 0))

    def place(each, field):
        offset = each.Offset(4 + 2 * field)
        return each.Pos + offset if offset else None

    assert written[4:8] == b"ABCD"
    assert root.String(place(root, 0)) == "naïve".encode() and place(root, 1) is None
    assert root.Get(number_types.Uint8Flags, place(root, 2)) == 7
    numbers = root.GetVectorAsNumpy(number_types.Float32Flags, root.Offset(4 + 2 * 3))
    assert numbers.tolist() == [1.5, -2.0]
    assert root.VectorLen(root.Offset(4 + 2 * 5)) == 2
    begin = root.Vector(root.Offset(4 + 2 * 5))
    first = table.Table(written, root.Indirect(begin))
    assert first.String(place(first, 1)) == b"b"
