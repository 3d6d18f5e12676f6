"""Questions with answers are read from SQuAD's files and from tables."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zoo.data.readers.answers import Span, read_answers
from zoo.data.readers.column_names import ReadOptions
from zoo.errors import DataError, UserError

PASSAGE = "Ann sings in Köln.\r\nBob sings, too; Ann dances."


def squad(*questions, context=PASSAGE):
    return {
        "version": "v2.0",
        "data": [{"title": "t", "paragraphs": [{"context": context, "qas": [*questions]}]}],
    }


def asked(text, *answers, **more):
    return {
        "id": "7",
        "question": text,
        "answers": [{"text": t, "answer_start": s} for t, s in answers],
        **more,
    }


def test_squad_with_several_answers_and_with_none(tmp_path):
    path = tmp_path / "dev.json"
    second = asked(
        "Who flies?", is_impossible=True, plausible_answers=[{"text": "Bob", "answer_start": 20}]
    )
    document = squad(asked("Who dances?", ("Ann", 36), ("Ann dances", 36)), second)
    path.write_text(json.dumps(document))
    examples = read_answers(path)
    assert examples.questions == ["Who dances?", "Who flies?"]
    assert examples.passages == [PASSAGE] * 2  # with its line break as it is
    assert examples.answers == [(Span("Ann", 36), Span("Ann dances", 36)), ()]
    assert "2 questions on 1 passage, 1 without an answer" in str(examples)
    assert [*examples.every_text()] == ["Who dances?", "Who flies?", PASSAGE]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_tables(form, tmp_path):
    rows = [("Who dances?", "Ann", 36), ("Where?", "Köln", 13), ("Who flies?", "", 0)]
    path = tmp_path / f"x.{form}"
    if form == "parquet":
        lists = [{"text": [t] if t else [], "answer_start": [s] if t else []} for _, t, s in rows]
        columns = {
            "id": ["1", "2", "3"],
            "context": [PASSAGE] * 3,
            "question": [q for q, _, _ in rows],
        }
        pq.write_table(pa.table({**columns, "answers": lists}), path)
    elif form == "jsonl":
        keys = [
            {"question": q, "context": PASSAGE, "answer": a, "answer_start": s} for q, a, s in rows
        ]
        path.write_text("\n".join(map(json.dumps, keys)))
    else:
        comma = {"csv": ",", "tsv": "\t"}[form]
        passage = (
            '"' + PASSAGE.replace("\r\n", " ") + ' "'
            if form == "csv"
            else PASSAGE.replace("\r\n", "  ")
        )
        lines = [comma.join(["question", "passage", "answer", "start"])]
        lines += [
            comma.join([q, passage, a, str(s - 1 if form == "csv" and s > 20 else s)])
            for q, a, s in rows
        ]
        path.write_text("\n".join(lines))
    examples = read_answers(path)
    assert [each[:1] and each[0].text for each in examples.answers] == ["Ann", "Köln", ()]
    assert [each[0].start for each in examples.answers[:2]] == [35 if form == "csv" else 36, 13]
    for passage, answers in zip(examples.passages, examples.answers, strict=True):
        assert all(passage[each.start : each.end] == each.text for each in answers)


def test_without_a_place_an_answer_is_where_it_first_occurs():
    rows = [("Who?", PASSAGE, " Ann "), ("Who?", PASSAGE, '["Bob", "Köln"]'), ("?", PASSAGE, None)]
    assert read_answers(rows).answers == [
        (Span("Ann", 0),),
        (Span("Bob", 20), Span("Köln", 13)),
        (),
    ]


def test_answers_may_begin_with_a_brace_or_a_bracket():
    rows = [("Who?", "by {no one} here", "{no one}"), ("Who?", "by [no one]", "[no one]")]
    assert [each.text for (each,) in read_answers(rows).answers] == ["{no one}", "[no one]"]


def test_columns_can_be_named(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\nWho?,Ann sings,Ann\n")
    names = {"question_column": "a", "passage_column": "b", "answer_column": "c"}
    assert read_answers(path, ReadOptions.of(names)).answers == [(Span("Ann", 0),)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "question,passage,answer\nWho?,Ann sings,Bob\n",
            r"x\.csv:2: the answer 'Bob' is not in its p",
        ),
        ("question,passage,answer\nWho?,,Bob\n", r"x\.csv:2: the passage is empty"),
        ("question,passage,answer\n,Ann sings,Ann\n", r"x\.csv:2: the question is empty"),
        (
            "question,passage,answer,start\nWho?,Ann,Ann,1\n",
            r"x\.csv:2: the answer 'Ann' is not where answer_start",
        ),
        (
            "question,passage,answer,start\nWho?,Ann,Ann,x\n",
            r"x\.csv:2: answer_start must be a number",
        ),
        ("question,passage,other\nWho?,Ann sings,x y z\n" * 3, "columns|passage|answer"),
        ("question,passage,answer\n", "contains no questions with passages and answers"),
    ],
)
def test_what_cannot_be_read_is_named(content, message, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises((UserError, DataError), match=message):
        read_answers(path)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            asked("Who?", ("Ann", 1)),
            r"dev\.json:1: the answer 'Ann' is not where answer_start says",
        ),
        (asked("Who?", ("Eve", 0)), r"dev\.json:1: the answer 'Eve' is not in its passage"),
        (
            asked("Who?", (7, 0)),
            r"dev\.json:1: the answer .* is not an object with a list of texts",
        ),
        ({"answers": []}, r"dev\.json:1: the question is empty"),
    ],
)
def test_what_is_wrong_in_squads_format_is_named(question, message, tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(squad(question)))
    with pytest.raises(DataError, match=message):
        read_answers(path)


def test_bad_rows_may_be_skipped(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("question,passage,answer\nWho?,Ann sings,Bob\nWho?,Ann sings,Ann\n")
    examples = read_answers(path, ReadOptions(skip_bad_rows=True))
    assert len(examples) == 1 and "1 bad row skipped" in str(examples)
