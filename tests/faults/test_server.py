"""A server, called by a crowd of which half is hostile, answers the others as it does alone."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, cycle, islice

import numpy as np
import pytest

import export
from benchmarks.servers import SERVE, answers, free_port, started
from tests.faults.callers import memory
from tests.faults.test_callers import check_flat
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.tasks.stand_in import scramble

CALLERS, ROUNDS, REQUESTS = 100, 16, 400
PREDICT = "/v1/models/model:predict"
REFUSED = [
    b"",
    b"{",
    b"[]",
    b"\xff\xfe\x00",
    b'{"instances": [NaN]}',
    b'{"instances": []}',
    b'{"instances": [3]}',
    b'{"instances": [[["a"]]]}',
    b'{"instances": [{"b64": "!"}]}',
    b'{"instances": ["a"], "inputs": ["a"]}',
    b'{"instances": ["a"], "signature_name": []}',
    b'{"a":' + b"[" * 9_999,
    json.dumps({"instances": ["a" * 99_999]}).encode(),
]
# From callers who do not wait for an answer.
UNFINISHED = [
    b"\x16\x03\x01\x00\xff" * 99,
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n{{".encode(),
    b"GET /" + b"x" * 99_999,
]


@pytest.mark.long
@pytest.mark.parametrize("name", ["text_classifier", "text_to_text"])
def test_a_server_of_a_saved_model(name, tmp_path, attack):
    task, texts = scrambled(name, tmp_path / "subject")
    export.saved_model(task, tmp_path / "model")
    tried, port = attack("100 callers", f"server of {task.name}"), free_port()
    program = [*SERVE, str(tmp_path / "model"), "--port", str(port)]
    good = [(text, json.dumps({"instances": [text]}).encode()) for text in texts]
    hostile = [(None, body) for body in REFUSED]
    crowd = chain.from_iterable(zip(cycle(good), cycle(hostile), strict=True))
    grown, milliseconds = [], []
    with started(program, port) as process:
        alone = {text: json.loads(body) for text, _, body, _ in answers(port, PREDICT, good, 1)}
        assert len({str(each) for each in alone.values()}) > 2
        for _ in range(ROUNDS):
            with ThreadPoolExecutor(4) as pool:
                pool.map(lambda content: leave(port, content), UNFINISHED * 5)
                actual = answers(port, PREDICT, islice(crowd, REQUESTS), CALLERS)
            tried(len(actual) + 5 * len(UNFINISHED))
            for text, status, body, seconds in actual:
                if text is None:
                    assert status == 400 and set(json.loads(body)) == {"error"}
                else:
                    same(json.loads(body), alone[text])
                    milliseconds.append(1e3 * seconds)
            grown.append(memory(process.pid))
    check_flat(grown)
    p50, p99 = np.percentile(milliseconds, [50, 99])
    print(f"{task.name}: p50 {p50:.1f} ms, p99 {p99:.1f} ms of {len(milliseconds)} answers")


def scrambled(name, folder):
    """A task whose answers are far from even, and texts for it."""
    subject = Subject(CASES[name], folder)
    task = subject.adapted()
    scramble(task.model)
    return task, subject.case.texts


def leave(port, content):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(content)


def same(actual, expected):
    """Equal, but for the last bits of numbers, since rows are computed together."""
    (actual,), (expected,) = actual["predictions"], expected["predictions"]
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, str | int):
            assert actual[name] == value
        else:
            np.testing.assert_allclose(actual[name], value, rtol=1e-5, atol=1e-5)
