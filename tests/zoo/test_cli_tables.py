"""`predict` for the rows of a table: each with its prediction in further columns."""

import csv
import io
import json

import numpy as np
import pyarrow.parquet
import pytest
from PIL import Image

import export
import zoo
from tests.zoo.test_cli import refused, run

REVIEWS = [
    ("1", "A title", "a fine film", "good"),
    ("2", "Another", "a dull one", "bad"),
    ("3", "Third", "what a fine day", "good"),
    ("4", "Fourth", "dull, dull; dull", "bad"),
] * 5
SMALL = {"num_buckets": 64}
TABLE = (
    "label,review,note,title\n"
    ',a fine film,"x, y",Third\n'
    'bad,"dull, ""really""\ndull",,Zweiter\n'
    "?,,empty,Ein Titel\n"
)
TEXTS = ["a fine film", 'dull, "really"\ndull', ""]


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    """A run that has learned from the column `review` of a table with two columns of texts."""
    folder = tmp_path_factory.mktemp("reviews")
    with (folder / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "title", "review", "label"), *REVIEWS])
    task = zoo.TextClassifier(text_column="review", **SMALL)
    task.fit(folder / "train.csv", epochs=3, xla=False, verbose=False)
    task.settings.text_column = None  # as if it had been found
    task.save(folder / "run")
    return task, folder / "run"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(TABLE)
    return path


def rows_of(text, **how):
    return [*csv.DictReader(io.StringIO(text), **how)]


def check(rows, task):
    assert [row["prediction"] for row in rows] == task.predict(TEXTS)
    best = task.predict_proba(TEXTS).max(axis=1)
    np.testing.assert_allclose([float(row["score"]) for row in rows], best, rtol=1e-6)


def test_the_rows_come_back_with_predictions(reviews, table, tmp_path):
    task, folder = reviews
    rows = rows_of(run("predict", folder, "--file", table).stdout)
    assert list(rows[0]) == ["label", "review", "note", "title", "prediction", "score"]
    check(rows, task)
    for name in ("label", "review", "note", "title"):
        assert [row[name] for row in rows] == [row[name] for row in rows_of(TABLE)]
    for name in ("out.csv", "out.tsv", "out.jsonl", "out.parquet"):
        done = run("predict", folder, "--file", table, "--out", tmp_path / name)
        assert done.exit_code == 0 and done.stdout == ""
        assert f"{name}: 3 rows\n" in done.stderr
    assert rows_of((tmp_path / "out.csv").read_text()) == rows
    by_tabs = rows_of((tmp_path / "out.tsv").read_text(), delimiter="\t", quoting=csv.QUOTE_NONE)
    assert by_tabs[1]["review"] == 'dull, "really" dull'
    objects = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    stored = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert objects == stored and isinstance(stored[0]["score"], float)
    for each in (by_tabs, objects):
        check(each, task)


def test_the_column_is_that_of_the_training_data(reviews, table):
    task, folder = reviews
    assert task.columns == {"text": "review", "label": "label"}
    assert zoo.load(folder).columns == task.columns
    table.write_text("title,abstract\n" + "a dull one,a fine film\n" * 3)
    assert refused("predict", folder, "--file", table) == (
        f"{table} has no column 'review', as the training data had: cannot tell which column is "
        "the text; the columns are title, abstract; choose with --text-column"
    )
    rows = rows_of(run("predict", folder, "--file", table, "--text-column", "title").stdout)
    assert rows[0]["prediction"] == task.predict(["a dull one"])[0]
    table.write_text("n,comment\n1,a dull one\n2,what a fine day\n")
    done = run("predict", folder, "--file", table)
    assert [row["prediction"] for row in rows_of(done.stdout)] == task.predict(
        ["a dull one", "what a fine day"]
    )
    assert "no column 'review', as the training data had: reads 'comment' instead" in done.stderr


def test_tables_are_read_as_those_for_training(reviews, tmp_path):
    task, folder = reviews
    (tmp_path / "a.csv").write_bytes("sep=;\r\nReview;nr\r\nschön fine;1,5\r\n".encode("cp1252"))
    rows = rows_of(
        run("predict", folder, "--file", tmp_path / "a.csv", "--encoding", "cp1252").stdout
    )
    assert rows[0] == {
        "Review": "schön fine",
        "nr": "1,5",
        "prediction": task.predict(["schön fine"])[0],
        "score": rows[0]["score"],
    }
    (tmp_path / "a.jsonl").write_text('{"review": "fine", "n": 3}\n{"n": null, "review": "x"}\n')
    actual = run("predict", folder, "--file", tmp_path / "a.jsonl").stdout.splitlines()
    assert [json.loads(line)["review"] for line in actual] == ["fine", "x"]
    texts = ["a fine film", "a dull one"]
    (tmp_path / "a.tsv").write_text("\n".join(texts) + "\n")  # one column without a name
    actual = run("predict", folder, "--file", tmp_path / "a.tsv").stdout.splitlines()
    labels = task.predict(texts)
    assert [tuple(line.split("\t")[:2]) for line in actual] == [*zip(texts, labels, strict=True)]


