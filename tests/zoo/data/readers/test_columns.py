"""Files as people have them: which column is what, and what is refused."""

import gzip
import json

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data.readers.documents import read_documents
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.pairs import read_pairs
from zoo.data.readers.scored_pairs import read_scored_pairs
from zoo.errors import DataError, UserError
from zoo.option_names import typed_options

ROWS = 24
LETTERS = [chr(97 + i) for i in range(ROWS)]
REVIEWS = [f"this film was {'so ' * (i % 5)}number {x}, I saw it" for i, x in enumerate(LETTERS)]
LABELS = ["negative", "positive", "positive"] * (ROWS // 3)
IDS = [str(1000 + 7 * i) for i in range(ROWS)]
GERMAN = [f"dieser Film war {x}, und ich sah ihn" for x in LETTERS]


def csv(*columns, header=None, delimiter=","):
    def quoted(cell):
        return f'"{cell}"' if delimiter in cell else cell

    rows = [*([header] if header else []), *zip(*columns, strict=True)]
    return "".join(delimiter.join(map(quoted, row)) + "\n" for row in rows)


TAB = {"delimiter": "\t"}
LABELED = {
    "known names": ("a.csv", csv(REVIEWS, LABELS, header=("review", "sentiment"))),
    "known names, swapped": ("a.csv", csv(LABELS, REVIEWS, header=("sentiment", "review"))),
    "known names in TSV": ("a.tsv", csv(REVIEWS, LABELS, header=("text", "label"), **TAB)),
    "with an id": ("a.csv", csv(IDS, REVIEWS, LABELS, header=("id", "text", "label"))),
    "with an index": ("a.csv", csv(IDS, REVIEWS, LABELS, header=("", "text", "label"))),
    "unknown names": ("a.csv", csv(REVIEWS, LABELS, header=("Kommentar", "Stimmung"))),
    "unknown names, swapped": ("a.csv", csv(LABELS, REVIEWS, header=("Stimmung", "Kommentar"))),
    "semicolons": ("a.csv", csv(REVIEWS, LABELS, header=("text", "label"), delimiter=";")),
    "no header": ("a.csv", csv(REVIEWS, LABELS)),
    "no header, swapped": ("a.tsv", csv(LABELS, REVIEWS, **TAB)),
    "no header, with an id": ("a.tsv", csv(IDS, REVIEWS, LABELS, **TAB)),
    "blank lines before": ("a.csv", "\n\n" + csv(REVIEWS, LABELS, header=("text", "label"))),
    "compressed": (
        "a.csv.gz",
        gzip.compress(csv(REVIEWS, LABELS, header=("text", "label")).encode()),
    ),
    "json lines": (
        "a.jsonl",
        "\n".join(
            json.dumps({"id": i, "body": r, "class": s})
            for i, r, s in zip(IDS, REVIEWS, LABELS, strict=True)
        ),
    ),
    "json": (
        "a.json",
        json.dumps([{"text": r, "label": s} for r, s in zip(REVIEWS, LABELS, strict=True)]),
    ),
}


@pytest.mark.parametrize("case", LABELED)
def test_labeled_texts_are_understood(write, case):
    actual = read_labeled(write(*LABELED[case]))
    assert (actual.texts, actual.labels, actual.seconds) == (REVIEWS, LABELS, None)


def test_what_was_understood_is_told(write):
    path = write("a.csv", csv(IDS, LABELS, REVIEWS, header=("id", "sentiment", "review")))
    mean = sum(map(len, REVIEWS)) / ROWS
    assert str(read_labeled(path)) == (
        f"{path}: 24 texts with 2 labels; text = review (mean {mean:.0f} characters), "
        "label = sentiment (2 values: negative 8, positive 16); header: yes"
    )
    plain = write("b.tsv", csv(IDS, REVIEWS, LABELS, **TAB))
    assert "text = column 2 (mean" in str(read_labeled(plain))
    assert str(read_labeled(plain)).endswith("; header: no")
    assert str(read_labeled([("a", "b"), ("c", "d")])) == "data in memory: 2 texts with 2 labels"


def test_parquet_with_text_that_is_not_unicode(tmp_path):
    path = tmp_path / "a.parquet"
    offsets = pa.array([0, 1, 2], pa.int32()).buffers()[1]
    texts = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a\xc3"))
    pa.parquet.write_table(pa.table({"label": [0, 1], "text": texts}), path)
    with pytest.raises(UserError, match=r"a\.parquet is damaged: 'utf-8' codec can't decode"):
        read_labeled(path)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow(tmp_path, kind):
    path, rows = tmp_path / "a.arrow", pa.table({"Stimmung": [0, 1] * 12, "Kommentar": REVIEWS})
    with getattr(pa.ipc, f"new_{kind}")(path, rows.schema) as file:
        file.write_table(rows, max_chunksize=7)
    actual = read_labeled(path)
    assert actual.texts == REVIEWS and actual.labels == ["0", "1"] * 12
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"a\.arrow is (not an Arrow file|damaged)"):
        read_labeled(path)


