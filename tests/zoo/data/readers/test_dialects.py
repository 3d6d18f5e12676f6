"""Delimited files as spreadsheets, languages and databases write them: the same 40 rows of each."""

import csv
import io

import pytest

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.pairs import read_pairs
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import LABELED
from zoo.data.readers.tables import open_table
from zoo.data.series.read import read_series
from zoo.errors import DataError, UserError

WORDS = ("lovely", 'a "fine" one', "long; slow", "so|so", "warm, funny, clever", "costs 3,50")
TEXTS = [f"Film {chr(65 + i % 26)}{i // 26}: {WORDS[i % 6]}, I think" for i in range(40)]
TEXTS[7] = "two\nlines, of text"
LABELS = ["ham", "spam", "ham", "ham"] * 10
PLAIN = [text.replace("\n", " ").replace('"', "'") for text in TEXTS]


def written(rows, **format):
    file = io.StringIO()
    csv.writer(file, **format).writerows(rows)
    return file.getvalue()


def table(texts=TEXTS, header=("text", "label")):
    return [*([header] if header else []), *zip(texts, LABELS, strict=True)]


GERMAN = {"delimiter": ";"}
CELLS = {
    "excel": written(table()),
    "excel in german": written(table(), **GERMAN),
    "excel with its first line": "sep=;\r\n" + written(table(), **GERMAN),
    "excel with its first line in quotes": '"sep=;"\r\n' + written(table(), **GERMAN),
    "tabs": written(table(), delimiter="\t"),
    "bars": written(table(), delimiter="|"),
    "all quoted": written(table(), quoting=csv.QUOTE_ALL, delimiter=";", lineterminator="\n"),
    "no header": written(table(header=None), **GERMAN),
    "spaces before quotes": written(table(), quoting=csv.QUOTE_ALL).replace('","', '", "'),
    "spaces before quotes and none": "".join(
        '"{}"; {}\n'.format(text.replace('"', '""'), label)
        if i % 2
        else '"{}"; "{}"\n'.format(text.replace('"', '""'), label)
        for i, (text, label) in enumerate(table())
    ),
    "old macs": written(table(), lineterminator="\r"),
    "mysql, spark": written(
        table(), quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\", lineterminator="\n"
    ),
    "pandas": written([("", "text", "label"), *((i, *r) for i, r in enumerate(table()[1:]))]),
    "pandas, shuffled": written(
        [("", "text", "label"), *((7 * i % 40, *r) for i, r in enumerate(table()[1:]))]
    ),
    "pandas, read and written again": written(
        [("Unnamed: 0", "text", "label"), *((i, *r) for i, r in enumerate(table()[1:]))]
    ),
    "R": written(
        [("", "text", "label"), *((str(i), *r) for i, r in enumerate(table()[1:], 1))],
        quoting=csv.QUOTE_ALL,
    ),
    "R's write.table": written(
        [("text", "label"), *((str(i), *r) for i, r in enumerate(table()[1:], 1))],
        quoting=csv.QUOTE_ALL,
        doublequote=False,
        escapechar="\\",
    ),
    "empty names at the end": written(
        [("label", "text", "", "", ""), *((b, a, "", "", "") for a, b in table()[1:])]
    ),
    "empty names in the header only": written(
        [("label", "text", "", ""), *((b, a) for a, b in table()[1:])]
    ),
    "a delimiter at the end of rows": written(
        [("text", "label"), *((*row, "") for row in table()[1:])], **GERMAN
    ),
    "an empty column": written([("text", "", "label"), *((a, "", b) for a, b in table()[1:])]),
    "title above": "Films of 2024\n" + written(table()),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_csv_file_of_another_program(write, name):
    actual = read_labeled(write("a.csv", CELLS[name]))
    assert (actual.texts, actual.labels) == (TEXTS, LABELS)
    assert actual.source.header == (name != "no header")


TABS = {
    "no quoting": (PLAIN, written(table(PLAIN), delimiter="\t", quoting=csv.QUOTE_NONE)),
    "pandas": (TEXTS, written(table(), delimiter="\t")),
    "R": (TEXTS, written(table(), delimiter="\t", quoting=csv.QUOTE_ALL)),
    "R's write.table": (
        TEXTS,
        written(table(), delimiter="\t", quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\"),
    ),
    "old macs": (PLAIN, written(table(PLAIN), delimiter="\t", lineterminator="\r")),
    "quotes that are text": (
        [f'"{text}" she said' for text in PLAIN],
        "".join(f'"{text}" she said\t{label}\n' for text, label in zip(PLAIN, LABELS, strict=True)),
    ),
    "quotes around some texts": (
        [f'"{text}"' if i % 3 else text for i, text in enumerate(PLAIN)],
        "".join(
            (f'"{text}"' if i % 3 else text) + f"\t{LABELS[i]}\n" for i, text in enumerate(PLAIN)
        ),
    ),
}


@pytest.mark.parametrize("name", TABS)
@pytest.mark.parametrize("suffix", [".tsv", ".tab"])
def test_a_tsv_file_of_another_program(write, name, suffix):
    texts, content = TABS[name]
    actual = read_labeled(write(f"a{suffix}", content))
    assert (actual.texts, actual.labels) == (texts, LABELS)


def test_commas_of_texts_do_not_separate_cells(write):
    lines = ["a film, lovely and long;pos", "dull, slow, long;neg"]
    path = write("a.csv", "".join(f"{line}\n" for line in lines * 9))
    assert open_table(path, "data").sample.rows()[:2] == [tuple(x.split(";")) for x in lines]
    path = write("b.csv", "".join(f"lovely, long {i};pos\n" for i in range(9)))
    assert open_table(path, "data").sample.rows()[0] == ("lovely, long 0", "pos")
    path = write("c.csv", "1,5;2,5\n" * 9)  # decimal commas
    assert open_table(path, "data").sample.rows()[0] == ("1,5", "2,5")
    path = write("d.csv", "text\n" + '"a, b; c"\n' * 9)
    assert open_table(path, "data").sample.rows()[0] == ("a, b; c",)


def test_missing_values_of_databases_are_empty(write):
    path = write("a.tsv", "a\tb\nc\t\\N\n")
    with pytest.raises(DataError, match=r"a\.tsv:2: the target is empty"):
        read_pairs(path)


@pytest.mark.parametrize(
    ("name", "content", "repeated"),
    [
        ("a.csv", "text,label,label\na film,pos,pos\n", "label"),
        ("a.csv", "text,text\na film,pos\n", "text"),
        ("a.csv", "x;note;note\n" + "3;a;a\n5;b;b\n" * 9, "note"),
        ("a.tsv", "text\ttext\tlabel\na\tb\tc\n", "text"),
    ],
)
def test_two_columns_of_one_name_are_refused(write, name, content, repeated):
    path = write(name, content)
    with pytest.raises(UserError) as caught:
        read_labeled(path)
    assert str(caught.value) == (
        f"{path} has 2 columns with the name {repeated!r}: rename or remove all but one"
    )


def test_a_header_above_rows_with_commas_too_many(write):
    path = write("a.csv", "text,label\n" + "a, b,pos\nc, d,neg\n" * 9 + "e,pos\n")
    with pytest.raises(
        DataError, match="expected 2 columns, found 3: .* double quotes; 18 rows are invalid"
    ):
        read_labeled(path)


def test_a_word_that_is_there_twice_is_no_header(write):
    path = write("a.csv", "no,no\n" + "yes,no\nno,yes\n" * 3)
    assert read_pairs(path).sources[:2] == ["no", "yes"]


def test_lines_after_an_open_quote_are_read(write):
    rows = [f"film {i},pos\n" for i in range(9)]
    path = write("a.csv", "".join([*rows[:3], '"film 3,pos\n', *rows[4:]]))
    with pytest.raises(DataError, match=r"a\.csv:4: a quote is not closed; use skip_bad_rows"):
        read_pairs(path)
    rows[7] = 'film 7,"p"os\n'
    path = write("b.csv", "".join([*rows[:3], 'x,"film 3\n', *rows[4:]]))
    actual = read_columns(path, LABELED, "texts", ReadOptions(skip_bad_rows=True))
    assert len(actual.cells["text"]) == 8 and [line for _, line, _ in actual.bad] == [4]


def test_columns_without_a_name_that_have_texts_are_kept_but_never_chosen(write):
    rows = "".join(f"2024-01-{i:02},text {i} of many,{'ab'[i % 2]}\n" for i in range(1, 25))
    path = write("a.csv", ",words,kind\n" + rows)
    assert open_table(path, "data").names == ["", "words", "kind"]
    assert read_labeled(path).texts[0] == "text 1 of many"
    rows = "".join(f"car {i} of many,text {i} of many,{'ab'[i % 2]}\n" for i in range(1, 25))
    assert read_labeled(write("b.csv", ",words,kind\n" + rows)).texts[0] == "text 1 of many"


def test_an_index_without_a_name_is_no_series(write):
    rows = "".join(f"{7 * i},{i / 2}\n" for i in range(1, 25))
    path = write("a.csv", ",sold\n" + rows)
    assert open_table(path, "data").names == ["sold"]
    assert read_series(path).targets == ["sold"]
    rows = "".join(f"2024-01-{i:02},{i / 2}\n" for i in range(1, 25))  # as pandas writes a series
    actual = read_series(write("b.csv", ",sold\n" + rows))
    assert "time = the column without a name, " in actual.note
    assert actual.clock.label(actual.series[0].start) == "2024-01-01"