def test_rows_that_cannot_be_read(reviews, table, tmp_path):
    _, folder = reviews
    table.write_text("review,n\na fine film,1\na,dull,one\ndull,2\n")
    out = tmp_path / "out.csv"
    out.write_text("before")
    message = refused("predict", folder, "--file", table, "--out", out)
    assert message == (
        f"{table}:3: expected 2 columns, found 3: cells that contain the separator belong "
        "between double quotes; use --skip-bad-rows to skip such rows"
    )
    assert out.read_text() == "before" and not [*tmp_path.glob("partial*")]
    done = run("predict", folder, "--file", table, "--out", out, "--skip-bad-rows")
    assert done.exit_code == 0
    assert [row["n"] for row in rows_of(out.read_text())] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "more", "message"),
    [
        ("review,prediction\na,b\n", [], "new.csv has a column 'prediction', which is the name"),
        ("review,score\na,b\n", [], "new.csv has a column 'score', which is the name of a column"),
        ("review\n", [], "new.csv has no rows"),
        ("", [], "new.csv has no rows"),
        ("review\na\n", ["--out", "new.csv"], "new.csv is the table to read: name another file"),
        (
            "review\na\n",
            ["--out", "a.xls"],
            "a.xls must end with .csv, .tsv, .jsonl, .parquet or .xlsx",
        ),
        ("review\na\n", ["--out", "no/a.csv"], "no is not a folder: create it first"),
        ("review\na\n", ["--text-column", "x"], "new.csv has no column 'x' for --text-column"),
        ("review\na\n", ["--image-column", "x"], "text-classifier has no option --image-column"),
        ("review\na\n", ["--json"], "--candidates, --chat, --json and --query print their results"),
    ],
)
def test_what_is_refused(reviews, table, monkeypatch, content, more, message):
    monkeypatch.chdir(table.parent)
    table.write_text(content)
    assert message in refused("predict", reviews[1], "--file", "new.csv", *more)
    assert [each.name for each in table.parent.iterdir()] == ["new.csv"]


def test_the_format_to_write_is_checked_before_the_model_is_loaded(table, tmp_path):
    out = tmp_path / "out.xls"
    message = refused("predict", tmp_path / "no run", "--file", table, "--out", out)
    assert message == f"{out} must end with .csv, .tsv, .jsonl, .parquet or .xlsx"


