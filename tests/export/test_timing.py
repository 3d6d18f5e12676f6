"""Which calls of an artifact are timed: of a usual row, of a batch, and of the longest row."""

import numpy as np

from export.report import latency_note
from export.worker.artifact import Artifact
from export.worker.axes import Spec
from export.worker.probes import Probe
from export.worker.timing import RUNS, rows_of, timing

IDS = {"token_ids": Spec(("batch", "length"), 0, "int32")}


def padded(*rows):
    width = max(map(len, rows))
    return {"token_ids": np.array([[*row, *[0] * (width - len(row))] for row in rows], "int32")}


def measured(calls, specs, outputs=("scores",)):
    """The timing of an artifact that answers at once, and the shapes of all of its calls."""
    seen = []

    def run(signature, inputs):
        seen.append((signature, {name: array.shape for name, array in inputs.items()}))
        (first, *_) = inputs.values()
        return {"lengths": np.full(len(first), 7)} if "lengths" in outputs else {}

    recorded = {"inputs": {}, "outputs": dict.fromkeys(outputs)}
    artifact = Artifact(run, {"serving_default": recorded})
    report = timing(artifact, {"serving_default": calls}, {"serving_default": specs})
    return report, seen


def test_a_usual_row_a_batch_and_the_longest_row():
    lengths = (5, 2, 173, 3, 11)
    rows = [[1] * length for length in lengths]
    calls = [Probe(padded(*rows[:3]), {}), Probe(padded(*rows[3:]), {})]
    assert [row.length for call in calls for row in rows_of(call, IDS)] == [*lengths]
    report, seen = measured(calls, IDS)
    assert (report["length"], report["batch_rows"], report["longest_length"]) == (5, 3, 173)
    shapes = [shape["token_ids"] for _, shape in seen]
    assert shapes == [(1, 5)] * (RUNS + 1) + [(3, 173)] * (RUNS + 1) + [(1, 173)] * (RUNS + 1)
    assert {"latency_ms", "batch_latency_ms", "longest_latency_ms"} < set(report)
    assert latency_note(report) == (
        "\nlatency: of one row (length 5); batch: of 3 rows; longest: of one row (length 173)"
    )


def test_texts_have_the_length_of_their_bytes():
    texts = {"text": np.array([b"abcde", b"", "\u00e9".encode(), b"abc"], object)}
    rows = rows_of(Probe(texts, {}), {"text": Spec(("batch",), None, "string")})
    assert [(row.length, row.inputs["text"].tolist()) for row in rows] == [
        (5, [b"abcde"]),
        (0, [b""]),
        (2, ["\u00e9".encode()]),
        (3, [b"abc"]),
    ]


def test_padding_of_all_inputs_ends_where_the_last_of_them_does():
    specs = {
        "ids": Spec(("batch", "length"), 0, "int32"),
        "marks": Spec(("batch", "length"), -1, "int32"),
        "count": Spec(("batch",), None, "int32"),
    }
    inputs = {
        "ids": np.array([[4, 5, 0, 0, 0], [0, 0, 0, 0, 0]], "int32"),
        "marks": np.array([[3, 3, 3, -1, -1], [-1, -1, -1, -1, -1]], "int32"),
        "count": np.array([2, 0], "int32"),
    }
    first, empty = rows_of(Probe(inputs, {}), specs)
    assert first.inputs["ids"].tolist() == [[4, 5, 0]] and first.inputs["count"].tolist() == [2]
    assert empty.length == 1 and empty.inputs["marks"].tolist() == [[-1]]


def test_rows_of_one_length_and_calls_without_rows():
    image = {"image": Spec(("batch", 5, 3), None, "float32")}
    report, seen = measured([Probe({"image": np.zeros((2, 5, 3), "float32")}, {})], image)
    assert report["length"] == 0 and "longest_length" not in report and report["batch_rows"] == 2
    assert latency_note(report) == "\nlatency: of one row; batch: of 2 rows"
    graph = {"nodes": Spec(("nodes", 3), None), "edges": Spec((2, "edges"), None, "int32")}
    call = {"nodes": np.ones((7, 3), "float32"), "edges": np.zeros((2, 9), "int32")}
    report, seen = measured([Probe(call, {})], graph)
    assert [shape for _, shape in seen] == [{"nodes": (7, 3), "edges": (2, 9)}] * (RUNS + 1)
    assert "batch_rows" not in report


def test_an_empty_axis_of_a_call_without_rows():
    graph = {"nodes": Spec(("nodes", 3), 0.0), "edges": Spec((2, "edges"), 0, "int32")}
    call = {"nodes": np.ones((7, 3), "float32"), "edges": np.zeros((2, 0), "int32")}
    (row,) = rows_of(Probe(call, {}), graph)
    assert row.length == 7 and row.inputs["edges"].shape == (2, 0)


def test_generated_tokens_are_counted():
    report, seen = measured([Probe(padded([1], [1, 2]), {})], IDS, ("token_ids", "lengths"))
    assert report["tokens_per_second"] > 0