@pytest.mark.parametrize("schema", [True, False])
def test_files_with_names_of_columns_that_are_not_unicode(tmp_path, schema):
    table = pa.table({"text": REVIEWS, "label": [0, 1] * 12})
    parquet, arrow = tmp_path / "a.parquet", tmp_path / "a.arrow"
    pa.parquet.write_table(table, parquet, store_schema=schema)
    with pa.ipc.new_file(arrow, table.schema) as file:
        file.write_table(table)
    for path, kind in ((parquet, "a Parquet"), (arrow, "an Arrow")):
        path.write_bytes(path.read_bytes().replace(b"label", b"\xecabel"))
        with pytest.raises(UserError, match=rf"is not {kind} file: 'utf-8' codec can't decode"):
            read_labeled(path)


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"label": [0, 1] * 12, "text": REVIEWS}), path)
    assert read_labeled(path).texts == REVIEWS and read_labeled(path).labels == ["0", "1"] * 12
    path.write_bytes(path.read_bytes().replace(b"schema", b"SCHEMA\0\0"))
    with pytest.raises(UserError, match=r"a\.parquet is not a Parquet file"):
        read_labeled(path)
    path.write_bytes(b"PAR1 but not really")
    with pytest.raises(UserError, match=r"a\.parquet is not a Parquet file"):
        read_labeled(path)


def test_options_name_the_columns(write):
    path = write("a.csv", csv(REVIEWS, GERMAN, LABELS, IDS, header=("x", "y", "z", "label")))
    options = ReadOptions(ColumnNames(text="Y", label="z"))
    assert read_labeled(path, options).texts == GERMAN
    assert read_labeled(path, options).labels == LABELS
    path = write("b.tsv", csv(REVIEWS, GERMAN, LABELS, **TAB))
    options = ReadOptions(ColumnNames(text="2", label="3"))
    assert read_labeled(path, options).texts == GERMAN
    assert read_pairs(path, ReadOptions(ColumnNames(source="2", target="1"))).targets == REVIEWS
    with pytest.raises(UserError, match="no column 'q' for text_column; there is no header, and"):
        read_labeled(path, ReadOptions(ColumnNames(text="q")))
    with pytest.raises(UserError, match="no column 'text' for text_column; choose from review, "):
        path = write("c.csv", csv(REVIEWS, LABELS, header=("review", "sentiment")))
        read_labeled(path, ReadOptions(ColumnNames(text="text")))


def test_a_name_that_the_user_gave_makes_a_header(write):
    path = write("a.csv", "qqq,zzz\none,1\ntwo,2\n")
    assert read_pairs(path).sources == ["qqq", "one", "two"]
    assert read_pairs(path, ReadOptions(ColumnNames(source="zzz", target="qqq"))).sources == [
        "1",
        "2",
    ]


@pytest.mark.parametrize(
    ("columns", "header", "message"),
    [
        ((REVIEWS, GERMAN, LABELS), ("review", "comment", "label"), "several columns could be the "
         "text: review, comment; choose with text_column"),
        ((REVIEWS, GERMAN, LABELS), ("q", "w", "label"), "cannot tell which column is the text; "
         "the columns are q, w, label; choose with text_column"),
        ((REVIEWS, GERMAN), ("text", "label"), "label has 24 different values in 24 rows, too "
         "many for labels; name the column of the labels with label_column"),
        ((REVIEWS, GERMAN, REVIEWS, GERMAN), None, r"there is no header, and the first row has the "
         r"columns 1 \('this film was number'\), 2 "),
    ],
)  # fmt: skip
def test_what_is_ambiguous_is_refused(write, columns, header, message):
    path = write("a.csv", csv(*columns, header=header))
    with pytest.raises(UserError, match=message):
        read_labeled(path)


def test_labels_are_no_targets(write):
    path = write("a.csv", csv(REVIEWS, LABELS, header=("text", "label")))
    with pytest.raises(UserError, match="label has only 2 different values in 24 rows; train"):
        read_pairs(path)
    with pytest.raises(UserError, match="column 2 has only 2 different values"):
        read_pairs(write("b.tsv", csv(REVIEWS, LABELS, **TAB)))