def test_a_workbook_is_answered_by_a_workbook(reviews, table, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    table.write_text('id,review\n1,"=1+1"\n2,"a ""fine"" film\v"\n')
    for out in ("a.csv", "a.xlsx"):
        assert run("predict", reviews[1], "--file", table, "--out", tmp_path / out).exit_code == 0
    rows = [*openpyxl.load_workbook(tmp_path / "a.xlsx")["predictions"].iter_rows()]
    plain = rows_of((tmp_path / "a.csv").read_text())
    assert [cell.value for cell in rows[0]] == [*plain[0]]
    for cells, row in zip(rows[1:], plain, strict=True):
        assert [str(cell.value) for cell in cells[:3]] == [
            *(row[name].replace("\v", "") for name in ("id", "review", "prediction"))
        ]
        assert cells[3].value == pytest.approx(float(row["score"]), abs=1e-6)
        assert cells[1].data_type == "s"  # no formula


def test_a_workbook_is_answered_as_its_table(reviews, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    task, folder = reviews
    book = openpyxl.Workbook()
    for row in [["n", "label", "review"], *([i, None, text] for i, text in enumerate(TEXTS[:2]))]:
        book.active.append(row)
    book.save(tmp_path / "new.xlsx")
    done = run("predict", folder, "--file", tmp_path / "new.xlsx", "--out", tmp_path / "out.csv")
    assert done.exit_code == 0, done.stderr
    rows = rows_of((tmp_path / "out.csv").read_text())
    assert [row["prediction"] for row in rows] == task.predict(TEXTS[:2])
    assert [(row["n"], row["label"]) for row in rows] == [("0", ""), ("1", "")]


def test_an_interrupted_table_is_continued(reviews, table, tmp_path):
    task, folder = reviews
    texts = [f"{'fine' if number % 3 else 'dull'} {number}" for number in range(5000)]
    lines = ["review,n", *(f"{text},1" for text in texts)]
    lines[4501] += ",more"
    table.write_text("\n".join([*lines, ""]))
    out = tmp_path / "out.csv"
    done = run("predict", folder, "--file", table, "--out", out)
    assert done.exit_code == 2 and not out.exists()
    kept = tmp_path / "partial.out.csv"
    assert f"{kept} has the first 4,096 rows: the same command continues after them" in done.stderr
    before = rows_of(kept.read_text())
    assert len(before) == 4096
    done = run("predict", folder, "--file", table, "--out", out, "--skip-bad-rows")
    assert f"{out}: continues after 4,096 rows" in done.stderr
    assert f"{out}: 4,999 rows" in done.stderr
    assert f"{table}:4502: expected 2 columns, found 3" in done.stderr
    rows = rows_of(out.read_text())
    assert rows[:4096] == before
    del texts[4500]
    assert [row["review"] for row in rows] == texts
    assert [row["prediction"] for row in rows] == task.predict(texts)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.csv", "out.csv"]


def test_the_most_probable_labels(reviews, table):
    task, folder = reviews
    scores = task.predict_proba(TEXTS)
    rows = rows_of(run("predict", folder, "--file", table, "--top-k", 2).stdout)
    for row, own in zip(rows, scores, strict=True):
        order = [task.labels[i] for i in (-own).argsort()]
        assert [row["label_1"], row["label_2"]] == order
        numbers = [float(row["score_1"]), float(row["score_2"])]
        np.testing.assert_allclose(numbers, sorted(own)[::-1], rtol=1e-6)
    json_rows = json.loads(run("predict", folder, *TEXTS[:1], "--json").stdout)
    (row,) = json_rows
    assert row["prediction"] == task.predict(TEXTS[:1])[0]
    assert {*row["scores"]} == {*task.labels} and row["score"] == max(row["scores"].values())
    np.testing.assert_allclose([row["scores"][x] for x in task.labels], scores[0], rtol=1e-6)
    (row,) = json.loads(run("predict", folder, *TEXTS[:1], "--json", "--top-k", 1).stdout)
    assert row["scores"] == {row["prediction"]: row["score"]}
    line = run("predict", folder, *TEXTS[:1], "--top-k", 1).stdout
    assert line == f"{row['prediction']}\t{row['prediction']}\t{row['score']:.4f}\n"
    assert task.predict(TEXTS[:1], top_k=1) == [row["scores"]]


@pytest.mark.parametrize(
    ("content", "first"),
    [
        (TABLE, "label,review,note,title,prediction,score\n"),
        ("n\treview\n1\ta fine film\n", "n\treview\tprediction\tscore\n"),
        ('{"review": "a fine film"}\n', '{"review": "a fine film", "prediction": "'),
    ],
)
def test_a_table_from_standard_input(reviews, content, first):
    task, folder = reviews
    done = run("predict", folder, "--file", "-", input=content)
    assert done.stdout.startswith(first) and task.predict(["a fine film"])[0] in done.stdout
    done = run("predict", folder, "--file", "-", input="")
    assert done.exit_code == 2 and "standard input has no rows" in done.stderr


def test_other_inputs_become_a_table(reviews, tmp_path):
    task, folder = reviews
    out = tmp_path / "out.csv"
    assert run("predict", folder, "a fine film", "dull", "--out", out).exit_code == 0
    rows = rows_of(out.read_text())
    assert [row["input"] for row in rows] == ["a fine film", "dull"]
    assert [row["prediction"] for row in rows] == task.predict(["a fine film", "dull"])
    assert run("predict", folder, "--out", out, input="fine\n").exit_code == 0
    assert [row["input"] for row in rows_of(out.read_text())] == ["fine"]
    assert refused("predict", folder, "fine", "--text-column", "x") == (
        "--text-column has no effect without a table as --file"
    )


def test_one_prompt_is_written_and_not_streamed(tmp_path):
    task = zoo.CausalLM("rnn_lm", "tiny", units=8, max_length=16, max_new_tokens=4)
    task.adapt(["to be or not to be"])
    task.save(tmp_path / "run")
    out = tmp_path / "out.csv"
    done = run("predict", tmp_path / "run", "to be", "--temperature", "0", "--out", out)
    assert (done.exit_code, done.stdout) == (0, ""), done.output
    (row,) = rows_of(out.read_text())
    assert (row["input"], row["prediction"]) == ("to be", task.predict(["to be"], temperature=0)[0])


def test_an_artifact_gives_the_same_table(reviews, table, tmp_path):
    task, folder = reviews
    path = tmp_path / "reviews.tflite"
    assert export.litert(task, path, text="bytes").passed
    expected = rows_of(run("predict", folder, "--file", table).stdout)
    actual = rows_of(run("predict", path, "--file", table).stdout)
    for one, other in zip(expected, actual, strict=True):
        assert float(one.pop("score")) == pytest.approx(float(other.pop("score")), abs=1e-5)
        assert one == other
    assert refused("predict", path, "--file", table, "--image-column", "x") == (
        "the artifact has no option --image-column"
    )


def test_many_rows_are_predicted_in_parts(reviews, table):
    task, folder = reviews
    texts = [f"{'fine' if number % 3 else 'dull'} {number}" for number in range(1009)]
    table.write_text("\n".join(["review", *texts, ""]))
    rows = rows_of(run("predict", folder, "--file", table).stdout)
    assert [row["review"] for row in rows] == texts
    assert [row["prediction"] for row in rows] == task.predict(texts)


@pytest.mark.thorough
def test_pairs_and_values(tmp_path):
    rows = [("a film", "a movie", 1.0), ("a film", "a tree", 0.0), ("tea", "a cup", 0.5)] * 3
    with (tmp_path / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("left", "right", "likeness"), *rows])
    names = {"text_column": "left", "second_column": "right", "value_column": "likeness"}
    task = zoo.TextRegressor(**names, **SMALL)
    task.fit(tmp_path / "train.csv", epochs=1, xla=False, verbose=False)
    task.save(tmp_path / "run")
    (tmp_path / "new.csv").write_text('right,left\na movie,a film\n"a, tree",tea\n')
    actual = rows_of(run("predict", tmp_path / "run", "--file", tmp_path / "new.csv").stdout)
    expected = task.predict([("a film", "a movie"), ("tea", "a, tree")])
    assert [row["right"] for row in actual] == ["a movie", "a, tree"]
    np.testing.assert_allclose([float(row["prediction"]) for row in actual], expected, rtol=1e-5)


@pytest.mark.thorough
def test_images(tmp_path):
    def bar(x):
        image = np.zeros((13, 13), np.uint8)
        image[2:5, x : x + 3] = 255
        return image

    small = {"layers": [[4, 3], [4, 3]], "localization": [[2, 3]]}
    task = zoo.ImageClassifier("stn_classifier", "affine", **small)
    task.fit([(bar(1), "left"), (bar(9), "right")] * 4, epochs=2, xla=False, verbose=False)
    task.save(tmp_path / "run")
    (tmp_path / "photos").mkdir()
    for name, x in (("a", 1), ("b", 9)):
        Image.fromarray(bar(x)).save(tmp_path / "photos" / f"{name}.png")
    table = tmp_path / "new.tsv"
    table.write_text("who\tfile_name\nAnn\tphotos/b.png\nBob\tphotos/a.png\n")
    actual = rows_of(run("predict", tmp_path / "run", "--file", table).stdout, delimiter="\t")
    assert [row["who"] for row in actual] == ["Ann", "Bob"]
    assert [row["prediction"] for row in actual] == task.predict([bar(9), bar(1)])
    names = [str(tmp_path / "photos" / name) for name in ("a.png", "b.png")]
    (tmp_path / "photos" / "notes.txt").write_text("no image")
    for given in (tmp_path / "photos", tmp_path / "photos" / "*.png"):
        done = run("predict", tmp_path / "run", given, "--out", tmp_path / "out.csv")
        assert done.exit_code == 0
        actual = rows_of((tmp_path / "out.csv").read_text())
        assert [row["file_name"] for row in actual] == names
        assert [row["prediction"] for row in actual] == task.predict([bar(1), bar(9)])
        lines = run("predict", tmp_path / "run", given).stdout.splitlines()
        assert lines == [f"{row['file_name']}\t{row['prediction']}" for row in actual]
    assert run("predict", tmp_path / "run", names[0]).stdout == f"{actual[0]['prediction']}\n"
    (tmp_path / "empty").mkdir()
    assert "empty has no files that end in .png, .jpg" in refused(
        "predict", tmp_path / "run", tmp_path / "empty"
    )
    table.write_text("file_name\n../x.png\n")
    assert "new.tsv:2: '../x.png': the image '../x.png' is outside of the folder" in refused(
        "predict", tmp_path / "run", "--file", table
    )
