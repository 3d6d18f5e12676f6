"""What `inspect` says of a file."""

import numpy as np
import PIL.Image
import pytest

from tests.zoo.test_cli import run
from zoo.data.inspection import inspect
from zoo.data.inspection.remnants import remnants
from zoo.data.inspection.results import Fit
from zoo.errors import UserError
from zoo.registry import TASKS
from zoo.registry_rows import resolve

TEXTS = [f"{'very ' * (i % 4)}fine day number {chr(97 + i)}" for i in range(23)]
LABELS = ["sun", "rain", "sun", "wind"] * 6


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    rows = "".join(f"{7 * i},{text},{LABELS[i]}\n" for i, text in enumerate(TEXTS))
    path.write_text("key,note,kind\n" + rows + "only\n\n" + f"0,{TEXTS[0]},sun\n")
    return path


def test_columns_rows_and_task_of_a_table(table):
    actual = inspect(table)
    assert (actual.task, actual.header, actual.rows) == ("text-classifier", True, 24)
    assert (actual.blank, actual.duplicates, actual.overlap) == (1, 1, None)
    assert actual.bad == ["25: expected 3 columns, found 1"]
    assert [each.name for each in actual.columns] == ["key", "note", "kind"]
    key, note, kind = actual.columns
    assert (note.kind, note.distinct, note.longest) == ("text", 23, max(map(len, TEXTS)))
    assert kind.kind == "label" and kind.values == {"sun": 13, "rain": 6, "wind": 5}
    assert key.kind == "number" and key.empty == 0
    assert actual.texts == [*TEXTS, TEXTS[0]]


def test_rows_that_the_first_task_would_skip_are_bad(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("".join(f"{text},{text.upper()}\n" for text in TEXTS) + "a note,\nb,c,d\n")
    actual = inspect(path)
    assert actual.task == "text-to-text"
    assert [reason.split(" 3:")[0] for reason in actual.bad] == [
        "24: the target is empty",
        "25: expected 2 columns, found",
    ]
    assert actual.understood.endswith("2 bad rows skipped")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("salt &amp; pepper", "HTML entities, such as &amp;:"),
        ("it&#8217;s", "HTML entities, such as &#8217;:"),
        ("one<br />two", "HTML tags, such as <br />:"),
        ('<a href="x">here</a>', 'HTML tags, such as <a href="x">:'),
        ("low@@ er", "marks of split words, such as w@@:"),
        ("low ##er", "marks of split words, such as ##er:"),
        ("▁low er", "marks of split words, such as ▁low:"),
        ("grÃ¼n", "letters of a wrong encoding, such as Ã¼:"),
        ("itâ€™s", "letters of a wrong encoding, such as â€™:"),
        ("gr\ufffdn", "letters of a wrong encoding, such as \ufffd:"),
    ],
)
def test_what_other_programs_left_is_said(text, name):
    said = remnants(["plain", text, "a & b < c > d; me@@home.org # 1 São Ânimo"])
    assert len(said) == 1 and said[0].startswith(f"1 of 3 texts has {name} ")


def test_the_command_says_what_other_programs_left(table):
    table.write_text(table.read_text().replace("fine day number c", "fine &lt;day&gt; c"))
    shown = run("inspect", str(table)).output
    assert "1 of 24 texts has HTML entities, such as &lt;: replace them first" in shown


def test_validation_rows_that_are_known_from_training(table, tmp_path):
    (tmp_path / "v.csv").write_text(f"note,kind\n{TEXTS[3]},rain\nnew,sun\n{TEXTS[5]},sun\n")
    assert inspect(table, tmp_path / "v.csv").overlap == 2


@pytest.mark.parametrize(
    ("name", "content", "task"),
    [
        ("a.tsv", "".join(f"{text}\tT{text}\n" for text in TEXTS), "text-to-text"),
        ("a.txt", "to be or not to be\nthat is the question\n", "causal-lm"),
        ("a.conll", "Ann B-PER\nsings O\n\nrain O\nfalls O\n", "token-tagger"),
        ("a.jsonl", "".join(f'{{"body": "{text}"}}\n' for text in TEXTS), "causal-lm"),
        (
            "a.csv",
            "id,context,question,answer\n" + "7,Ann sings at home.,Who sings?,Ann\n" * 5,
            "question-answering",
        ),
        (
            "a.json",
            '{"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": "Ann sings.", '
            '"qas": [{"question": "Who?", "answers": [{"text": "Ann", "answer_start": 0}]}]}]}]}',
            "question-answering",
        ),
        (
            "a.tsv",
            "query\tpassage\tscore\n" + "a hat\tthe red hat\t1\na hat\ta blue cup\t0\n" * 3,
            "text-pair-scorer",
        ),
        (
            "a.csv",
            "anchor,positive\n" + "a hat,the red hat\ncold tea,iced tea\n",
            "text-pair-scorer",
        ),
        (
            "a.csv",
            "question,text,label\n" + "why?,so be it,yes\nhow?,let it be,no\n" * 9,
            "text-classifier",
        ),
        ("a.csv", "a,b,c,d\n" + "x y z,x z y,z x y,z y x\n" * 2, None),
    ],
)
def test_the_task_that_fits(tmp_path, name, content, task):
    (tmp_path / name).write_text(content)
    actual = inspect(tmp_path / name)
    assert actual.task == task
    if task is None:
        assert "text-classifier: " in actual.understood and "text-to-text: " in actual.understood


