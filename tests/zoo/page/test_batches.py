"""Tables of texts and of numbers on a page, the ticks of a chart, and the cells of an answer."""

import csv
import io
import json
import shutil
import subprocess

import pytest

from zoo.page import template

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


def computed(expression):
    """The value of an expression of JavaScript, beside the scripts of the page."""
    scripts = ("workbooks.js", "tables.js", "numbers.js", "charts.js", "batches.js")
    end = f"console.log(JSON.stringify({expression}))"
    script = "".join(map(template.part, scripts)) + end
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def table_of(text, names=("text",), is_plain=False):
    given = ", ".join(map(json.dumps, (text, names, is_plain)))
    return computed(
        f"(() => {{ try {{ return textTable({given}) }} catch (e) {{ return e.message }} }})()"
    )


def test_the_column_of_the_texts_is_found_by_name():
    text = 'id;Text\n1;"a; ""fine"" film"\n2;so dull\n'
    rows = [["1", 'a; "fine" film'], ["2", "so dull"]]
    assert table_of(text) == {"head": ["id", "Text"], "rows": rows, "indices": [1]}
    pairs = table_of("b,a\n1,2\n", ("a", "b"))
    assert pairs == {"head": ["b", "a"], "rows": [["1", "2"]], "indices": [1, 0]}


def test_the_column_of_the_training_data_is_found_first():
    text = "text,Kundenmeinung \nfirst,second\n"
    columns = json.dumps({"text": "kundenmeinung"})
    assert computed(f"textTable({json.dumps(text)}, ['text'], false, {columns}).indices") == [1]
    other = json.dumps("id,text\n1,first\n")
    assert computed(f"textTable({other}, ['text'], false, {columns}).indices") == [1]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Zeit;°F;中文\n"),
        ("utf-8-sig", "Zeit;°F\n"),
        ("utf-16", "Zeit;°F\n"),
        ("utf-16-be", "\ufeffZeit;°F\n"),
        ("cp1252", "Zeit;°F;Größe\n"),  # Node reads no quotation marks of it, as browsers do
        ("utf-8", ""),
    ],
)
def test_files_of_other_programs_are_decoded(encoding, text):
    actual = computed(f"textOfBytes(new Uint8Array({[*text.encode(encoding)]}))")
    assert actual == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"PK\x03\x04...", "this is a spreadsheet or an archive"), (b"a,b\n\0\1", "not text")],
)
def test_files_that_are_no_text_are_refused(content, message):
    bytes_of = f"new Uint8Array({[*content]})"
    actual = computed(
        f"(() => {{ try {{ return textOfBytes({bytes_of}) }} catch (e) {{ return e.message }} }})()"
    )
    assert message in actual


def test_times_are_as_short_as_they_can_be():
    def shown(times):
        return computed(f"{times}.map((_, i) => shortly((i) => {times}[i], [0, 1])(i))")

    assert shown(["2011-01-01 00:00:00", "2011-01-01 01:00:00"]) == [
        "2011-01-01 00:00",
        "2011-01-01 01:00",
    ]
    assert shown(["2011-01-01 00:00:00", "2011-01-02 00:00:00"]) == ["2011-01-01", "2011-01-02"]
    assert shown(["2011-01-01 00:00:00", "2011-01-01 00:00:30"])[1] == "2011-01-01 00:00:30"
    assert shown(["1", "2"]) == ["1", "2"]


def test_lines_above_the_names_of_texts_are_not_read():
    text = "Feedback 2013\n\nid;Text\n1;so dull\n"
    assert table_of(text) == {"head": ["id", "Text"], "rows": [["1", "so dull"]], "indices": [1]}


def test_texts_without_a_name_of_their_column():
    lines = "\ufeffa film, and a fine one\r\n\r\nso dull\n"
    expected = [["a film, and a fine one"], ["so dull"]]
    assert table_of(lines, is_plain=True)["rows"] == expected
    assert table_of("a film\nso dull\n")["rows"] == [["a film"], ["so dull"]]


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("", ("text",), "the table has no rows"),
        ("a,b\n1,2\n", ("text",), "the table needs a column text; its columns are a, b"),
        ("a\n1\n", ("a", "b"), "the table needs a column a and a column b; its columns are a"),
        ('text\n"a\n', ("text",), "line 2: a quote is not closed"),
    ],
)
def test_tables_that_are_refused(text, names, message):
    assert table_of(text, names) == message


