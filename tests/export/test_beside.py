"""What lies beside an artifact: its vocabulary, and a page whose code runs without this library."""

import os

import pytest

import export
from export.serving import _texts_beside
from export.worker import digest
from export.worker.check import Held, held, texts_of_onnx
from export.worker.snapshot import snapshot
from tests.export.models import tagger
from tests.export.parts import of_features
from tests.export.standin import VOCABULARY, StandIn
from tests.export.tasks import Tagger
from tests.pages import said


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("beside")


@pytest.fixture(scope="module")
def spoken(folder):
    return export.litert(StandIn(), folder / "spoken.tflite", text="strings")


@pytest.mark.thorough
def test_the_files_of_a_litert_file_have_its_name(folder, spoken):
    assert spoken.manifest["beside"].keys() == {
        "spoken.tflite.SIGNATURES.md",
        "spoken.tflite.vocabulary.txt",
    }
    vocabulary = (folder / "spoken.tflite.vocabulary.txt").read_text("utf-8")
    assert vocabulary.split("\n") == VOCABULARY


@pytest.mark.long
def test_the_code_for_a_litert_file_of_texts_runs(folder, spoken):
    default, tokens, attention = said(folder / "spoken.tflite.SIGNATURES.md", folder)
    assert default.startswith("score [-") and "\ntext [b'" in default
    assert "token_ids [[" in tokens and "attention [[[" in attention


@pytest.mark.thorough
def test_the_code_for_a_saved_model_runs(folder):
    export.saved_model(StandIn(), folder / "served")
    served = folder / "served"
    default, tokens, _ = said(served / "1" / "assets.extra" / "SIGNATURES.md", served)
    assert "text [b'" in default and "score [-" in default
    assert "token_ids [[" in tokens
    page = served / "1" / "assets.extra" / "SIGNATURES.md"
    assert "| output | `score` | float32 | (batch) |" in page.read_text("utf-8")  # has no order


@pytest.mark.thorough
def test_the_code_for_a_keras_model_runs(folder):
    export.litert(tagger(), folder / "model.tflite")
    path = folder / "model.tflite.SIGNATURES.md"
    (actual,) = said(path, folder)
    assert actual.startswith("logits [[[") and "\npooled [[" in actual
    text = path.read_text("utf-8")
    assert " | `token_ids` | int32 | (batch, token_ids_1) | `0` |  |" in text
    assert " | `pooled` | float32 | (batch, 3) |  |  |" in text
    assert "built-in operators of LiteRT only" in text and "Shorter rows" in text


class Worded(Tagger):
    """A task that says what its tensors are."""

    def signatures(self, text, litert=False):
        ids = {"token_ids": super().signatures(False)["serving_default"].inputs["token_ids"]}
        outputs = {"scores": ("batch", "length", 3), "class_id": ("batch", "length")}
        meanings = {"scores": "a | b"}
        words = {"purpose": "Tags words.", "meanings": meanings, "invariances": ("batch",)}
        return {"serving_default": of_features(ids, self.infer, outputs, **words)}


def test_outputs_are_in_their_order_and_in_words(folder):
    export.litert(Worded(), folder / "tags.tflite")
    text = (folder / "tags.tflite.SIGNATURES.md").read_text("utf-8")
    assert "Tags words." in text and "Shorter rows" not in text
    assert "| output 0 | `scores` | float32 | (batch, length, 3) |  | a \\| b |" in text
    assert "| output 1 | `class_id` | int32 | (batch, length) |  |  |" in text

    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(folder / "tags.tflite"))
    shapes = [len(each["shape"]) for each in interpreter.get_output_details()]
    assert shapes == [3, 2]


@pytest.mark.thorough
@pytest.mark.parametrize("harm", ["missing", "changed"])
def test_a_file_that_is_missing_or_changed_is_noticed(folder, spoken, harm):
    path = folder / "spoken.tflite.vocabulary.txt"
    content = path.read_bytes()
    path.unlink()
    if harm == "changed":
        path.write_bytes(content + b"x")
    (failed,) = export.verify(folder / "spoken.tflite").failed
    path.write_bytes(content)

    assert failed.name == "sha256 spoken.tflite.vocabulary.txt"
    assert harm == "changed" or failed.detail.startswith("missing")


def test_a_manifest_cannot_name_files_outside_of_its_folder(tmp_path):
    """Else the report would tell the digests of a reader's other files."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "served").mkdir()
    names = {"../secret.txt": digest.sha256(tmp_path / "secret.txt"), "/etc/hostname": "0"}
    entry = {"beside": names, "probes": "probes.npz", "sha256": {"artifact": "", "probes": ""}}
    with held(tmp_path / "served", "x.tflite", entry) as read:
        _, _, *actual = read.checks
    assert [each["passed"] for each in actual] == [False, False]
    assert all(each["detail"].startswith("missing") for each in actual)


def test_texts_beside_onnx_files_are_read_and_nothing_else(tmp_path):
    folder = tmp_path / "model"
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    (folder / "labels.txt").write_text("bad\ngood\n", "utf-8")
    (folder / "serving_default.onnx").write_bytes(b"\0")

    with snapshot(folder) as actual:
        texts = texts_of_onnx(folder, actual.source)
        assert texts == {"model/labels.txt": "bad\ngood\n"}
        assert _texts_beside("labels", Held(beside=texts)) == {"labels.txt": "bad\ngood\n"}
    (folder / "vocabulary.txt").mkdir()
    with snapshot(folder) as actual, pytest.raises(ValueError, match="vocabulary.txt is a folder"):
        texts_of_onnx(folder, actual.source)
    (folder / "vocabulary.txt").rmdir()
    (folder / "vocabulary.txt").write_bytes(b"a man\nr\xe9d\n")
    with snapshot(folder) as actual, pytest.raises(ValueError, match=r"not UTF-8 text \(byte 7\)"):
        texts_of_onnx(folder, actual.source)
    (folder / "vocabulary.txt").unlink()
    (tmp_path / "secret").write_text("", "utf-8")
    for make in (lambda path: path.symlink_to(tmp_path / "secret"), os.mkfifo):
        make(folder / "vocabulary.txt")
        with pytest.raises(ValueError, match="vocabulary.txt is "), snapshot(folder):
            pass
        (folder / "vocabulary.txt").unlink()