@pytest.mark.parametrize(
    "header", [("en", "de"), ("de", "en"), ("source", "target"), ("article", "summary")]
)
def test_pairs_with_a_header(write, header):
    path = write("a.csv", csv(IDS, REVIEWS, GERMAN, header=("id", *header)))
    assert (read_pairs(path).sources, read_pairs(path).targets) == (REVIEWS, GERMAN)


@pytest.mark.parametrize(
    "header",
    [
        ("What was it like?", "Rate us (1-5)"),
        ("Review (EN)", "Sentiment [0/1]"),
        ("1. Comment", "2. Verdict"),
        ("comment/remark", "result"),
        ("% text", "label#"),
        ("Commentaire : l'avis", "Note"),
    ],
)
def test_names_with_other_signs_are_a_header(write, header):
    """A survey's questions, units and numbers, above labels and above numbers."""
    labeled = read_labeled(write("a.csv", csv(REVIEWS, LABELS, header=header)))
    assert (labeled.texts, labeled.labels) == (REVIEWS, LABELS)
    path = write("b.tsv", csv(LABELS, REVIEWS, header=header[::-1], **TAB))
    assert read_labeled(path).texts == REVIEWS
    stars = [str(1 + i % 5) for i in range(ROWS)]
    rated = read_labeled(write("c.csv", csv(REVIEWS, stars, header=header)))
    assert (rated.texts, rated.labels) == (REVIEWS, stars)


@pytest.mark.parametrize(
    "row", [("a lovely one, was it not?", "positive"), (REVIEWS[0] + " twice!", "mixed (so-so)")]
)
def test_texts_with_other_signs_are_no_header(write, row):
    """Neither with a label that occurs below, nor with a rare one beside a text of their length."""
    rows = [row, *zip(REVIEWS, LABELS, strict=True)]
    assert read_labeled(write("a.csv", csv(*zip(*rows, strict=True)))).texts[0] == row[0]


@pytest.mark.parametrize("header", [("q", "w"), ("Frage", "Antwort"), ("col_1", "col_2")])
def test_short_names_above_texts_are_a_header(write, header):
    path = write("a.csv", csv(REVIEWS, GERMAN, header=header))
    assert (read_pairs(path).sources, read_pairs(path).targets) == (REVIEWS, GERMAN)
    path = write("b.tsv", csv(GERMAN, IDS, REVIEWS, header=(header[0], "n", header[1]), **TAB))
    assert str(read_pairs(path)).endswith("; header: yes")
    assert read_documents(write("c.csv", csv(REVIEWS, header=header[:1]))).texts == REVIEWS


def test_the_number_of_a_column_says_that_there_is_no_header(write):
    path = write("a.csv", csv(REVIEWS, GERMAN, header=("Prologue", "Vorwort")))
    actual = read_pairs(path, ReadOptions(ColumnNames(source="1", target="2")))
    assert (actual.sources, actual.targets) == (["Prologue", *REVIEWS], ["Vorwort", *GERMAN])
    assert "; header: no" in str(actual)


@pytest.mark.parametrize(
    "rows",
    [
        [("Hallo", "hello there"), *zip(GERMAN, REVIEWS, strict=True)],
        [("Hallo", "hello"), *zip(GERMAN, REVIEWS, strict=True), ("ja", "yes")],
        [("Ja doch", "yes"), *zip(GERMAN, REVIEWS, strict=True)],
        [("x" * n, "y" * n) for n in range(1, 24)],
        [("Hallo", "hello"), *zip(GERMAN[:9], REVIEWS, strict=False)],
    ],
    ids=["two words", "other short texts", "two words first", "sorted", "few rows"],
)
def test_short_texts_are_no_header(write, rows):
    actual = read_pairs(write("a.tsv", csv(*zip(*rows, strict=True), **TAB)))
    assert list(zip(actual.sources, actual.targets, strict=True)) == rows


def test_targets_may_look_like_identifiers(write):
    actual = read_pairs(write("a.tsv", csv(REVIEWS, IDS, **TAB)))
    assert (actual.sources, actual.targets) == (REVIEWS, IDS)


