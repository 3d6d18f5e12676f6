"""The REST API, with a signature whose answers are known."""

import base64
import gzip
import http.client
import itertools
import json
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from export.serving import Opened
from tests.zoo.server.serving import serving
from zoo.server.limits import RequestLimits
from zoo.server.run import listen
from zoo.server.servable import Servable, ServedSignature, Tensor, served

MODEL = "/v1/models/sums"
PREDICT = f"{MODEL}:predict"
BATCHES: list[tuple[int, ...]] = []


def sums(arrays):
    """Sums and running sums of rows, padded with 0; remembers the shapes it was called with."""
    ids = arrays["ids"]
    BATCHES.append(ids.shape)
    if (ids == 13).any():
        raise OSError("/a/secret/path")
    return {"sum": ids.sum(1, dtype="int32"), "running": ids.cumsum(1).astype("float32") / 2}


def lengths(arrays):
    return {"length": np.array([len(text) for text in arrays["text"]], "int32")}


ROWS = Tensor("int32", ("batch",), (None,))
SUMS = ServedSignature(
    "Sums.",
    {"ids": Tensor("int32", ("batch", "length"), (None, None), 0, values=(0, 99))},
    {"sum": ROWS, "running": Tensor("float32", ("batch", "length"), (None, None))},
    sums,
    joins=True,
    pads=True,
    empty=False,
)
LENGTHS = ServedSignature(
    "Counts bytes.", {"text": Tensor("string", ("batch",), (None,))}, {"length": ROWS}, lengths
)
MEANS = ServedSignature(
    "Adds.",
    {
        "values": Tensor("float32", ("batch", 2), (None, 2), None, "two values, NaN where missing"),
        "more": Tensor("float32", ("batch",), (None,)),
    },
    {"total": Tensor("float32", ("batch",), (None,))},
    lambda arrays: {"total": arrays["values"].sum(1) + arrays["more"]},
)
SIGNATURES = {"serving_default": SUMS, "lengths": LENGTHS, "means": MEANS}
SERVABLE = Servable(
    "sums",
    SIGNATURES,
    beside={"labels.txt": "a\nb\n"},
    stream=lambda text: iter(["a", text, "é"]),
)


@pytest.fixture(scope="module")
def client():
    with serving(SERVABLE, RequestLimits(body=4096, rows=7, length=11)) as actual:
        yield actual


def test_rows_of_a_file_of_one_shape():
    """Each is computed in a batch of that size, the last row again and again."""
    seen = []

    def run(_, arrays):
        seen.append(arrays["ids"].tolist())
        return {"sum": arrays["ids"].sum(1)}

    ids = {"dtype": "int32", "axes": [2, 3], "shape": [2, 3], "padding": 0}
    facts = {"purpose": "", "inputs": {"ids": ids}, "outputs": {"sum": {**ids, "axes": [2]}}}
    facts["outputs"]["sum"]["shape"] = [2]
    opened = Opened({"serving_default": facts}, {"serving_default": ()}, run, empty=False, rows=2)
    with serving(Servable("sums", served(opened))) as client:
        status, actual = client.ask(PREDICT, {"instances": [[1, 2, 3], [4, 4, 4], [5, 0, 0]]})
    assert (status, actual) == (200, {"predictions": [6, 12, 5]})
    assert seen == [[[1, 2, 3]] * 2, [[4, 4, 4]] * 2, [[5, 0, 0]] * 2]


def test_a_clock_that_is_set_back_holds_nobody_up(monkeypatch):
    times = itertools.count(2e9, -3600)
    with serving(SERVABLE, RequestLimits(seconds=5)) as client:
        monkeypatch.setattr("time.time", lambda: next(times))
        for _ in range(3):
            status, actual = client.ask(PREDICT, {"instances": [[1, 2, 3]]})
            assert (status, actual["predictions"][0]["sum"]) == (200, 6)


def test_rows_of_different_lengths(client):
    status, actual = client.ask(PREDICT, {"instances": [[1, 2, 3], [5], [7, 4]]})
    assert (status, actual) == (
        200,
        {
            "predictions": [
                {"sum": 6, "running": [0.5, 1.5, 3.0]},
                {"sum": 5, "running": [2.5]},
                {"sum": 11, "running": [3.5, 5.5]},
            ]
        },
    )


