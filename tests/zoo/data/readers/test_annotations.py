"""Exports of Label Studio, Prodigy and doccano are read as texts with labels, or with tags."""

import json
import logging

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.column_names import DEFAULT
from zoo.data.readers.input_columns import InputColumns, open_inputs
from zoo.data.readers.label_sets import read_label_sets
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import TEXT
from zoo.data.readers.tags import read_tagged
from zoo.errors import DataError

TEXTS = [(f"a {word} film, number {n}", "good" if word == "fine" else "bad")
         for n, word in enumerate(["fine", "dull"] * 10)]  # fmt: skip
ANN = "Ann Lee went to Rome, by train"
SPANS = [(0, 7, "PER"), (16, 20, "LOC")]
TAGS = ["B-PER", "I-PER", "O", "O", "B-LOC", "O", "O"]


@pytest.fixture(autouse=True)
def _caught():
    logging.getLogger("keras_attn").propagate = True


def studio(data, values, **more):
    """A task of Label Studio with one annotation; values are (name of the control, value)."""
    result = [
        {"from_name": name, "to_name": "text", "type": next(iter(value)), "value": value}
        for name, value in values
    ]
    return {"id": 1, "data": data, "annotations": [{"result": result, **more}], "drafts": []}


def prodigy(text, **more):
    return {"text": text, "_input_hash": 1, "_task_hash": 2, "answer": "accept", **more}


LABELED = {
    "Label Studio": lambda x, y: studio({"review": x}, [("mood", {"choices": [y]})]),
    "Label Studio, minimal": lambda x, y: {"review": x, "mood": y, "annotation_id": 7},
    "Prodigy, choice": lambda x, y: prodigy(x, options=[{"id": y, "text": y}], accept=[y]),
    "Prodigy, a label": lambda x, y: prodigy(x, label=y),
    "doccano": lambda x, y: {"id": 7, "text": x, "label": [y]},
    "doccano, older": lambda x, y: {"id": 7, "data": x, "label": [y], "Comments": []},
}
PLACED = [{"start": a, "end": b, "text": ANN[a:b], "labels": [c]} for a, b, c in SPANS]
NAMED = [{"start": a, "end": b, "label": c} for a, b, c in SPANS]
TAGGED = {
    "Label Studio": studio({"text": ANN}, [("ner", {"type": "labels", **x}) for x in PLACED]),
    "Label Studio, minimal": {"id": 1, "text": ANN, "ner": PLACED, "annotator": 1},
    "Prodigy": prodigy(ANN, spans=NAMED, tokens=[{"text": "Ann", "start": 0, "end": 3}]),
    "doccano": {"id": 1, "text": ANN, "label": [[*span] for span in SPANS]},
    "doccano with relations": {
        "text": ANN,
        "entities": [{"label": c, "start_offset": a, "end_offset": b} for a, b, c in SPANS],
        "relations": [],
    },
}


def write(path, records):
    lines = [json.dumps(each, ensure_ascii=False) for each in records]
    is_list = path.suffix == ".json"
    path.write_text(f"[{', '.join(lines)}]" if is_list else "\n".join(lines))
    return path


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
@pytest.mark.parametrize("program", LABELED)
def test_labels(tmp_path, program, suffix):
    records = [LABELED[program](*row) for row in TEXTS]
    path = write(tmp_path / f"a.{suffix}", records)
    actual = read_labeled(path)
    assert [*zip(actual.texts, actual.labels, strict=True)] == TEXTS
    assert inspect(path).task == "text-classifier"


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
@pytest.mark.parametrize("program", TAGGED)
def test_spans(tmp_path, program, suffix):
    path = write(tmp_path / f"a.{suffix}", [TAGGED[program]] * 2)
    actual = read_tagged(path)
    assert (actual.words, actual.tags) == ([ANN.split()] * 2, [TAGS] * 2)
    assert inspect(path).task == "token-tagger"


def test_tasks_that_nobody_labeled_yet_have_their_texts(tmp_path):
    records = [{"id": n, "data": {"text": x}, "annotations": []} for n, (x, _) in enumerate(TEXTS)]
    actual = read_columns(write(tmp_path / "a.json", records), [TEXT], "texts")
    assert actual.cells["text"] == [x for x, _ in TEXTS]


def test_several_labels_stay_several(tmp_path):
    records = [{"text": "a film", "label": ["a", "b"]}, {"text": "a b", "label": ["a"]}]
    path = write(tmp_path / "a.jsonl", [*records, {"text": "c", "label": []}])
    assert read_label_sets(path).label_sets == [("a", "b"), ("a",), ()]


def test_what_nobody_accepted_is_left_out_aloud(tmp_path, caplog):
    records = [prodigy(x, accept=[y]) for x, y in TEXTS] + [prodigy("a film", accept=[])]
    records[0]["answer"], records[1]["answer"] = "ignore", "reject"
    path = write(tmp_path / "ignored.jsonl", records[:-1])
    assert read_labeled(path).texts == [x for x, _ in TEXTS[2:]]
    assert "2 records nobody labeled or accepted, and not read" in caplog.text
    cancelled = studio({"text": "x"}, [("mood", {"choices": ["bad"]})], was_cancelled=True)
    records = [studio({"text": x}, [("mood", {"choices": [y]})]) for x, y in TEXTS]
    path = write(tmp_path / "cancelled.json", [cancelled, *records])
    assert read_labeled(path).texts == [x for x, _ in TEXTS]
    assert "1 record nobody labeled" in caplog.text


def test_a_label_that_is_accepted_or_rejected_becomes_two(tmp_path):
    records = [prodigy("a", label="spam"), prodigy("b", label="spam", answer="reject")]
    assert read_labeled(write(tmp_path / "a.jsonl", records)).labels == ["spam", "not spam"]


def test_the_first_records_may_have_no_spans(tmp_path):
    empty = {"text": "it rains", "label": []}
    path = write(tmp_path / "a.jsonl", [empty, TAGGED["doccano"]])
    assert read_tagged(path).tags == [["O", "O"], TAGS]


def test_places_that_count_utf_16(tmp_path):
    text = "😀 Ann sings"
    units = {"start": 3, "end": 6, "text": "Ann", "labels": ["PER"]}
    path = write(tmp_path / "a.json", [{"text": text, "ner": [units]}])
    assert read_tagged(path).tags == [["O", "B-PER", "O"]]


@pytest.mark.parametrize(
    ("span", "reason"),
    [([0, 99, "PER"], "the span from 0 to 99 is behind 30 characters"),
     ({"start": 0, "end": 3, "text": "Bob", "label": "PER"}, "to 3 is 'Ann', not 'Bob'"),
     ("Ann", "expected a text in \"text\" and a list of spans in \"label\"")],
)  # fmt: skip
def test_spans_elsewhere_are_refused(tmp_path, span, reason):
    path = write(tmp_path / "a.jsonl", [TAGGED["doccano"], {"text": ANN, "label": [span]}])
    with pytest.raises(DataError, match=f"a.jsonl:2: .*{reason}"):
        read_tagged(path)


def test_tables_to_predict_may_have_lists_in_other_columns(tmp_path):
    path = write(tmp_path / "a.jsonl", [TAGGED["doccano"], {"text": "it rains", "label": []}])
    table = open_inputs(path, InputColumns((TEXT,)), DEFAULT, {}, tmp_path)
    assert [row for _, inputs in table.parts for row in inputs] == [ANN, "it rains"]
