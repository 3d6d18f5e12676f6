"""The worker process: what it imports, how it fails, and what it reads from messages."""

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import export
from export import processes
from export.processes import ProcessFailed, run_in_worker
from export.worker.convert import _missing
from export.worker.operators import refused
from export.worker.probes import Probe, load_probes, save_probes
from export.worker.server import FORKS, IDLE

EXPORT = Path(export.__file__).parent

PROBE = """
import json, sys
sys.path.append(sys.argv[1])
from worker import isolation
isolation.hide_library()
import tensorflow, tensorflow_text
hidden = []
for name in isolation.FORBIDDEN:
    try:
        __import__(name)
    except ModuleNotFoundError:
        hidden.append(name)
print(json.dumps([hidden, isolation.imported_library(), "tensorflow_text" in sys.modules]))
"""


@pytest.mark.thorough
def test_the_library_cannot_be_imported_where_artifacts_are_judged():
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE, str(EXPORT)], capture_output=True, text=True
    )

    hidden, imported, text = json.loads(done.stdout.splitlines()[-1])
    assert hidden == ["keras_attn", "zoo", "export", "keras"]
    assert imported == []
    assert text


def test_an_import_in_spite_of_that_is_seen(monkeypatch):
    from export.worker.isolation import imported_library

    assert "keras" in imported_library()
    assert "export.worker.isolation" in imported_library()


def test_worker_code_imports_no_library_and_no_sibling_outside():
    for file in (EXPORT / "worker").glob("*.py"):
        source = file.read_text()
        assert not any(
            f"{word} {name}" in source
            for word in ("import", "from")
            for name in ("keras", "keras_attn", "zoo", "export")
        ), file.name


def test_a_process_that_dies_is_a_failure_with_its_last_words(tmp_path):
    with pytest.raises(ProcessFailed, match="ended with status 1: KeyError: 'entry'"):
        run_in_worker("check", {"folder": str(tmp_path), "name": "x"})


def test_a_crash_of_the_runtime_is_a_failed_check(tmp_path, monkeypatch):
    from export import manifest

    entry = {"format": "litert", "probes": "p", "strings": False, "beside": {}}
    entry |= {"signatures": {}, "invariances": {}, "sha256": {"artifact": "", "probes": ""}}
    manifest.write(tmp_path, {"artifacts": {"x": entry}})
    (tmp_path / "x").write_text("")
    server = processes.WorkerServer(crashing(tmp_path / "a server"))
    monkeypatch.setattr(processes, "_server", server)

    report = export.verify(tmp_path / "x")
    server.stop()

    assert not report.passed
    assert [check.name for check in report.failed] == ["worker process"]


def crashing(folder):
    """A package that serves as the worker does, without TensorFlow, and whose check crashes."""
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    for name in ("server", "isolation"):
        source = (EXPORT / "worker" / f"{name}.py").read_text()
        source = source.replace("import tensorflow", "import json")
        (folder / f"{name}.py").write_text(source)
    (folder / "check.py").write_text("import os\ndef main(job): os.abort()")
    where = (
        "import os, sys\ndef main(job): print(job, flush=True); return [os.getpid(), os.getppid()]"
    )
    (folder / "where.py").write_text(where)
    return folder


def ask(server, module, file):
    """The exit code and the answer of a job."""
    file.write_text('{"number": 3}')
    code = server.ask(module, file)
    answer = Path(f"{file}.answer")
    return code, json.loads(answer.read_text()) if answer.exists() else None


@pytest.mark.skipif(not FORKS, reason="one job a server here")
def test_jobs_are_children_of_one_process_and_do_not_end_it(tmp_path):
    server = processes.WorkerServer(crashing(tmp_path / "worker"))
    (_, (first, parent)), (_, (second, again)) = (
        ask(server, "where", tmp_path / name) for name in "ab"
    )
    assert first != second and parent == again != os.getpid()
    assert ask(server, "check", tmp_path / "c") == (-signal.SIGABRT, None)
    assert ask(server, "where", tmp_path / "d")[1][1] == parent
    assert (tmp_path / "d.printed").read_text() == "{'number': 3}\n"
    assert ask(server, "missing", tmp_path / "e") == (1, None)
    assert "No module named" in (tmp_path / "e.printed").read_text()
    server.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(parent, 0)
    assert ask(server, "where", tmp_path / "f")[1][1] != parent
    server.stop()