def test_unknown_names_above_texts_are_no_row(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n" + "".join(f"{x},on {x},off {x}\n" for x in TEXTS))
    actual = inspect(tmp_path / "a.csv")
    assert (actual.header, actual.rows) == (True, 23)
    assert [each.name for each in actual.columns] == ["a", "b", "c"]


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(UserError, match=r"b\.csv does not exist"):
        inspect(tmp_path / "b.csv")


@pytest.mark.parametrize("text", ["when,id,x,label\n", "id,x,y,class\n"])
def test_a_table_of_series_with_labels(tmp_path, text):
    rows = "".join(f"{i},{'ab'[i // 7]},{i % 3},{'pq'[i // 7]}\n" for i in range(14))
    if not text.startswith("when"):
        rows = "".join(f"{'ab'[i // 7]},{i % 3},{i},{'pq'[i // 7]}\n" for i in range(14))
    (tmp_path / "a.csv").write_text(text + rows)
    actual = inspect(tmp_path / "a.csv")
    assert actual.task == "series-classifier" and "2 series of 7 steps with 2 labels" in str(actual)


@pytest.mark.parametrize(
    ("x", "task"),
    [
        (np.arange(35.0).reshape(7, 5), "series-classifier"),
        (np.arange(-5.0, 37).reshape(7, 3, 2), "series-classifier"),
        (
            np.where(np.arange(42) == 17, np.nan, np.arange(42)).reshape(7, 3, 2),
            "series-classifier",
        ),
        (np.arange(168).reshape(7, 6, 4), "image-classifier"),
    ],
)
def test_arrays_of_series_or_images(tmp_path, x, task):
    np.savez(tmp_path / "a.npz", x=np.concatenate([x] * 4), y=np.array(list("ababbba") * 4))
    actual = inspect(tmp_path / "a.npz")
    assert actual.duplicates == 21
    assert (actual.task, actual.rows, actual.columns[0].values) == (task, 28, {"b": 16, "a": 12})


NUMBERS = range(60)
DAYS = [f"{i % 28 + 1:02}" for i in NUMBERS]
TWEETS = [f"@Air{i} what a flight, it was number {i} of the day" for i in NUMBERS]
MOODS = ["neutral", "positive", "negative"] * 20
WITHOUT = {
    "numbers": ("x", [f"{i}.5" for i in NUMBERS], "y", [f"{i}.25" for i in NUMBERS]),
    "two columns of dates": (
        *("start", [f"2024-01-{day}" for day in DAYS]),
        *("end", [f"2024-02-{day}" for day in DAYS]),
    ),
    "users and items": (
        *("source", [f"u{i % 9}" for i in NUMBERS]),
        *("target", [f"v{i % 47}" for i in NUMBERS]),
    ),
    "edges, capitals": ("Source", [f"n{i % 9}" for i in NUMBERS], "Target", [*map(str, NUMBERS)]),
    "no valid row": ("text", [""] * 60, "label", MOODS),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_tables_that_no_task_fits(tmp_path, name):
    first, ones, second, others = WITHOUT[name]
    rows = "".join(f"{one},{other}\n" for one, other in zip(ones, others, strict=True))
    (tmp_path / "a.csv").write_text(f"{first},{second}\n{rows}")
    actual = inspect(tmp_path / "a.csv")
    assert actual.fits == [] and actual.task is None
    assert "text-classifier: " in actual.understood and "causal-lm: " in actual.understood


def tweets(tmp_path, header, *columns):
    rows = "".join(
        ",".join(f'"{cell}"' for cell in row) + "\n" for row in zip(*columns, strict=True)
    )
    (tmp_path / "a.csv").write_text(f"{header}\n{rows}")
    return tmp_path / "a.csv"


def test_every_task_that_fits_with_the_options_that_it_needs(tmp_path):
    airlines = ["Virgin", "Delta"] * 30
    path = tweets(tmp_path, "id,mood,airline,tweet", NUMBERS, MOODS, airlines, TWEETS)
    actual = inspect(path)
    assert actual.fits == [
        Fit("text-classifier", {"label_column": "mood"}),
        Fit("text-classifier", {"label_column": "airline"}),
        *(Fit(task, {}) for task in ("causal-lm", "masked-lm", "denoising")),
    ]
    assert actual.texts == TWEETS and "label = mood (3 values: " in actual.understood
    named = inspect(path, options={"label_column": "airline"})
    assert named.fits[0] == Fit("text-classifier", {})
    assert "label = airline (2 values: " in named.understood
    path.write_bytes(path.read_bytes() + b"one\n")
    assert inspect(path).fits[0].options == {"label_column": "mood", "skip_bad_rows": True}


DATES = [f"2024-{1 + i // 5 % 12:02}-{1 + i % 5:02}" for i in range(60)]
STARS_OF_TWEETS = [str(i * 7 % 5 + 1) for i in range(60)]
PEOPLE = ["Ann", "Bo", "Chloé"] * 20


@pytest.mark.parametrize(
    ("header", "columns", "labels"),
    [
        ("Date,Reviewer,Rating,Review,Verdict", (DATES, PEOPLE, [""] * 60, TWEETS, MOODS), [None]),
        ("Date,Person,Rating,Text,Urteil", (DATES, PEOPLE, [" "] * 60, TWEETS, MOODS),
         ["Urteil", "Person"]),
        ("Person,Product Class,Tweet,Note", (PEOPLE, MOODS, TWEETS, STARS_OF_TWEETS),
         ["Product Class", "Note", "Person"]),
        ("Date,Tweet", (DATES[:20] * 3, TWEETS), []),
    ],
)  # fmt: skip
def test_labels_are_named_so_or_last_and_never_dates_or_empty(tmp_path, header, columns, labels):
    path = tweets(tmp_path, header, *columns)
    fits = [fit for fit in inspect(path).fits if fit.task == "text-classifier"]
    assert [fit.options.get("label_column") for fit in fits] == labels
    kinds = {each.name: each.kind for each in inspect(path).columns}
    assert kinds.get("Date", "date") == "date" and kinds.get("Rating", "unknown") == "unknown"


def test_a_table_with_labels_first_has_no_pairs(tmp_path):
    path = tweets(tmp_path, "v1,v2", MOODS, TWEETS)
    assert {fit.task for fit in inspect(path).fits} == {
        *("text-classifier", "causal-lm", "masked-lm", "denoising"),
    }
    path = tweets(tmp_path, "v1,v2", [f"{text}!" for text in TWEETS], TWEETS)
    assert [fit.task for fit in inspect(path).fits][:2] == ["text-to-text", "text-embedder"]


def test_two_columns_of_texts_are_a_pair_whatever_their_names(tmp_path):
    path = tmp_path / "memory.csv"
    targets = [text[::-1] if text != TEXTS[7] else "" for text in TEXTS]
    pairs = enumerate(zip(TEXTS, targets, strict=True))
    rows = [f"{n + 1};{text};{target};2019-03-{1 + n // 5:02}\n" for n, (text, target) in pairs]
    path.write_text("Nr.;Quelle (EN);Ziel (DE);Geändert am\n" + "".join(rows))
    actual = inspect(path)
    named = {"source_column": "Quelle (EN)", "target_column": "Ziel (DE)", "skip_bad_rows": True}
    assert actual.fits[0] == Fit("text-to-text", named)
    assert "target = Ziel (DE)" in actual.understood and "1 bad row skipped" in actual.understood
    given = {"source_column": "Ziel (DE)", "target_column": "Quelle (EN)"}
    assert inspect(path, None, given).understood.startswith("23 rows; source = Ziel (DE)")


def test_the_encoding_of_a_file(tmp_path):
    path = tweets(tmp_path, "note,kind", TEXTS, LABELS[:23])
    path.write_bytes(path.read_text().replace("fine", "très").encode("cp1252"))
    with pytest.raises(UserError, match="seems to be cp1252: give encoding='cp1252'"):
        inspect(path)
    actual = inspect(path, options={"encoding": "cp1252"})
    assert actual.texts[0] == TEXTS[0].replace("fine", "très")


@pytest.mark.parametrize("y", [[0, 1, 1], ["a", "b", "a"]])
def test_graphs_with_the_names_of_pytorch_geometric(tmp_path, y):
    edges = np.array([[0, 1], [1, 2]])
    np.savez(tmp_path / "a.npz", x=np.eye(3), edge_index=edges, y=np.array(y))
    assert inspect(tmp_path / "a.npz").task == "node-classifier"


PRICES = [f"{(i * 37) % 61 + i / 8:.2f}" for i in NUMBERS]
STARS = [str(i * 7 % 5 + 1) for i in NUMBERS]
FLAGS = [str(i * 5 % 3 // 2) for i in NUMBERS]
OTHER_FLAGS = [str(i * 3 % 7 // 4) for i in NUMBERS]
TOPICS = [("art", "news", "sport")[: i % 4] for i in NUMBERS]
SENTENCES = "\n\n".join(
    "\n".join(f"{word}\t{'B-PER' if word == 'Ann' else 'O'}" for word in ("Ann", last, "now"))
    for last in ("sings", "waits", "runs", "sleeps")
)


@pytest.mark.parametrize(
    ("header", "columns", "fits"),
    [
        ("tweet,cost", (TWEETS, PRICES), [Fit("text-regressor", {})]),
        (
            "tweet,id,cost",
            (TWEETS, [str(i) for i in NUMBERS], PRICES),
            [Fit("text-regressor", {})],
        ),
        (
            "sentence1,sentence2,score",
            ([f"{text}!" for text in TWEETS], TWEETS, PRICES),
            [Fit("text-regressor", {}), Fit("text-to-text", {}), Fit("text-embedder", {})],
        ),
        (
            "tweet,stars",
            (TWEETS, STARS),
            [Fit("text-classifier", {}), Fit("text-regressor", {})],
        ),
        ("tweet,stars", (TWEETS, FLAGS), [Fit("text-classifier", {})]),
        (
            "tweet,rude,long",
            (TWEETS, FLAGS, OTHER_FLAGS),
            [Fit("text-classifier", {"multi_label": True, "label_column": "rude,long"})],
        ),
        (
            "tweet,topics",
            (TWEETS, ["|".join(row) for row in TOPICS]),
            [Fit("text-classifier", {"multi_label": True, "label_column": "topics"})],
        ),
        (
            "tweet,topics",
            (TWEETS, ["; ".join(row) for row in TOPICS]),
            [
                Fit(
                    "text-classifier",
                    {"multi_label": True, "label_column": "topics", "label_separator": ";"},
                )
            ],
        ),
        (
            "tweet,rude,long",
            (TWEETS, [str(x == "1") for x in FLAGS], ["yn"[int(x)] for x in OTHER_FLAGS]),
            [Fit("text-classifier", {"multi_label": True, "label_column": "rude,long"})],
        ),
        (
            "tweet,topics",
            (TWEETS, [str(list(row)) for row in TOPICS]),
            [Fit("text-classifier", {"multi_label": True, "label_column": "topics"})],
        ),
        (
            "tweet,note",
            (TWEETS, [("4,5", "1,0", "3,5")[i % 3] for i in NUMBERS]),
            [Fit("text-classifier", {}), Fit("text-regressor", {})],
        ),
        (
            "tweet,cost",
            (TWEETS, [f"${i * 1037:,}.50" for i in NUMBERS]),
            [Fit("text-regressor", {})],
        ),
        (
            "tweet,Preis",
            (TWEETS, [f"{i}.{100 + 7 * i},{i % 10}5 €" for i in NUMBERS]),
            [Fit("text-regressor", {})],
        ),
        ("tweet,remark", (TWEETS, [f"{text}, in short" for text in TWEETS]), []),
    ],
)
def test_values_and_several_labels(tmp_path, header, columns, fits):
    path = tweets(tmp_path, header, *columns)
    inspection = inspect(path)
    others = {"causal-lm", "masked-lm", "denoising"}
    if header != "tweet,remark":
        assert [fit for fit in inspection.fits if fit.task not in others] == fits
    else:
        assert not any("multi_label" in fit.options for fit in inspection.fits)
    for fit in fits:  # as training reads it
        task = resolve(TASKS[fit.task].path)(**fit.options)
        assert len(task.read(path)) == 60


def test_the_overlap_of_several_labels(tmp_path):
    path = tweets(tmp_path, "tweet,rude,long", TWEETS, FLAGS, OTHER_FLAGS)
    validation = tmp_path / "v.csv"
    validation.write_text(f'tweet,rude,long\n"{TWEETS[3]}",0,1\nnew,1,1\n')
    assert inspect(path, validation).overlap == 1


def test_tagged_sentences_in_a_table_of_tabs(tmp_path):
    (tmp_path / "a.tsv").write_text(SENTENCES)
    inspection = inspect(tmp_path / "a.tsv")
    assert inspection.fits == [Fit("token-tagger", {})] and inspection.rows == 4
    # Without sentences, or with texts, it is another table.
    (tmp_path / "a.tsv").write_text(SENTENCES.replace("\n\n", "\n"))
    assert inspect(tmp_path / "a.tsv").task != "token-tagger"
    (tmp_path / "a.tsv").write_text("".join(f"{text}\t{LABELS[0]}\n\n" for text in TEXTS))
    assert inspect(tmp_path / "a.tsv").task != "token-tagger"


def test_sentences_with_indices_and_comments(tmp_path):
    """As GermEval has them: a comment, then index, word and two columns of tags."""
    words = [("Ann", "B-PER", "O"), ("lives", "O", "O"), ("in", "O", "O"), ("Bern", "B-LOC", "O")]
    lines = "\n".join(f"{i}\t" + "\t".join(row) for i, row in enumerate(words, 1))
    (tmp_path / "a.tsv").write_text("\n\n".join([f"#\thttp://a/{i}\n{lines}" for i in range(7)]))
    inspection = inspect(tmp_path / "a.tsv")
    assert inspection.fits == [Fit("token-tagger", {})] and inspection.rows == 7
    assert "word = column 2, tag = column 3" in inspection.understood


def test_recordings_lack_their_transcripts(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF\0\0\0\0WAVE")
    for path, what in ((tmp_path / "a.wav", "a recording"), (tmp_path, "a folder of recordings")):
        with pytest.raises(UserError, match=f"is {what}, without transcripts: speech-recognizer"):
            inspect(path)


CARDS = {
    "picture,kind": ([["cat", "dog"][i % 2] for i in range(24)],),
    "file,label": ([["cat", "dog"][i % 2] for i in range(24)],),
    "file,weight": ([f"{i * 7 % 24}.5" for i in range(24)],),
    "file,tags": (["|".join(("art", "news", "sport")[: i % 4]) for i in range(24)],),
    "file,big,dark": ([str(i % 2) for i in range(24)], [str(i % 3 // 2) for i in range(24)]),
}


@pytest.mark.parametrize("header", CARDS)
def test_tables_of_image_files(tmp_path, header):
    fits = {
        "picture,kind": Fit("image-classifier", {"image_column": "picture"}),
        "file,label": Fit("image-classifier", {}),
        "file,weight": Fit("image-regressor", {}),
        "file,tags": Fit("image-classifier", {"multi_label": True, "label_column": "tags"}),
        "file,big,dark": Fit("image-classifier", {"multi_label": True, "label_column": "big,dark"}),
    }
    files = [f"{i}.png" for i in range(24)]
    for file in files:
        PIL.Image.fromarray(np.zeros((7, 5), np.uint8)).save(tmp_path / file)
    path = tweets(tmp_path, header, files, *CARDS[header])
    inspection = inspect(path)
    assert inspection.fits[0] == fits[header]
    assert "width x height 5x7 (24)" in inspection.understood
    task = resolve(TASKS[inspection.fits[0].task].path)(**inspection.fits[0].options)
    assert len(task.read(path)) == 24  # as training reads it
    (tmp_path / files[3]).unlink()
    assert inspect(path).fits[0].options == {**fits[header].options, "skip_bad_rows": True}
    for file in files[:3] + files[4:]:
        (tmp_path / file).unlink()
    assert inspect(path).fits == [] and "0.png" in inspect(path).understood


def test_pairs_of_queries_and_passages_fit_two_tasks(tmp_path):
    (tmp_path / "a.csv").write_text("anchor,positive\na hat,the red hat\ncold tea,iced tea\n")
    fits = [fit.task for fit in inspect(tmp_path / "a.csv").fits]
    assert fits == ["text-pair-scorer", "text-embedder"]


def test_numbers_have_a_range_and_uneven_labels_are_told(tmp_path):
    path = tmp_path / "prices.csv"
    prices = ["3,75", "-1.234,5", "", "98,5", *(f"{n},25" for n in range(1, 26))]
    rows = [
        f"a text of a row {n};{p};{'bad' if n % 10 == 0 else 'good'}" for n, p in enumerate(prices)
    ]
    path.write_text("\n".join(["text;price;label", *rows]) + "\n")
    found = inspect(path)
    by_name = {each.name: each for each in found.columns}
    assert by_name["price"].kind == "number"
    assert by_name["price"].range == ("-1.234,5", "98,5") and by_name["label"].range is None
    assert found.uneven_labels == {"label": ("good", pytest.approx(26 / 29))}
    shown = run("inspect", path).stdout
    assert "90% of the rows have 'good' in label: look at macro F1" in shown
    assert "-1.234,5 to 98,5" in shown
