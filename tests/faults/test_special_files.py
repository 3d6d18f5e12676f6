"""Files beside artifacts that are no texts are refused by who verifies and by who serves."""

import pytest

import export
from export.serving import open_artifact
from tests.faults.damage import forge, specials

NAMES = {
    "saved_model": "served",
    "litert": "ids.tflite",
    "onnx": "onnx",
    "web": "site",
    "mediapipe": "task.tflite",
}
REFUSED = "must not be loaded: sha256|must not be loaded: operators|manifest.json|no artifact"


@pytest.fixture(params=NAMES)
def artifact(request, task, tmp_path):
    """A kind of artifact, and one alone in a folder."""
    path = tmp_path / "own" / NAMES[request.param]
    try:
        getattr(export, request.param)(task, path)
    except ValueError as error:
        assert any(word in str(error) for word in ("LiteRT", "ONNX", "page", "MediaPipe"))
        pytest.skip(str(error))
    return request.param, path


def refused(artifact):
    """The sentences of `serve` and of `verify`."""
    with pytest.raises(ValueError, match=REFUSED) as served:
        open_artifact(artifact)
    try:
        report = export.verify(artifact)
    except ValueError as error:
        return str(served.value), str(error)
    assert not report.passed
    return str(served.value), report.failed[0].detail


def test_in_the_place_of_each_file_of_an_artifact(artifact, task, attack):
    kind, artifact = artifact
    tried = attack("special files", f"{kind} of {task.name}")
    for file in sorted(each for each in artifact.parent.rglob("*") if each.is_file()):
        for _ in specials(file):
            for sentence in refused(artifact):
                assert "\n" not in sentence and "Traceback" not in sentence
            tried()
    open_artifact(artifact)


def test_texts_that_are_no_texts_in_a_manifest_that_says_so(artifact, task, attack):
    """Whoever changes a file may change its digest, too."""
    kind, artifact = artifact
    tried = attack("texts that are none", f"{kind} of {task.name}")
    version = artifact / {"saved_model": "1", "web": "model.tflite"}.get(kind, "")
    names = ("*labels.txt", "*SIGNATURES.md")
    text = next(each for name in names for each in artifact.parent.rglob(name))
    text.write_bytes(b"bad\xff\n")
    forge(version)
    assert all(f"{text.name} is not UTF-8 text (byte 3)" in each for each in refused(artifact))
    tried()
    text.unlink()
    text.mkdir()
    forge(version)
    assert all(f"{text.name} is " in each and "regular file" in each for each in refused(artifact))
    tried()
