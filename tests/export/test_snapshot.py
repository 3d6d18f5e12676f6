"""What was checked of an artifact is what is used, whatever happens to its files afterwards."""

import os
import shutil

import numpy as np
import pytest

import export
from export import manifest, serving
from export.predictor import _opened
from export.renewing import identity, open_verified
from export.serving import open_artifact
from export.worker import operators
from export.worker.files import NotRegular, read
from export.worker.litert_model import read_model, write_model
from tests.export.models import regressor
from tests.faults.damage import forge, specials

X = np.arange(21, dtype="float32").reshape(3, 7)
PATHS = {"litert": "lines.tflite", "saved_model": "served", "onnx": "lines"}
SPECIAL_FILE = "regular file|symbolic link|missing|the manifest says|no artifact|was it exported"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """An artifact of each format."""
    folder = tmp_path_factory.mktemp("kept")
    for kind, name in PATHS.items():
        getattr(export, kind)(regressor(), folder / kind / name)
    return folder


@pytest.fixture(params=PATHS)
def artifact(request, kept, tmp_path):
    """A copy to change."""
    shutil.copytree(kept / request.param, tmp_path / "own")
    path = tmp_path / "own" / PATHS[request.param]
    return path / "1" if request.param == "saved_model" else path


def answer(run):
    return run("serving_default", {"input_0": X})["output_0"]


def expected():
    return regressor()(X)


def whole(path):
    return [file for file in [path, *path.rglob("*")] if file.is_file()]


def change_in_place(path):
    """Flips each byte of every file, without another file in its place."""
    for file in whole(path):
        with file.open("r+b") as stream:
            content = bytes(255 - each for each in stream.read())
            stream.seek(0)
            stream.write(content)


def cut_off(path):
    for file in whole(path):
        os.truncate(file, 0)


@pytest.mark.parametrize("change", [change_in_place, cut_off])
def test_an_open_artifact_answers_as_before(artifact, change, attack):
    tried = attack(
        f"{change.__name__.replace('_', ' ')}, of served files", f"{artifact.name} of a Keras model"
    )
    run, predict = open_artifact(artifact).run, export.Predictor(artifact).load()
    before = identity(artifact)
    change(artifact)
    np.testing.assert_allclose(answer(run), expected(), rtol=1e-5)
    np.testing.assert_allclose(predict(X)["output_0"], expected(), rtol=1e-5)
    assert identity(artifact) != before
    tried()
    _opened.cache_clear()
    with pytest.raises(ValueError, match="must not be loaded: sha256 artifact"):
        predict(X)


def test_what_is_loaded_is_what_was_hashed(artifact, monkeypatch):
    """Files that change after they were hashed are not those that are loaded."""
    load = serving.load

    def late(source, *rest):
        change_in_place(artifact)
        return load(source, *rest)

    monkeypatch.setattr(serving, "load", late)
    np.testing.assert_allclose(answer(open_artifact(artifact).run), expected(), rtol=1e-5)


def test_nothing_private_is_left(artifact, monkeypatch, tmp_path):
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(own))
    open_artifact(artifact)
    assert export.verify(artifact).passed
    assert [*own.iterdir()] == []


def test_a_manifest_that_changes_after_its_signature_was_checked(artifact, monkeypatch):
    """The entry that is used is in the content that was signed."""
    folder, name = serving.locate(artifact)
    told = (folder / manifest.FILE).read_bytes()

    def signed(_, content, key):
        assert content == told
        forge(folder / name, format="none")
        return export.report.Check("signed manifest", True, "")

    monkeypatch.setattr(serving, "check_signature", signed)
    np.testing.assert_allclose(answer(open_artifact(artifact, "key").run), expected(), rtol=1e-5)


def test_special_files_in_place_of_each_file(artifact, attack):
    """No file of an artifact is waited for, or read from elsewhere; nothing is loaded."""
    tried = attack("special files", f"{artifact.name} of a Keras model")
    for file in whole(artifact.parent):
        for _ in specials(file):
            with pytest.raises(ValueError, match=SPECIAL_FILE):
                open_artifact(artifact)
            tried()
    np.testing.assert_allclose(answer(open_artifact(artifact).run), expected(), rtol=1e-5)


@pytest.mark.thorough
def test_nor_does_a_verification_wait(artifact, attack):
    tried = attack("special files, verified", f"{artifact.name} of a Keras model")
    for file in whole(artifact.parent):
        for _ in specials(file):
            try:
                report = export.verify(artifact)
            except ValueError as error:
                assert "no artifact at" in str(error) or manifest.FILE in str(error)
            else:
                assert report.failed and all(x.name.startswith("sha256") for x in report.checks)
            tried()


def test_reading_has_a_limit(tmp_path):
    (tmp_path / "x").write_bytes(bytes(11))
    assert read(tmp_path / "x", 11) == bytes(11)
    with pytest.raises(ValueError, match="has more than 10 bytes"):
        read(tmp_path / "x", 10)
    with pytest.raises(NotRegular, match="zero is not a regular file"):
        read("/dev/zero", 10)


def test_a_litert_file_that_names_another_one(kept, tmp_path):
    """`CompiledModel` would read its weights from there."""
    from ai_edge_litert import schema_py_generated as schema

    model = read_model((kept / "litert" / PATHS["litert"]).read_bytes())
    group = schema.ExternalBufferGroupT()
    group.name = b"../secret.bin"
    model.externalBufferGroups = [group]
    content = write_model(model)
    with pytest.raises(ValueError, match=r"reads weights from another file: '\.\./secret\.bin'"):
        operators.litert_operators(content)
    model.externalBufferGroups = None
    operators.litert_operators(write_model(model))
    model.subgraphs[0].tensors[0].externalBuffer = 1
    with pytest.raises(ValueError, match="reads weights from another file"):
        operators.litert_operators(write_model(model))


def test_a_newer_version_is_verified_before_it_is_opened(artifact):
    np.testing.assert_allclose(answer(open_verified(artifact).run), expected(), rtol=1e-5)
    change_in_place(artifact)
    with pytest.raises(ValueError, match="must not be loaded: sha256 artifact"):
        open_verified(artifact)