def test_pairs_of_sentences_with_labels_and_with_similarities(write):
    names = ("sentence1", "sentence2")
    path = write("a.tsv", csv(IDS, REVIEWS, GERMAN, LABELS, header=("idx", *names, "label"), **TAB))
    actual = read_labeled(path)
    assert (actual.texts, actual.seconds, actual.labels) == (REVIEWS, GERMAN, LABELS)
    numbers = [f"{i / 7:.3f}" for i in range(ROWS)]
    path = write("b.csv", csv(REVIEWS, GERMAN, numbers, header=(*names, "score")))
    assert _cells(path) == (REVIEWS, GERMAN, [float(each) for each in numbers])
    assert _cells(write("c.tsv", csv(REVIEWS, GERMAN, numbers, **TAB)))[2] is not None
    assert _cells(write("d.tsv", csv(REVIEWS, GERMAN, **TAB))) == (REVIEWS, GERMAN, None)


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("source", "target", "score"), {}),
        (("source", "target", "gold"), {}),  # the last of three, with numbers
        (("question", "answer", "label"), {}),
        (("text", "second", "label"), {}),
        (("x", "y", "z"), {"source": "x", "target": "y", "score": "z"}),
    ],
)
def test_names_of_scored_pairs_are_those_of_pairs(write, names, options):
    numbers = [str(i % 4) for i in range(ROWS)]
    path = write("a.csv", csv(REVIEWS, GERMAN, numbers, header=names))
    actual = read_scored_pairs(path, ReadOptions(ColumnNames(**options)))
    assert (actual.sources, actual.targets) == (REVIEWS, GERMAN)
    assert actual.scores == [float(each) for each in numbers]
    pairs = read_pairs(path, ReadOptions(ColumnNames(**options)))
    assert (pairs.sources, pairs.targets) == (REVIEWS, GERMAN)


def test_the_pairs_of_a_table_with_more_columns_are_without_scores(write):
    path = write("a.csv", csv(IDS, REVIEWS, GERMAN, header=("id", "source", "target")))
    assert _cells(path) == (REVIEWS, GERMAN, None)


def _cells(path):
    actual = read_scored_pairs(path)
    return actual.sources, actual.targets, actual.scores


def test_bad_rows_are_counted_and_can_be_left_out(write):
    rows = csv(REVIEWS, LABELS).splitlines()
    rows[3], rows[9], rows[17] = "only", " ,positive", "a,b,c"
    path = write("a.csv", "text,label\n" + "\n".join(rows))
    with pytest.raises(DataError) as caught:
        read_labeled(path)
    assert str(caught.value) == (
        f"{path}:5: expected 2 columns, found 1; 3 rows are invalid, in lines 5, 11, 19; "
        "use skip_bad_rows=True to skip such rows"
    )
    actual = read_labeled(path, ReadOptions(skip_bad_rows=True))
    assert actual.texts == [each for i, each in enumerate(REVIEWS) if i not in (3, 9, 17)]
    assert str(actual).endswith("; 3 bad rows skipped")


def test_lines_are_counted_through_quoted_newlines(write):
    path = write("a.csv", 'text,label\n"two\nlines",x\n\n"three\n\nlines",y\nbad\nfine,x\n')
    with pytest.raises(DataError, match=r"a\.csv:8: expected 2 columns, found 1"):
        read_labeled(path)


def test_labels_that_occur_once_are_reported(write):
    path = write("a.csv", csv([*REVIEWS, "another film"], [*LABELS, "neutral"]))
    assert str(read_labeled(path)).endswith("; 1 label used only once")


def test_words_that_some_libraries_take_for_missing_are_labels(write):
    path = write("a.csv", "text,label\nNA,null\nNaN,None\nnull,007\n")
    assert read_labeled(path).labels == ["null", "None", "007"]
    assert read_labeled(path).texts == ["NA", "NaN", "null"]


def test_several_files_and_patterns(write, tmp_path):
    write("a.csv", csv(REVIEWS, LABELS, header=("text", "label")))
    write("b.csv", csv(LABELS, GERMAN, header=("label", "text")))
    for data in ([tmp_path / "a.csv", tmp_path / "b.csv"], str(tmp_path / "*.csv")):
        actual = read_labeled(data)
        assert (actual.texts, actual.labels) == ([*REVIEWS, *GERMAN], LABELS * 2)
    with pytest.raises(UserError, match="no file matches"):
        read_labeled(tmp_path / "*.tsv")


def test_data_frames_and_dictionaries_of_columns():
    columns = {"sentiment": LABELS, "review": REVIEWS}
    assert read_labeled(columns).texts == REVIEWS
    with pytest.raises(UserError, match="the columns differ in length"):
        read_labeled({"text": ["a"], "label": []})