def test_what_is_downloaded_is_read_as_it_was():
    rows = [["text", "prediction"], ['a "fine", film', "good"], ["two\nlines", "bad\r"]]
    text = computed(f"csvOf({json.dumps(rows)})")
    assert [*csv.reader(io.StringIO(text, newline=""))] == rows


@pytest.mark.parametrize(
    ("outputs", "result", "cells"),
    [
        ({}, {"text": "good", "scores": [0.25, 0.75], "class_id": 1},
         {"prediction": "good", "score": "0.7500"}),
        ({}, {"scores": [0.75, 0.25]}, {"prediction": "bad", "score": "0.7500"}),
        ({}, {"text": "bad, good", "scores": [0.75, 0.75], "labels": [1, 1]},
         {"prediction": "bad, good"}),
        ({"values": "the values, in the order price, size"}, {"values": [1.5, 3]},
         {"price": "1.5", "size": "3"}),
        ({"values": "the value"}, {"values": [1.5]}, {"prediction": "1.5"}),
        ({"text": "the translation"}, "ein Mann", {"prediction": "ein Mann"}),
        ({}, {"text": "town", "score": 0.5, "start": 3}, {"prediction": "town", "score": "0.5000"}),
        ({}, {"output_0": [1, 2]}, {"prediction": '{"output_0":[1,2]}'}),
    ],
)  # fmt: skip
def test_the_cells_of_an_answer(outputs, result, cells):
    facts = {"labels": ["bad", "good"], "outputs": outputs}
    assert computed(f"cellsOf({json.dumps(facts)}, {json.dumps(result)})") == cells


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (37.4, 43.6, [38, 40, 42]),
        (5, 17, [5, 10, 15]),
        (-0.31, 0.29, [-0.2, 0, 0.2]),
        (1200, 5600, [2000, 3000, 4000, 5000]),
        (0.1, 0.4, [0.1, 0.2, 0.3, 0.4]),
        (3, 3, [3]),
        (0, 0, [0]),
        (-2e9, 3e9, [-2e9, -1e9, 0, 1e9, 2e9, 3e9]),
    ],
)
def test_ticks_are_round_numbers(low, high, ticks):
    assert computed(f"ticksOf({low}, {high})") == pytest.approx(ticks)
    assert computed("[1500000, 0.30000000000000004, -2].map(spelled)") == ["1.5M", "0.3", "-2"]


def numbers(text, axes=2, known=None):
    given = ", ".join(map(json.dumps, ("nodes", text, axes, known)))
    return computed(
        f"(() => {{ try {{ return numbersIn({given}) }} catch (e) {{ return e.message }} }})()"
    )


@pytest.mark.parametrize(
    ("text", "axes", "known", "values", "names"),
    [
        ("[[1, 2.5]]", 2, None, [[1, 2.5]], None),
        ("7", 0, None, 7, None),
        ("1, 2,3", 1, None, [1, 2, 3], None),
        ("1\n2\n", 1, None, [1, 2], None),
        ("age,degree\n1,2\n3,4\n", 2, None, [[1, 2], [3, 4]], None),
        ("who;age;degree\nAda;1;2\nBob;3;4\n", 2, None, [[1, 2], [3, 4]], ["Ada", "Bob"]),
        ("0 1\n1 0\n", 2, None, [[0, 1], [1, 0]], None),
        ("from\tto\nAda\tBob\nBob\t0\n", 2, ["Ada", "Bob"], [[0, 1], [1, 0]], None),
        ("Ada,Bob", 2, ["Ada", "Bob"], [[0, 1]], None),
    ],
)
def test_numbers_as_tables(text, axes, known, values, names):
    assert numbers(text, axes, known) == {"values": values, "names": names}


@pytest.mark.parametrize(
    ("text", "axes", "known", "message"),
    [
        ("[1,", 2, None, "nodes is not JSON"),
        ("seven", 0, None, "nodes is not JSON"),
        ("  \n", 2, None, "nodes is empty"),
        ("1,x\n2,3\n", 2, None, "nodes, line 1: x is not a number"),
        ("1,\n2,3\n", 2, None, "nodes, line 1: an empty cell is not a number"),
        ("1,2\n3\n", 2, None, "nodes, line 2: expected 2 numbers, got 1"),
        ("Ada,Eve", 2, ["Ada"], "nodes, line 1: Eve is not a number, nor the name of a row"),
    ],
)
def test_numbers_that_are_refused(text, axes, known, message):
    assert numbers(text, axes, known) == message
