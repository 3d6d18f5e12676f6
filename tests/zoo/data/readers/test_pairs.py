"""Reading pairs: what is taken, what is skipped, and what is refused where."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.pairs import read_pairs
from zoo.data.readers.scored_pairs import read_scored_pairs, read_similar_pairs
from zoo.errors import DataError, UserError


def rows(path):
    pairs = read_pairs(path)
    return list(zip(pairs.sources, pairs.targets, strict=True))


def test_tsv_takes_quotes_and_unusual_line_ends_as_text(write):
    path = write("a.tsv", '"a\tb"\r\nc\u2028d\x85\tö\x0cü\n e \t f ')
    assert rows(path) == [('"a', 'b"'), ("c\u2028d\x85", "ö\x0cü"), (" e ", " f ")]


def test_csv_with_quotes_commas_and_newlines(write):
    path = write("a.csv", '"a, b","say ""hi"""\r\n"two\nlines",c\n')
    assert rows(path) == [("a, b", 'say "hi"'), ("two\nlines", "c")]


def test_csv_header_picks_the_columns(write):
    assert rows(write("a.csv", "id,Target , SOURCE\n7,t,s\n")) == [("s", "t")]
    assert rows(write("b.csv", "\nsource,target\na,b\nsource,target\nc,d")) == [
        ("a", "b"),
        ("c", "d"),
    ]  # the header again, as joined files have it, is no row
    assert rows(write("c.csv", "source,target of it\na,b\n")) == [("a", "b")]


def test_jsonl_ignores_other_keys(write):
    row = json.dumps({"target": "t\n", "source": "sö", "id": 7})
    assert rows(write("a.jsonl", row + "\n" + row)) == [("sö", "t\n")] * 2


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.tsv", "\na\tb\n \n\t\nc\td\n\r\n"),
        ("a.csv", "\na,b\n \n  \nc,d\n\r\n"),
        ("a.jsonl", '\n{"source":"a","target":"b"}\n \n\t\n{"source":"c","target":"d"}\n\r\n'),
    ],
)
def test_blank_lines_are_skipped_and_counted(write, name, content):
    path = write(name, content)
    pairs = read_pairs(path)
    assert (pairs.sources, pairs.targets, pairs.statistics.total()) == (["a", "c"], ["b", "d"], 4)
    assert len(pairs) == 2
    assert str(pairs).startswith(f"{path}: 2 pairs; source = ")
    assert str(pairs).endswith("; 4 blank lines skipped")


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_byte_order_mark_is_ignored(write, name):
    texts = {
        "a.tsv": "a\tb",
        "a.csv": "source,target\na,b",
        "a.jsonl": '{"source":"a","target":"b"}',
    }
    path = write(name, "\ufeff" + texts[name])
    assert rows(path) == [("a", "b")]
    assert str(read_pairs(path)).startswith(f"{path}: 1 pair; source = ")


@pytest.mark.parametrize(
    "name, content, line, reason",
    [
        ("a.tsv", "a\tb\n\nonly\n", 3, "expected 2 columns, found 1"),
        ("a.tsv", "a\tb\nc\td\te\n", 2, "expected 2 columns, found 3"),
        ("a.tsv", "a\tb\nc\t \n", 2, "the target is empty"),
        ("a.tsv", "\tb\n", 1, "the source is empty"),
        ("a.tsv", b"a\tb\nc\td\xff\n", 2, "byte 0xff is not UTF-8"),
        ("a.csv", "a,b\nonly\n", 2, "expected 2 columns, found 1"),
        ("a.csv", '"a\nb",c\n"d\ne"\nf,g\n', 3, "expected 2 columns, found 1"),
        ("a.csv", "source,target,id\na,b\n", 2, "expected 3 columns, found 2"),
        ("a.csv", 'a,b\nc,"d\n', 2, "a quote is not closed"),
        ("a.csv", ",b\n", 1, "the source is empty"),
        ("a.jsonl", '{"source":"a","target":"b"}\n{"source":\n', 2, "not JSON: "),
        ("a.jsonl", '["a", "b"]\n', 1, "expected an object"),
        (
            "a.jsonl",
            '{"source": "a", "target": "b"}\n{"source": "a", "id": 7}\n',
            2,
            'no "target"; the keys are "source", "id"',
        ),
        ("a.jsonl", '{"source": ["a"], "target": "b"}\n', 1, '"source" is not a string'),
        ("a.jsonl", '{"source": "", "target": "b"}\n', 1, "the source is empty"),
    ],
)
def test_a_bad_row_is_named(write, name, content, line, reason):
    path = write(name, content)
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert caught.value.reason.startswith(reason)
    assert str(caught.value).startswith(f"{path}:{line}: {reason}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_a_file_without_pairs(write, name, content):
    path = write(name, content)
    with pytest.raises(UserError, match="contains no pairs"):
        read_pairs(path)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((" ", "b"), "the source is empty"),
        (("a", None), "the target is empty"),
        (("a", float("nan")), "the target is empty"),
        (("a", "b", "c"), "expected 2 columns, found 3"),
        (("a",), "expected 2 columns, found 1"),
        ("ab", "expected a tuple of texts, found one text"),
    ],
)
def test_pairs_in_memory_are_held_to_the_same(row, reason):
    assert read_pairs([("a", "b")]).targets == ["b"]
    with pytest.raises(DataError, match=f"^data in memory:2: {reason}$"):
        read_pairs([("a", "b"), row])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match=r"b\.tsv does not exist"):
        read_pairs(tmp_path / "b.tsv")
    with pytest.raises(UserError, match=r"b\.txt.*\.csv, \.tsv, \.jsonl"):
        read_pairs(tmp_path / "b.txt")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(UserError, match=r"cannot read .*folder\.tsv: Is a directory"):
        read_pairs(tmp_path / "folder.tsv")