def test_documents_in_tables(write):
    path = write("a.csv", csv(IDS, REVIEWS, header=("id", "review")))
    assert read_documents(path).texts == REVIEWS
    path = write("b.csv", csv(REVIEWS, GERMAN, header=("x", "y")))
    assert read_documents(path, ReadOptions(ColumnNames(text="y"))).texts == GERMAN
    path = write("c.txt.gz", gzip.compress(b"one\ntwo"))
    assert read_documents(path).texts == ["one\ntwo"]


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", gzip.compress(b"a,b\n" * 9, mtime=0)[:-5]])
def test_a_damaged_archive(write, content):
    with pytest.raises(UserError, match=r"a\.csv\.gz (is not a complete gzip|contains no)"):
        read_labeled(write("a.csv.gz", content))


@pytest.mark.parametrize(
    "examples",
    [
        read_labeled([(f"text {i // 2}", "ab"[i % 4 // 2]) for i in range(40)]),
        read_pairs([(f"text {i // 2}", f"Text {i // 2}") for i in range(40)]),
        read_documents([f"text {i // 2}" for i in range(40)]),
    ],
    ids=["labels", "pairs", "documents"],
)
def test_a_share_is_held_out_with_equal_rows_on_one_side(examples):
    first = next(name for name in ("texts", "sources") if hasattr(examples, name))
    kept, held = examples.split(0.25, seed=3)
    ours, theirs = getattr(kept, first), getattr(held, first)
    assert (len(ours), len(theirs)) == (30, 10) and not set(ours) & set(theirs)
    assert sorted(ours + theirs) == sorted(getattr(examples, first))
    assert held.path == "25% of data in memory"
    assert getattr(examples.split(0.25, seed=3)[1], first) == theirs
    assert getattr(examples.split(0.25, seed=4)[1], first) != theirs
    with pytest.raises(UserError, match="above 0 and below 1"):
        examples.split(1.5)


def test_the_end_of_a_single_document_is_held_out():
    kept, held = read_documents(["one\ntwo\nthree\nfour\n"]).split(0.4)
    assert (kept.texts, held.texts) == (["one\ntwo\n"], ["three\nfour\n"])
    with pytest.raises(UserError, match="too short to hold out 40%"):
        read_documents(["one"]).split(0.4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"version": 1, "data": [{"text": "a"}]}',
            'a.json holds an object with the keys "version", "data"; expected a list of objects, '
            'one for each row: write the list under "data" to a file',
        ),
        (
            '{"text": {"0": "a"}, "label": {"0": "b"}}',
            'a.json holds an object with the keys "text", "label"; expected a list of objects, '
            "one for each row: write a list of its rows to a file",
        ),
        (
            '"a"\n"b"\n',
            "a.json: expected a list of objects; found not JSON: Extra data: line 2 column 1 "
            "(char 4)",
        ),
    ],
)
def test_json_that_is_no_list(write, content, message):
    path = write("a.json", content)
    with pytest.raises(UserError) as caught:
        read_documents(path)
    assert str(caught.value) == f"{path.parent}/{message}"


def test_json_with_an_object_on_each_line(write):
    path = write("a.json", '{"text": "a"}\n{"text": "b"}\n\n')
    assert read_documents(path).texts == ["a", "b"]


def test_options_are_named_as_they_are_typed(write):
    path = write("a.csv", csv(REVIEWS, GERMAN, LABELS, header=("q", "w", "label")))
    with typed_options(), pytest.raises(UserError, match="choose with --text-column$"):
        read_labeled(path)
    with pytest.raises(UserError, match="choose with text_column$"):
        read_labeled(path)


@pytest.mark.parametrize("rows", [2, 7, ROWS])
def test_an_empty_column_has_no_role(write, rows):
    columns = ([" "] * rows, [""] * rows, REVIEWS[:rows], LABELS[:rows])
    header = ("Rating", "second", "Review", "Verdict")
    path = write("a.csv", csv(*columns, header=header))
    examples = read_labeled(path)
    assert (examples.labels, examples.inputs["text"]) == (LABELS[:rows], REVIEWS[:rows])
    with pytest.raises(UserError, match=r"a\.csv:2: the label is empty"):
        read_labeled(path, ReadOptions(ColumnNames(label="Rating")))
    dates = [f"2024-01-{1 + i % 3:02}" for i in range(rows)]
    path = write("b.csv", csv(dates, *columns, header=("Date", *header[:3], "Urteil")))
    what = "the column Rating is empty; cannot tell which column is the label; the columns are Date"
    with pytest.raises(UserError, match=what):
        read_labeled(path)
