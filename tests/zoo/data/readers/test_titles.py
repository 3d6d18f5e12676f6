"""Titles above a table and notes below it are no rows, and lines keep their numbers."""

import logging

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.tables import open_table
from zoo.data.series.read import read_series
from zoo.errors import DataError

ROWS = [(f"2024-01-{n:02}", str(n % 7)) for n in range(1, 25)]
FILMS = [
    (f"a {word} film, of its kind", label) for word, label in [("fine", "good"), ("dull", "bad")]
]
FILMS = FILMS * 8


def lines(rows, mark=","):
    return "".join(mark.join(row) + "\n" for row in rows)


# What is above the rows, the delimiter, what is below, and the first warning.
TABLES = {
    "Excel": ("Sales\nin EUR\n\nDate;Sales\n", ";", "", "lines 1 to 2 are above the table"),
    "padded": ("Sales,\n,\nDate,Sales\n", ",", "", "line 1 is above the table"),
    "comments": ("# Title: T\n# Missing: -9\nDate,Sales\n", ",", "", "lines 1 to 2 are above"),
    "a header with a mark": ("# KNMI\n\n# Date,Sales\n\n", ",", "", "line 1 is above the table"),
    "a note": ("Date,Sales\n", ",", "\nSource: SAP\n", "line 27 is below the table"),
    "marked notes": ("Date,Sales\n", ",", "# end\n", "line 26 is below the table"),
    "both": ("Report\nDate,Sales\n", ",", "Page 1 of 1\n", "line 1 is above the table"),
}


@pytest.mark.parametrize("name", TABLES)
def test_titles_and_notes_are_no_rows(tmp_path, name, caplog):
    logging.getLogger("keras_attn").propagate = True
    above, mark, below, warning = TABLES[name]
    (tmp_path / "a.csv").write_text(above + lines(ROWS, mark) + below)
    with caplog.at_level("WARNING", "keras_attn"):
        actual = read_series(tmp_path / "a.csv")
    assert warning in caplog.text
    assert (actual.targets, len(actual.series[0])) == (["Sales"], 24)
    assert actual.layout.time == "Date"
    assert inspect(tmp_path / "a.csv").task == "series-forecaster"


def test_an_empty_last_column_below_a_title(tmp_path):
    rows = "".join(f"{day},{sales},\n" for day, sales in ROWS)
    (tmp_path / "a.csv").write_text(f'"Plot Title: pond"\n"Date","Sales","End of File"\n{rows}')
    actual = read_series(tmp_path / "a.csv")
    assert (actual.targets, len(actual.series[0])) == (["Sales"], 24)


def test_lines_keep_their_numbers(tmp_path):
    rows = [*ROWS[:3], ("2024-01-04", "four"), *ROWS[4:]]
    (tmp_path / "a.csv").write_text("Report\n\nof sales\nDate,Sales\n" + lines(rows))
    with pytest.raises(DataError, match="a.csv:8: Sales must be a finite number"):
        read_series(tmp_path / "a.csv")


def test_a_title_of_as_many_cells(tmp_path):
    rows = "".join(f'"{text}",{label}\n' for text, label in FILMS)
    (tmp_path / "a.csv").write_text(f"Films, 2024\nText,Label\n{rows}")
    actual = read_labeled(tmp_path / "a.csv")
    assert (actual.texts, actual.labels) == tuple(map(list, zip(*FILMS, strict=True)))


def test_years_as_names_below_a_title(tmp_path):
    years = ",".join(f'"{year}"' for year in range(1960, 1990))
    rows = "".join(f'"Land {n}",{",".join(str(n + k) for k in range(30))}\n' for n in range(12))
    (tmp_path / "a.csv").write_text(f'"Data Source","WDI",\n\n"Country Name",{years}\n{rows}')
    actual = read_series(tmp_path / "a.csv")
    assert [each.name for each in actual.series[:2]] == ["Land 0", "Land 1"]
    assert len(actual.series[0]) == 30


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("text,label\n" + lines([("fine", "a"), ("dull", "b")] * 8) + "cut of\n", 18),
        ("cut off\n" + lines([("fine film", "a"), ("dull film", "b")] * 8), 1),
        ("text,label\n\nfine\n" + lines([("fine", "a"), ("dull", "b")] * 8), 3),
    ],
)
def test_rows_that_are_too_short_are_refused(tmp_path, text, line):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataError, match=f"a.csv:{line}: expected 2 columns, found 1"):
        read_labeled(tmp_path / "a.csv")
    skipping = ReadOptions(skip_bad_rows=True)
    assert len(read_labeled(tmp_path / "a.csv", skipping).texts) == 16


MARKS = ["::", "|||", "###", "¦", "^", "~", "\x01"]


@pytest.mark.parametrize("mark", MARKS)
def test_rare_delimiters(tmp_path, mark):
    (tmp_path / "a.csv").write_text(lines([("text", "label"), *FILMS], mark), "utf-8")
    actual = read_labeled(tmp_path / "a.csv")
    assert (actual.texts, actual.labels) == tuple(map(list, zip(*FILMS, strict=True)))


def test_rare_delimiters_inside_of_texts(tmp_path):
    rows = [(f"std::vector {n}", "a") for n in range(12)]
    (tmp_path / "a.csv").write_text(lines([("my::text", "label"), *rows]))
    assert open_table(tmp_path / "a.csv", "data").names == ["my::text", "label"]
    (tmp_path / "b.csv").write_text("a^2 is a text\n" + "no mark here\n" * 12)
    assert len(open_table(tmp_path / "b.csv", "data").names) == 1


def test_a_text_file_with_double_colons_is_a_table_by_another_name(tmp_path):
    rows = "".join(f"{n}::Film {n} (1995)::Drama\n" for n in range(12))
    (tmp_path / "movies.dat").write_text(rows)
    assert "double colons between cells: a table, if its name ends in .csv" in (
        inspect(tmp_path / "movies.dat").understood
    )


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_headers_of_joined_files_are_no_rows(tmp_path, mark, caplog):
    """As `cat *.csv` writes them: a classifier would have a label called label."""
    path = tmp_path / ("a.tsv" if mark == "\t" else "a.csv")
    part = lines(
        [("text", "label"), *((text.replace(",", ""), label) for text, label in FILMS)], mark
    )
    path.write_text(part * 3)
    with caplog.at_level("WARNING", "keras_attn"):
        actual = read_labeled(path)
    assert actual.labels == [label for _, label in FILMS] * 3
    assert (
        "2 rows like the header not read, as joined files have them, in lines 18, 35" in caplog.text
    )
    part = lines([("date", "load"), *ROWS[:10]])
    other = lines([("date", "load"), *ROWS[10:]])
    (tmp_path / "b.csv").write_text(part + other)
    (series,) = read_series(tmp_path / "b.csv").series
    assert series.values[:, 0].tolist() == [float(x) for _, x in ROWS]


def test_a_text_like_the_name_of_its_only_column_is_a_row(tmp_path):
    (tmp_path / "a.csv").write_text("text\na fine film\ntext\nanother film\n")
    assert open_table(tmp_path / "a.csv", "data", ["text"]).read().texts("text")[1] == "text"