def test_an_endless_csv_cell(write):
    with pytest.raises(DataError, match=r"a\.csv:2: .*a quote is not closed"):
        read_pairs(write("a.csv", 'a,b\n"' + "x\n" * 100_000))


words = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1)
# A byte order mark at the beginning is none of the text, and databases write missing texts as \N.
texts = words.filter(lambda text: text.strip() and not text.startswith("\ufeff") and text != r"\N")


@settings(max_examples=50, deadline=None)
@example(pairs=[("A", "TEXT")])  # which would be a header
@given(pairs=st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_every_format_gives_back_what_was_written(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("pairs")
    quoted = [[text.replace('"', '""') for text in pair] for pair in pairs]
    plain = [pair for pair in pairs if not any(text.startswith('"') for text in pair)]
    written = {
        "a.csv": "source,target\n"
        + "\n".join(f'"{source}","{target}"' for source, target in quoted),
        "a.jsonl": "\n".join(json.dumps({"source": s, "target": t}) for s, t in pairs),
    }
    for name, content in written.items():
        (folder / name).write_bytes(content.encode())
        assert rows(folder / name) == pairs
    if plain:  # in TSV, quotes around cells may be quoting
        lines = ["\t".join(pair) for pair in [("source", "target"), *plain]]
        (folder / "a.tsv").write_bytes("\n".join(lines).encode())
        assert rows(folder / "a.tsv") == plain


def test_scores_and_weights_may_have_decimal_commas(write):
    """As tables of most of Europe have them; values and series are read so, too."""
    path = write("a.csv", "satz1;satz2;score\na b;c d;4,5\ne f;g h;1\ni;j;0,25\n")
    assert read_scored_pairs(path).scores == [4.5, 1.0, 0.25]
    path = write("b.csv", "satz1;satz2;score\na b;c d;1,250\ne f;g h;2,500\n")
    with pytest.raises(UserError, match="'1,250' can have a decimal comma, or one between"):
        read_scored_pairs(path)
    path = write("c.csv", "text;label;weight\na b;up;0,5\nc d;down;2\ne f;up;1,5\n")
    options = ReadOptions(names=ColumnNames(weight="weight"))
    assert read_labeled(path, options).weights == [0.5, 2.0, 1.5]


def test_scores_that_are_not_trained_on_are_a_warning(write, caplog):
    """An embedder learns from pairs of similar texts: those with a score of 0 are none."""
    rows = [f"a {n},the {n},{n % 6}\n" for n in range(30)]
    path = write("a.csv", "sentence1,sentence2,score\n" + "".join(rows))
    assert read_similar_pairs(path).sources == read_pairs(path).sources
    assert "a.csv: score is not trained on: all pairs are taken to be similar" in caplog.text
    caplog.clear()
    path = write("b.csv", "anchor,positive\n" + "".join(f"a {n},the {n}\n" for n in range(30)))
    assert len(read_similar_pairs(path)) == 30
    path = write(
        "c.csv", "sentence1,sentence2,score\n" + "".join(f"a {n},the {n},1\n" for n in range(30))
    )
    assert len(read_similar_pairs(path)) == 30 and not caplog.text
    assert read_similar_pairs([("a hat", "the hat")]).targets == ["the hat"]


def test_targets_that_repeat_can_be_named(write):
    """The message says to name the column, which was refused again."""
    rows = [f"a {n},the {n % 3}\n" for n in range(30)]
    path = write("a.csv", "sentence1,sentence2\n" + "".join(rows))
    with pytest.raises(UserError, match="sentence2 has only 3 different values in 30 rows; train"):
        read_pairs(path)
    named = ReadOptions(ColumnNames(target="sentence2"))
    assert read_pairs(path, named).targets[:4] == ["the 0", "the 1", "the 2", "the 0"]