def test_columns_and_other_signatures(client):
    inputs = {"inputs": {"ids": [[1, 2], [3, 4]]}}
    running = [[0.5, 1.5], [1.5, 3.5]]
    expected = {"outputs": {"sum": [3, 7], "running": running}}
    assert client.ask(f"{MODEL}/versions/1:predict", inputs) == (200, expected)
    named = {
        "signature_name": "lengths",
        "instances": ["né", {"b64": "AP\r\n8B\n"}, {"text": "a\0"}],
    }
    assert client.ask(PREDICT, named) == (200, {"predictions": [3, 3, 2]})
    rows = [{"values": [1, 2.5], "more": 3}, {"values": [None, 1], "more": 0}]
    actual = client.ask(PREDICT, {"signature_name": "means", "instances": rows})
    assert actual == (200, {"predictions": [6.5, None]})


def test_status_and_metadata(client):
    fine = {"error_code": "OK", "error_message": ""}
    version = {"version": "1", "state": "AVAILABLE", "status": fine}
    for path in (MODEL, f"{MODEL}/versions/1"):
        assert client.ask(path) == (200, {"model_version_status": [version]})
    status, actual = client.ask(f"{MODEL}/metadata")
    signature = actual["metadata"]["signature_def"]["signature_def"]["lengths"]
    dims = {"dim": [{"size": "-1", "name": ""}], "unknown_rank": False}
    assert status == 200
    assert signature["inputs"]["text"] == {
        "dtype": "DT_STRING",
        "tensor_shape": dims,
        "name": "text",
    }
    assert client.ask(f"{MODEL}/files") == (200, {"files": {"labels.txt": "a\nb\n"}})
    assert client.ask("/v1/models/other/files")[0] == 404
    assert signature["method_name"] == "tensorflow/serving/predict"