@pytest.mark.skipif(not FORKS, reason="one job a server here")
def test_a_server_that_ended_for_want_of_jobs_is_started_again(tmp_path):
    server = processes.WorkerServer(crashing(tmp_path / "worker"), idle_seconds=0.01)
    server.start()
    first = server._process
    os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
    first.poll = iter([None, IDLE, IDLE]).__next__  # it went between the look and the question
    server.idle_seconds = 60.0
    assert ask(server, "where", tmp_path / "a")[1][1] == server._process.pid != first.pid
    server.stop()


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Some ops are not supported\nTF Select ops: Erf, Mod\nDetails:", ["Erf", "Mod"]),
        ("error: 'tf.TensorListReserve' op requires element_shape", ["TensorListReserve"]),
        (
            '<unknown>:0: error: loc(callsite(fused["Roll:", "a/Roll@b"] at '
            'fused["Call:", "c@d"])): bad',
            ["Roll (a/Roll)"],
        ),
        (
            'error: loc(fused["Mod:", "a/b/Mod@f"]): no\nerror: loc(fused["Mod:", "c/Mod@f"]): no\n'
            "TF Select ops: Mod\nCustom ops: Erfinv",
            ["Erfinv", "Mod (a/b/Mod)"],
        ),
        ("out of memory", []),
    ],
)
def test_the_operators_of_a_converters_message(message, names):
    assert _missing(message) == names


def test_what_is_refused():
    lite = {"ADD": 3, "custom:FlexErf": 1, "custom:TFText>WhitespaceTokenizeWithOffsetsV2": 1}
    mine = {"MatMul": 1, "_XlaMustCompile": 2, "SaveV2 of weights": 1}
    foreign = {"EagerPyFunc": 1, "ReadFile": 2, "WriteFile": 1, "SaveV2": 1, "Print": 1, "MyOwn": 1}

    flex, text = list(lite)[1:]
    assert refused(lite, "litert", strings=False, xla=False) == [flex, text]
    assert refused(lite, "litert", strings=True, xla=False) == [flex]
    assert refused(mine, "saved_model", strings=False, xla=False) == ["_XlaMustCompile"]
    assert refused(mine | foreign, "saved_model", strings=True, xla=True) == list(foreign)
    assert refused({text[7:]: 1}, "saved_model", strings=False, xla=False) == [text[7:]]
    assert refused({text[7:]: 1}, "saved_model", strings=True, xla=False) == []


def test_probes_come_back_as_they_were(tmp_path):
    texts = np.array(["帽 é", "", "plain"], object)
    calls = [
        Probe({"text": texts}, {"score": np.float32([0.5, -1, 2])}),
        Probe({"text": texts[:1]}, {"score": np.float32([3])}),
    ]

    save_probes(tmp_path / "p.npz", {"serving_default": calls})

    (loaded,) = load_probes(tmp_path / "p.npz").values()
    assert [text.decode() for text in loaded[0].inputs["text"]] == list(texts)
    np.testing.assert_array_equal(loaded[1].outputs["score"], [3])
    assert loaded[0].outputs["score"].dtype == "float32"


def test_texts_and_files_of_probes_keep_the_zeros_at_their_end(tmp_path):
    """Texts of any length cost what they have; NumPy's own bytes cost as much as the longest."""
    texts = np.array([[b"a red dog\0", b""], ["é", b"\xff\0\0"]], object)
    save_probes(tmp_path / "p.npz", {"x": [Probe({"text": texts}, {"text": texts[:0]})]})
    ((inputs, outputs),) = load_probes(tmp_path / "p.npz")["x"]
    assert inputs["text"].tolist() == [[b"a red dog\0", b""], ["é".encode(), b"\xff\0\0"]]
    assert outputs["text"].shape == (0, 2) and outputs["text"].dtype == object


