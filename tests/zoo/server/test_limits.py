"""Limits of what a request may make a model compute and answer, whatever its own size."""

from dataclasses import replace

import pytest

from export.serving import Opened
from tests.zoo.server.serving import serving
from tests.zoo.server.test_server import MEANS, PREDICT, SERVABLE, SUMS
from zoo.server.limits import RequestLimits
from zoo.server.opening import servable_of
from zoo.server.servable import Servable, Tensor


@pytest.mark.parametrize(("limits", "most"), [(RequestLimits(), 4), (RequestLimits(ids=5), 5)])
@pytest.mark.parametrize("key", ["instances", "inputs"])
def test_rows_are_as_long_as_those_a_model_was_trained_on(limits, most, key):
    with serving(replace(SERVABLE, max_length=4), limits) as client:
        assert client.ask(PREDICT, {key: [[1] * most]})[0] == 200
        status, actual = client.ask(PREDICT, {key: [[1] * (most + 1)]})
    where = "input 'ids' of instance 0" if key == "instances" else "input 'ids'"
    expected = (
        f"{where}: {most + 1} token ids in a row; at most {most}, unless the server is started "
        "with a larger --max-length"
    )
    assert (status, actual) == (413, {"error": expected})


def test_the_length_a_task_was_trained_for():
    for config, length in [
        ({"settings": {"max_length": 32}}, 32),
        ({"settings": {"max_source_length": 7, "max_target_length": 9}}, 9),
        ({"settings": {"max_length": "x", "context_length": 3}}, None),
        ({"settings": {"max_length": -3}}, None),
        ({"settings": 3}, None),
        ({}, None),
    ]:
        opened = Opened({}, {}, run=lambda name, inputs: {}, config=config)
        assert servable_of("model", opened).max_length == length
    assert RequestLimits().ids_of(None) == 2048
    assert RequestLimits().ids_of(10**9) == 8192  # whatever an artifact says
    assert RequestLimits(ids=10**5).ids_of(7) == 10**5


def test_rows_of_ids_and_edges_of_graphs():
    assert SUMS.inputs["ids"].is_ids
    assert not Tensor("int32", ("batch", "edges", 2), (None, None, 2)).is_ids
    assert not MEANS.inputs["values"].is_ids


def test_many_long_rows_are_not_computed_together():
    """Of a signature that computes all rows of a call at once, they are too many."""
    whole = replace(SUMS, joins=False, pads=False)
    with serving(Servable("sums", {"serving_default": whole})) as client:
        assert client.ask(PREDICT, {"inputs": [[1] * 2048]})[0] == 200
        assert client.ask(PREDICT, {"inputs": [[1] * 2048] * 2})[0] == 200
        status, actual = client.ask(PREDICT, {"inputs": [[1] * 2048] * 3})
    assert status == 413 and "3 rows of 2048 ids are too many in a call" in actual["error"]


@pytest.mark.parametrize("key", ["instances", "inputs"])
def test_an_answer_has_a_limit(key):
    """Shorter rows in columns count as the longest, to which they are filled up."""
    with serving(SERVABLE, RequestLimits(answer=12)) as client:
        assert client.ask(PREDICT, {key: [[1] * 4, [1] * 4]})[0] == 200  # 2 sums, 8 running sums
        assert client.ask(PREDICT, {key: [[1] * 6, [2] * 4]})[0] == (
            400 if key == "inputs" else 200
        )
        status, actual = client.ask(PREDICT, {key: [[1] * 6, [1] * 6]})
        assert client.ask(PREDICT, {key: [[1] * 11]})[0] == 200
    expected = (
        "the answer has more than 12 values: send fewer or shorter rows, or start the server with "
        "a larger --max-answer"
    )
    assert (status, actual) == (413, {"error": expected})
