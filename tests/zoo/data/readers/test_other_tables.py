"""Tables with single quotes, drawn tables, columns of spaces, and labels such as NA and None."""

import subprocess

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.tables import open_table
from zoo.errors import UserError

TEXTS = ["it's good, really", 'a "fine" film', "dull", "so | so", "plain"]
ROWS = [(text, label) for text in TEXTS for label in ("NA", "None", "null", "nan", "N/A")]


def written(folder, text, name="a.csv"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def rows_of(path):
    table = open_table(path, "data").read()
    assert not table.bad and table.header
    return table.names, table.rows()


@pytest.mark.parametrize("mark", [",", ";", "\t", ", "])
@pytest.mark.parametrize("quote", ["''", r"\'"])
def test_single_quotes(tmp_path, mark, quote):
    lines = [[f"'{x}'" for x in ("text", "label")]]
    lines += [[f"'{cell.replace(chr(39), quote)}'" for cell in row] for row in ROWS]
    path = written(tmp_path, "\n".join(mark.join(line) for line in lines))
    assert rows_of(path) == (["text", "label"], ROWS)


@pytest.mark.parametrize(
    "text",
    [
        "text,label\n'twas fine,good\nit's 'dull',bad\n'a' and 'b',bad\n",
        'text,label\n"\'a\', she said","good"\n"\'b\', he said","bad"\n',
        "text,label\nrock 'n' roll,good\nfish 'n' chips,bad\n",
    ],
)
def test_single_quotes_that_are_text(tmp_path, text):
    _, rows = rows_of(written(tmp_path, text))
    assert all("'" in text for text, _ in rows)


def padded(cells, widths):
    return [f" {cell:{width}} " for cell, width in zip(cells, widths, strict=True)]


@pytest.mark.parametrize("kind", ["markdown", "mysql", "psql", "aligned"])
def test_drawn_tables(tmp_path, kind):
    rows = [tuple(cell.replace("|", r"\|") for cell in row) for row in ROWS] + [("last", "")]
    table = [("text", "label"), *rows]
    bars = ["|" + "|".join(padded(row, (30, 5))) + "|" for row in table]
    if kind == "markdown":
        lines = [bars[0], "|---|---|", *bars[1:]]
    elif kind == "aligned":
        lines = ["", bars[0], "|:" + "-" * 30 + " | " + "-" * 5 + ":|", *bars[1:]]
    elif kind == "mysql":
        rule = f"+{'-' * 32}+{'-' * 7}+"
        lines = [rule, bars[0], rule, *bars[1:], rule]
    else:
        bars = ["|".join(padded(row, (30, 5))) for row in table]
        lines = [bars[0], f"{'-' * 32}+{'-' * 7}", *bars[1:]]
    path = written(tmp_path, "\n".join(lines) + "\n")
    assert rows_of(path) == (["text", "label"], [*ROWS, ("last", "")])


def test_bars_without_a_rule_are_a_delimiter(tmp_path):
    path = written(tmp_path, "id|text|label\n" + "".join(f"{n}|--|{n % 2}\n" for n in range(20)))
    assert rows_of(path)[1][1] == ("1", "--", "1")


def test_columns_of_a_fixed_width_are_refused_with_what_turns_them(tmp_path):
    rows = [("when", "how many"), *((f"2024-01-{n:02}", f"{n / 2:.1f}") for n in range(1, 20))]
    text = "".join(f"  {first:14}{second:>10}\n" for first, second in rows)
    with pytest.raises(UserError, match="has columns of a fixed width") as caught:
        open_table(written(tmp_path, text), "data")
    command = str(caught.value).partition(": sed")[2]
    subprocess.run(["bash", "-c", f"sed{command}"], check=True, cwd=tmp_path)
    names, cells = rows_of(tmp_path / "a.tsv")
    assert (names, cells) == ([*rows[0]], rows[1:])
    seen = inspect(written(tmp_path, text, "a.txt"))
    assert "has columns of a fixed width" in seen.understood
    with pytest.raises(UserError, match="has columns of a fixed width") as caught:
        open_table(tmp_path / "a.txt", "data")
    assert f"> {tmp_path / 'a-tabs.tsv'}" in str(caught.value)  # since there is an a.tsv


def test_the_command_does_not_write_over_its_file(tmp_path):
    text = "".join(f"{word:14}{number:>10}\n" for number, word in enumerate(["a", "b c"] * 9))
    path = written(tmp_path, text, "my data.tsv")
    with pytest.raises(UserError, match="has columns of a fixed width") as caught:
        open_table(path, "data")
    command = str(caught.value).partition(": sed")[2]
    subprocess.run(["bash", "-c", f"sed{command}"], check=True, cwd=tmp_path)
    assert path.read_text() == text
    assert len(open_table(tmp_path / "my data-tabs.tsv", "data").read()) == 18


@pytest.mark.parametrize(("mark", "name"), [("\t", "tabs"), (",", "commas"), (";", "semicolons")])
def test_a_table_of_texts_in_a_text_file_is_named(tmp_path, mark, name):
    rows = [("text", "label"), *([("a fine film", "good"), ("so dull", "bad")] * 9)]
    path = written(tmp_path, "\n".join(map(mark.join, rows)), "films.txt")
    with pytest.raises(UserError, match=f"its lines have {name} between cells: a table, if its"):
        open_table(path, "labeled texts")
    path = written(tmp_path, "A fine film, I think.\nIt was dull.\n" * 9, "prose.txt")
    with pytest.raises(UserError, match="has an unknown format: labeled texts can be read from"):
        open_table(path, "labeled texts")


def test_numbers_with_spaces_between_are_named(tmp_path):
    """Such as the edges of a graph, of which `inspect` said that a language model fits."""
    rows = [(str(n * 7 % 30), str(n * 11 % 30)) for n in range(30)]
    path = written(tmp_path, "".join(f"{a} {b}\n" for a, b in rows), "edges.txt")
    seen = inspect(path).understood
    assert "its lines have numbers with spaces between" in seen
    command = seen.partition("a table, by ")[2]
    subprocess.run(["bash", "-c", command], check=True, cwd=tmp_path)
    assert (tmp_path / "edges.csv").read_text() == "".join(f"{a},{b}\n" for a, b in rows)
    prose = written(tmp_path, "In 1990 we met.\n12 drummers\n" * 15, "prose.txt")
    assert "have numbers" not in inspect(prose).understood


def test_texts_with_spaces_are_no_columns(tmp_path):
    lines = [f"A text.  With {word} spaces." for word in ("two", "some", "no") for _ in range(5)]
    assert len(open_table(written(tmp_path, "\n".join(lines)), "data").read()) == 15


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_labels_that_look_like_missing_values(tmp_path, form):
    texts = [f"words and more words {n}" for n in range(len(ROWS))]
    rows = [(text, label) for text, (_, label) in zip(texts, ROWS, strict=True)]
    lines = ["text,label", *(f"{text},{label}" for text, label in rows)]
    if form == "jsonl":
        lines = [f'{{"text": "{text}", "label": "{label}"}}' for text, label in rows]
    seen = inspect(written(tmp_path, "\n".join(lines), f"a.{form}"))
    expected = {"NA": 5, "None": 5, "null": 5, "nan": 5, "N/A": 5}
    assert (seen.task, seen.columns[1].values) == ("text-classifier", expected)
