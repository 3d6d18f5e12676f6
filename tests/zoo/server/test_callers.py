"""Callers who vanish, who are slow, who send much, and a server that is told to stop."""

import http.client
import json
import socket
import threading
import time
from dataclasses import replace

import pytest

from tests.zoo.server.serving import serving
from tests.zoo.server.test_server import MODEL, PREDICT, SUMS
from zoo.server import run
from zoo.server.limits import RequestLimits
from zoo.server.servable import Servable

SECONDS = 0.05  # of each batch


class Slow:
    """Sums that take a while, and remember how many rows each batch had."""

    def __init__(self):
        self.batches = []

    def __call__(self, arrays):
        time.sleep(SECONDS)
        self.batches.append(len(arrays["ids"]))
        return {"sum": arrays["ids"].sum(1)}

    @property
    def servable(self):
        outputs = {"sum": SUMS.outputs["sum"]}
        signature = replace(SUMS, run=self, outputs=outputs)
        return Servable("sums", {"serving_default": signature}, stream=self.stream)

    def stream(self, text):
        for piece in range(1000):
            time.sleep(SECONDS)
            yield str(piece)


def send(client, body, path=PREDICT):
    """A connection that has sent a request, and not read its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
    connection.request("POST", path, json.dumps(body))
    return connection


@pytest.mark.parametrize("key", ["instances", "inputs"])
def test_what_nobody_waits_for_is_not_computed(key, attack):
    tried, slow = attack("abandoned requests", f"server, {key}"), Slow()
    with serving(slow.servable, max_batch=8) as client:
        for _ in range(4):
            connection = send(client, {key: [[1, 2]] * 1000})
            time.sleep(SECONDS)
            connection.close()
            tried()
        assert client.ask(PREDICT, {"instances": [[3]]}) == (200, {"predictions": [3]})
    assert sum(slow.batches) < 200  # of 4001


def test_who_sends_much_does_not_hold_up_others():
    slow = Slow()
    with serving(slow.servable, max_batch=8) as client:
        much = send(client, {"inputs": [[1, 2]] * 400})
        while not slow.batches:
            time.sleep(0.001)
        start = len(slow.batches)
        assert client.ask(PREDICT, {"instances": [[3]]})[0] == 200
        assert len(slow.batches) - start <= 4  # of 50
        assert json.loads(much.getresponse().read()) == {"outputs": [3] * 400}
        much.close()


def test_columns_are_computed_in_batches_and_united():
    seen = []

    def running(arrays):
        seen.append(arrays["ids"].shape)
        return {"sum": arrays["ids"].sum(1), "running": arrays["ids"].cumsum(1).astype("float32")}

    signature = replace(SUMS, run=running)
    with serving(Servable("sums", {"serving_default": signature}), max_batch=2) as client:
        actual = client.ask(PREDICT, {"inputs": [[1, 2], [3, 4], [5, 6]]})
    expected = {"sum": [3, 7, 11], "running": [[1.0, 3.0], [3.0, 7.0], [5.0, 11.0]]}
    assert actual == (200, {"outputs": expected}) and max(seen) <= (2, 2)


def test_a_slow_body_does_not_outlive_twice_the_time():
    with serving(Slow().servable, RequestLimits(seconds=0.5)) as client:
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=20)
        head = f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n"
        connection.sendall(head.encode())
        start = time.monotonic()
        with pytest.raises(OSError, match="reset|Broken pipe"):
            while time.monotonic() < start + 20:
                connection.sendall(b" ")
                time.sleep(0.02)
        connection.close()
    assert time.monotonic() - start < 1.4


def test_a_server_that_stops_says_so(monkeypatch, caplog):
    monkeypatch.setattr(run, "FINISH", 0.3)
    slow = Slow()
    with serving(slow.servable, max_batch=1) as client:
        waits = send(client, {"instances": [[1]] * 1000})
        streams = send(client, {"text": "a"}, f"{MODEL}:stream")
        pieces = streams.getresponse()
        first = pieces.readline()
    answer = waits.getresponse()
    assert (answer.status, json.loads(answer.read())) == (503, {"error": "the server stops"})
    assert json.loads(first) == {"text": "0"}
    assert json.loads(pieces.read().splitlines()[-1]) == {"error": "the server stops"}
    assert "Traceback" not in caplog.text
    waits.close(), streams.close()


def test_a_body_that_is_not_there_when_the_server_stops(monkeypatch, caplog):
    monkeypatch.setattr(run, "FINISH", 0.1)
    monkeypatch.setattr(run, "GRACE", 0.3)
    with serving(Slow().servable) as client:
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=20)
        head = f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"
        connection.sendall(head.encode())
        time.sleep(0.1)
    said = connection.recv(4096)
    assert said.startswith(b"HTTP/1.1 503") and said.endswith(b'{"error":"the server stops"}')
    assert "Traceback" not in caplog.text
    connection.close()


def test_no_thread_of_a_caller_is_left():
    before = threading.active_count()
    with serving(Slow().servable) as client:
        send(client, {"instances": [[1]] * 9}).close()
    assert threading.active_count() == before