REFUSED = {
    "not JSON": (b"{", 400, "JSON cannot be read"),
    "not UTF-8": (b"\xff\xfe\x00", 400, "JSON cannot be read"),
    "a list": (b"[]", 400, "must be a JSON object"),
    "NaN": (b'{"instances": [[NaN]]}', 400, "JSON has no NaN"),
    "deep": (b'{"a":' + b"[" * 4000, 400, "nested too deeply|cannot be read"),
    "large": (b" " * 5000, 413, "larger than 4096 bytes"),
    "both": ({"instances": [[1]], "inputs": [[1]]}, 400, "either"),
    "neither": ({}, 400, "either"),
    "unknown key": ({"instances": [[1]], "x": 1}, 400, 'unknown key "x"'),
    "unknown signature": ({"instances": [[1]], "signature_name": "q"}, 400, "not found"),
    "signature of a list": ({"instances": [[1]], "signature_name": []}, 400, "not found"),
    "no rows": ({"instances": []}, 400, "at least one row"),
    "empty row": ({"instances": [[]]}, 400, "must not be empty"),
    "too many rows": ({"instances": [[1]] * 8}, 413, "8 rows"),
    "too many rows in a column": ({"inputs": [[1]] * 8}, 413, "8 rows"),
    "too long": ({"instances": [[1] * 12]}, 413, "at most 11"),
    "many rows in a column": ({"inputs": [[]] * 1000}, 413, "1000 rows"),
    "rank 0": ({"instances": [1]}, 400, "must have rank 2, got rank 1"),
    "rank 3": ({"instances": [[[1]]]}, 400, "must have rank 2, got more"),
    "ragged column": ({"inputs": [[1], [1, 2]]}, 400, "same length"),
    "a float": ({"instances": [[1.5]]}, 400, "must be integers"),
    "a truth value": ({"instances": [[True]]}, 400, "must be integers"),
    "a huge number": ({"instances": [[2**31]]}, 400, "beyond int32"),
    "digits": (b'{"instances": [[' + b"9" * 4070 + b"]]}", 400, "beyond int32|cannot be read"),
    "a huge integer": (
        {"signature_name": "means", "inputs": {"values": [[1, 1]], "more": [10**400]}},
        400,
        "beyond float32",
    ),
    "infinity": (b'{"signature_name":"means","inputs":{"values":[[1e999,1]],"more":[1]}}', 400, ""),
    "null": ({"signature_name": "means", "inputs": {"values": [[1, 1]], "more": [None]}}, 400, ""),
    "a name": ({"signature_name": "means", "instances": [{"values": [1, 1]}]}, 400, "expected"),
    "rows differ": (
        {"signature_name": "means", "inputs": {"values": [[1, 1]], "more": []}},
        400,
        "",
    ),
    "not base64": ({"signature_name": "lengths", "instances": [{"b64": "!"}]}, 400, "base64"),
    "a number as text": ({"signature_name": "lengths", "instances": [3]}, 400, "a string"),
    "an id too large": ({"instances": [[1], [100]]}, 400, "100 is not among the ids 0 to 99"),
    "a negative id": ({"inputs": [[1, -1]]}, 400, "-1 is not among the ids 0 to 99"),
    "lines that are not base64": (
        {"signature_name": "lengths", "instances": [{"b64": "AP8\n!"}]},
        400,
        "base64",
    ),
    "a failure": ({"instances": [[13]]}, 500, "the model failed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(client, name):
    body, status, message = REFUSED[name]
    actual, answer = client.ask(PREDICT, body)
    assert actual == status and set(answer) == {"error"}
    assert any(part in answer["error"] for part in message.split("|"))
    assert "secret" not in answer["error"] and "Traceback" not in answer["error"]
    assert client.ask(PREDICT, {"instances": [[2]]})[0] == 200


def test_addresses_that_are_not_there(client):
    assert client.ask("/v1/models/x:predict", {})[0] == 404
    assert client.ask(f"{MODEL}/versions/2")[0] == 404
    assert client.ask(f"{MODEL}:classify", {})[0] == 400
    assert client.ask(f"{MODEL}:attention", {"text": "a"})[0] == 404
    wrong = {"error": f"Malformed request: GET {PREDICT}"}
    assert client.ask(PREDICT) == (405, wrong)
    assert client.ask("/else") == (404, {"error": "Malformed request: GET /else"})


def test_paths_in_the_log_are_printable(client, caplog):
    caplog.set_level("INFO", "zoo.server")
    for path in ("/else%1b[31m%0aforged", f"{MODEL}%1b[31m", "/%e2%80%ae"):
        assert client.ask(path)[0] == 404
    assert "else" in caplog.text and all(each.isprintable() for each in caplog.messages)


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"POST /v1",
        f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{{".encode(),
    ],
)
def test_a_connection_without_a_request_is_closed(begin):
    with serving(SERVABLE, RequestLimits(seconds=0.1)) as client:
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=20)
        connection.sendall(begin)
        while connection.recv(4096):
            pass
        connection.close()


def test_an_answer_that_takes_too_long():
    slow = replace(SUMS, run=lambda arrays: time.sleep(0.5) or sums(arrays))
    with serving(Servable("sums", {"serving_default": slow}), RequestLimits(seconds=0.1)) as client:
        actual = client.ask(PREDICT, {"instances": [[1]]})
    assert actual == (504, {"error": "the answer took too long"})


def test_callers_at_the_same_time_are_joined_and_get_their_own_answers(client):
    BATCHES.clear()

    def ask(i):
        if i % 5 == 0:
            return client.ask(PREDICT, {"instances": [["bad"]]})[0] == 400
        if i % 7 == 0:  # must not spoil those that it was joined with
            return client.ask(PREDICT, {"instances": [[13]]})[0] == 500
        row = [i] * (1 + i % 11)
        actual = client.ask(PREDICT, {"instances": [row]})
        running = [i * (n + 1) / 2 for n in range(len(row))]
        return actual == (200, {"predictions": [{"sum": sum(row), "running": running}]})

    with ThreadPoolExecutor(25) as pool:
        assert all(pool.map(ask, [i for i in range(1, 101) if i != 13]))
    assert max(rows for rows, _ in BATCHES) > 1


def test_an_answer_does_not_wait_for_the_next_packet():
    """asyncio sets TCP_NODELAY on no other sockets; without it, each answer takes 40 ms more."""
    with listen("127.0.0.1", 0) as where:
        assert where.proto == socket.IPPROTO_TCP


def test_no_thread_is_left():
    before = {each.name for each in threading.enumerate()}
    with serving(SERVABLE) as client:
        assert client.ask(PREDICT, {"instances": [[1]]})[0] == 200
    assert {each.name for each in threading.enumerate()} == before


def test_the_page_has_its_own_script_only(client):
    status, content = client.ask("/")
    assert status == 200 and b"http://" not in content and b"https://" not in content
    assert content.count(b"<script") == 2


def test_an_empty_row_is_refused_whoever_else_asks():
    """Padded to the length of others it would be answered, and alone the model would refuse it."""
    servable = Servable("sums", {"serving_default": replace(SUMS, empty=True)})
    with serving(servable) as client:
        for rows in ([[]], [[1], []]):
            actual = client.ask(PREDICT, {"instances": rows})
            assert actual == (400, {"error": "input 'ids' must not be empty"})


def encoded(client, content, encoding):
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
    connection.request("POST", PREDICT, content, {"Content-Encoding": encoding})
    answer = connection.getresponse()
    actual = answer.status, json.loads(answer.read())
    connection.close()
    return actual


def test_bodies_in_gzip(client):
    body = b'{"instances": [[1, 2, 3]]}'
    answer = (200, {"predictions": [{"sum": 6, "running": [0.5, 1.5, 3.0]}]})
    for content in (gzip.compress(body), gzip.compress(body[:9]) + gzip.compress(body[9:])):
        assert encoded(client, content, "gzip") == answer
    assert encoded(client, body, "identity") == answer
    for content, encoding, status, message in (
        (gzip.compress(b" " * 10**7), "gzip", 413, "the body is larger than 4096 bytes"),
        (body, "gzip", 400, "the body is not a gzip file, or is damaged"),
        (gzip.compress(body)[:-9], "gzip", 400, "the gzip file of the body is cut off"),
        (body, "br", 415, "the Content-Encoding must be gzip, or there must be none"),
    ):
        assert encoded(client, content, encoding) == (status, {"error": message})


IMAGES = ServedSignature(
    "Counts bytes.",
    {"image_bytes": Tensor("string", ("batch",), (None,))},
    {"length": ROWS},
    lambda arrays: {"length": np.array([len(x) for x in arrays["image_bytes"]], "int32")},
    joins=True,
)


def png(height, width):
    """The beginning of a PNG file, which declares its size."""
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return {"b64": base64.b64encode(start + b"\x08\x02\0\0\0" + bytes(9)).decode()}


def test_the_pixels_of_images_are_counted_before_they_are_decoded():
    seen = []

    def run(arrays):
        seen.append(len(arrays["image_bytes"]))
        return IMAGES.run(arrays)

    signatures = {"serving_default": replace(IMAGES, run=run)}
    with serving(Servable("sums", signatures), max_wait=0.1) as client:
        status, actual = client.ask(PREDICT, {"instances": [png(12000, 12000)]})
        assert status == 400 and "declares 12,000 x 12,000 pixels" in actual["error"]
        status, actual = client.ask(PREDICT, {"instances": [{"b64": "R0lGODlh"}]})
        assert (status, actual) == (
            400,
            {"error": "input 'image_bytes': it is no PNG, JPEG, WebP, GIF, BMP or TIFF file"},
        )
        assert seen == []
        status, actual = client.ask(
            PREDICT, {"instances": [png(8000, 8000), png(2, 3), png(8000, 8000)]}
        )
        assert (status, len(actual["predictions"]), max(seen)) == (200, 3, 2)


def test_one_long_text_does_not_make_others_long():
    seen = []

    def run(arrays):
        sizes = [len(x) for x in arrays["text"]]
        seen.append(len(sizes) * max(sizes))
        return LENGTHS.run(arrays)

    signatures = {"serving_default": replace(LENGTHS, run=run, joins=True)}
    with serving(Servable("sums", signatures), max_batch=32, max_wait=0.1) as client:
        for key in ("instances", "inputs"):
            rows = ["a" * 60_000, *["b"] * 255]
            assert client.ask(PREDICT, {key: rows})[0] == 200
    assert max(seen) <= 4 * 60_000 + (1 << 16)


def test_a_call_that_is_too_much():
    with serving(SERVABLE, RequestLimits(values=20)) as client:
        body = {"signature_name": "lengths", "inputs": ["a" * 100, "b"]}
        status, actual = client.ask(PREDICT, body)
    expected = "input 'text': 200 values, with the padding, in a call; at most 160"
    assert (status, actual) == (413, {"error": expected})
