"""The C program among the examples gives the task's answers."""

import shutil
import subprocess
from pathlib import Path

import ai_edge_litert
import pytest

from tests.clients.conftest import SIZE

SOURCE = Path(__file__).parents[2] / "examples" / "text.c"
LIBRARY = Path(ai_edge_litert.__file__).parent
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.skipif(
        not (LIBRARY / "libLiteRt.so").exists(), reason="the package has no C library here"
    ),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    program = tmp_path_factory.mktemp("c") / "text"
    linked = ["-L", LIBRARY, "-l", "LiteRt", f"-Wl,-rpath,{LIBRARY}", "-o", program]
    subprocess.run(["cc", "-Wall", "-Wextra", SOURCE, *linked], check=True)

    def answer(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=100)

    return answer


@pytest.mark.thorough(1)
def test_texts(run, exported):
    for text, expected in exported.answers.items():
        done = run(exported.path, text)
        assert (done.returncode, done.stdout) == (0, expected + "\n"), done.stderr
        assert "the text was cut" not in done.stderr
    assert "the text was cut" in run(exported.path, "a " * SIZE).stderr


def test_texts_token_by_token(run, streamed):
    for text, expected in streamed.answers.items():
        done = run("--stream", streamed.path, text)
        assert (done.returncode, done.stdout) == (0, expected + "\n"), done.stderr
    assert "the text was cut" in run("--stream", streamed.path, "a " * SIZE).stderr


@pytest.mark.long
def test_a_file_that_does_not_stream(run, exported):
    done = run("--stream", exported.path, "a")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the file has no stream_start" in done.stderr


def test_a_missing_file(run, tmp_path):
    done = run(tmp_path / "x.tflite", "a")
    assert done.returncode == 1
    assert "LiteRtCreateModelFromFile" in done.stderr