def test_probes_of_older_exports(tmp_path):
    np.savez_compressed(tmp_path / "p.npz", **{"x/0/in/text": np.array([b"a", b"bc"])})
    (probe,) = load_probes(tmp_path / "p.npz")["x"]
    assert probe.inputs["text"].tolist() == [b"a", b"bc"]


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stream:
        for name, content in members.items():
            stream.writestr(f"{name}.npy", content)
    return path


def header(shape, dtype="<f4"):
    stream = io.BytesIO()
    facts = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, facts)
    return stream.getvalue()


SMALL = {
    "a number of a probe": {"x/9999999/in/a": header(()) + bytes(4)},
    "a negative number": {"x/-1/in/a": header(()) + bytes(4)},
    "a shape": {"x/0/in/a": header((1 << 28,))},
    "a shape of nothing": {"x/0/in/a": header((1 << 40, 0, 1 << 40))},
    "a negative shape": {"x/0/in/a": header((-1, -1)) + bytes(4)},
    "objects": {"x/0/in/a": header((1,), "|O") + bytes(8)},
    "lengths": {"x/0/in/a": header((3,), "|u1") + b"abc", "x/0/in_lengths/a": header((1,), "<i8")},
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_of_probes_takes_little_memory(name, tmp_path):
    path = archive(tmp_path / "p.npz", SMALL[name])
    tracemalloc.start()
    with suppress(ValueError, KeyError):
        load_probes(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


ASKING = """
import sys
from pathlib import Path
from export.processes import WorkerServer
server = WorkerServer(Path(sys.argv[1]))
Path(sys.argv[2]).write_text("{}")
print("asks", flush=True)
server.ask("endless", Path(sys.argv[2]))
"""


def endless(folder):
    """A package whose job computes without an end, and says in which processes."""
    crashing(folder)
    printed = "print(os.getpid(), os.getppid(), flush=True)"
    (folder / "endless.py").write_text(f"import os\ndef main(job):\n {printed}\n while True: pass")
    return folder


def pids(file):
    """The processes of an endless job, when they are there."""
    end = time.monotonic() + 30
    while not (printed := Path(f"{file}.printed")).exists() or not printed.read_text().strip():
        assert time.monotonic() < end
        time.sleep(0.02)
    return [int(each) for each in printed.read_text().split()]


def wait_until_gone(processes):
    end = time.monotonic() + 10
    while any(is_there(each) for each in processes):
        assert time.monotonic() < end, "the worker is left"
        time.sleep(0.05)


def is_there(process):
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not FORKS, reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_with_who_asked_it(number, tmp_path):
    script = [sys.executable, "-c", ASKING, endless(tmp_path / "worker"), tmp_path / "job"]
    asks = subprocess.Popen([*map(str, script)], cwd=EXPORT.parent, stdout=subprocess.DEVNULL)
    processes = pids(tmp_path / "job")
    asks.send_signal(number)
    asks.wait()
    wait_until_gone(processes)


@pytest.mark.skipif(not FORKS, reason="needs /proc")
def test_a_job_has_a_time_limit(tmp_path):
    server = processes.WorkerServer(endless(tmp_path / "worker"))
    (tmp_path / "job").write_text("{}")
    threading.Timer(0, server.start).start()
    with pytest.raises(TimeoutError):
        server.ask("endless", tmp_path / "job", 2.0)
    wait_until_gone(pids(tmp_path / "job"))
    assert ask(server, "where", tmp_path / "next")[0] == 0
    server.stop()


def test_a_verification_has_a_time_limit(exported):
    report = export.verify(exported / "lines.tflite", timeout=0.001)
    (check,) = report.failed
    assert check.detail == "it took longer than 0.001 seconds"
