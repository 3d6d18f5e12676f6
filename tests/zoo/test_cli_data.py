"""Data files of users on the command line: tables, several files, shares for validation."""

import json

import numpy as np
import pytest

from tests.zoo.test_cli import refused, run

SIZES = ["--set=units=8", "--set=embedding_dim=8", "--set=num_layers=1"]
HOW = ["--model", "rnn_classifier", "--epochs", 1, "--no-xla", "--max-length", 13, *SIZES]
GOOD = [f"a fine film, number {n}" for n in ("one", "two", "three", "four", "five", "six", "ten")]
BAD = [f"what a dull {n}" for n in ("plot", "play", "cast", "scene", "song", "end", "joke")]
ROWS = [(text, label) for pair in zip(GOOD, BAD, strict=True) for text, label in
        zip(pair, ("positive", "negative"), strict=True)]  # fmt: skip


def table(rows, separator=",", header=None):
    lines = [*([header] if header else []), *rows]
    return "".join(separator.join(f'"{cell}"' for cell in line) + "\n" for line in lines)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(*arguments, task="text-classifier"):
    done = run("train", task, "--out", "run", *HOW, *arguments)
    assert done.exit_code == 0, done.output
    return done


class TestColumns:
    @pytest.mark.quick(1)
    @pytest.mark.parametrize("flipped", [False, True])
    def test_header_is_no_row_and_the_columns_are_named(self, folder, flipped):
        step = -1 if flipped else 1
        rows = table([row[::step] for row in ROWS * 2], header=("review", "sentiment")[::step])
        (folder / "imdb.csv").write_text(rows)
        done = train("--data", "imdb.csv", "--validation", "imdb.csv")
        mean = round(sum(len(text) for text, _ in ROWS) / len(ROWS))
        assert (
            f"text = review (mean {mean} characters), label = sentiment (2 values: negative 14, "
            "positive 14); header: yes"
        ) in done.stderr
        labels = json.loads((folder / "run" / "config.json").read_text())["settings"]["labels"]
        assert sorted(labels) == ["negative", "positive"]

    @pytest.mark.thorough
    def test_named_columns_are_used_by_later_commands(self, folder):
        rows = [(text, "draft", label) for text, label in ROWS]
        (folder / "a.csv").write_text(table(rows, header=("body", "state", "mood")))
        done = train("--data", "a.csv", "--text-column", "body", "--label-column", "mood")
        assert "text = body" in done.stderr and "label = mood" in done.stderr
        scores = json.loads(run("evaluate", "run", "--data", "a.csv", "--json").stdout)
        assert 0 <= scores["accuracy"] <= 1
        (folder / "b.csv").write_text(table(rows, header=("comment", "state", "stars")))
        line = refused("evaluate", "run", "--data", "b.csv")
        assert line.startswith("b.csv has no column 'body' for --text-column; choose from comment")
        names = ("--text-column", "comment", "--label-column", "stars")
        assert (
            json.loads(run("evaluate", "run", "--data", "b.csv", *names, "--json").stdout) == scores
        )
        assert run("report", "run", "--data", "b.csv", *names).exit_code == 0
        line = refused("evaluate", "run", "--data", "b.csv", "--source-column", "comment")
        assert line == "text-classifier has no option --source-column"

    def test_unknown_column(self, folder):
        (folder / "a.csv").write_text(table(ROWS, header=("review", "sentiment")))
        line = refused("train", "text-classifier", "--data", "a.csv", "--out", "run",
                       "--label-column", "stars")  # fmt: skip
        assert line == (
            "a.csv has no column 'stars' for --label-column; choose from review, sentiment"
        )

    def test_labels_are_no_targets(self, folder):
        (folder / "a.csv").write_text(table(ROWS * 3, header=("review", "sentiment")))
        line = refused("train", "text-to-text", "--data", "a.csv", "--out", "run")
        assert line.startswith("a.csv: ") and "train a text-classifier" in line


class TestFiles:
    @pytest.mark.thorough
    def test_several_files_and_patterns(self, folder):
        for name, rows in (("a1", ROWS[:6]), ("a2", ROWS[6:10]), ("b", ROWS[10:])):
            (folder / f"{name}.csv").write_text(table(rows, header=("review", "sentiment")))
        done = train("--data", "a*.csv", "--data", "b.csv")
        assert f"{len(ROWS)} texts" in done.stderr

    def test_missing_pattern(self):
        line = refused("train", "text-classifier", "--data", "x*.csv", "--out", "run")
        assert line == "no file matches x*.csv"

    @pytest.mark.thorough
    def test_bad_rows_are_refused_or_left_out(self, folder):
        (folder / "a.csv").write_text(table(ROWS, header=("review", "sentiment")) + '"x"\n" ",y\n')
        data = ("--data", "a.csv")
        line = refused("train", "text-classifier", "--out", "run", *data)
        assert line == (
            "a.csv:16: expected 2 columns, found 1; 2 rows are invalid, in lines 16, 17; "
            "use --skip-bad-rows to skip such rows"
        )
        assert "2 bad rows skipped" in train(*data, "--skip-bad-rows").stderr


class TestHeldOutShare:
    @pytest.mark.long
    def test_share_is_held_out_and_resumed(self, folder, monkeypatch):
        (folder / "a.csv").write_text(table(ROWS, header=("review", "sentiment")))
        done = train("--data", "a.csv", "--validation", "0.3")
        assert "30% of a.csv: 4 texts" in done.stderr
        assert "val_accuracy" in done.stdout
        (folder / "elsewhere").mkdir()
        monkeypatch.chdir(folder / "elsewhere")
        done = run(
            "train", "text-classifier", "--out", "../run", "--resume", "--epochs", 2, "--no-xla"
        )
        assert done.exit_code == 0 and "30% of " in done.stderr
        assert "a.csv: 4 texts" in done.stderr and "epoch 2/2" in done.stderr

    @pytest.mark.thorough
    def test_validation_files_are_kept(self, folder):
        (folder / "a.csv").write_text(table(ROWS, header=("review", "sentiment")))
        (folder / "v.csv").write_text(table(ROWS[:4], header=("review", "sentiment")))
        train("--data", "a.csv", "--validation", "v.csv")
        done = run(
            "train", "text-classifier", "--out", "run", "--resume", "--epochs", 2, "--no-xla"
        )
        assert done.exit_code == 0 and "v.csv: 4 texts" in done.stderr

    @pytest.mark.thorough
    def test_a_restart_before_the_first_write_begins_anew(self, folder):
        (folder / "a.csv").write_text(table(ROWS))
        command = ("train", "text-classifier", "--data", "a.csv", "--out", "run", "--no-xla")
        done = run(*command, "--resume", "--epochs", 1)
        assert done.exit_code == 0
        assert "run contains no run to resume: a new one begins" in done.stderr
        done = run(*command, "--resume", "--epochs", 2)
        assert done.exit_code == 0 and "resuming after epoch 1" in done.stderr

    def test_nothing_to_resume_or_to_train_on(self, folder):
        line = refused("train", "text-classifier", "--out", "none", "--resume")
        assert line == "none contains no run to resume: give --data"
        line = refused("train", "text-classifier", "--out", "none")
        assert line == "no training data: give --data"

    @pytest.mark.thorough
    def test_no_validation_is_said_once(self, folder):
        (folder / "a.csv").write_text(table(ROWS, header=("review", "sentiment")))
        told = train("--data", "a.csv").stderr
        assert told.count("no validation data: the weights of the last epoch are kept") == 1

    @pytest.mark.parametrize("share", ["0", "1", "1.5", "-0.1", "nan"])
    def test_share_out_of_range(self, folder, share):
        (folder / "a.csv").write_text(table(ROWS))
        line = refused("train", "text-classifier", "--data", "a.csv", "--out", "run",
                       "--validation", share)  # fmt: skip
        assert line.startswith("the validation fraction must be above 0 and below 1, got")


class TestInspect:
    def test_columns_and_command(self, folder):
        (folder / "a.csv").write_text(table(ROWS * 2, header=("review", "sentiment")))
        shown = run("inspect", "a.csv").stdout
        assert "text = review" in shown and "text-classifier fits these data" in shown
        assert "keras-attn train text-classifier --data a.csv --validation 0.1" in shown
        actual = json.loads(run("inspect", "a.csv", "--json").stdout)
        assert (actual["rows"], actual["duplicates"], actual["header"]) == (28, 14, True)
        assert actual["task"] == "text-classifier" and actual["tokens"]["longest"] > 3

    @pytest.mark.parametrize(
        ("rows", "option"),
        [
            (ROWS, "--text-column"),
            ([(f"{text} {n}", f"{n} {text}") for text, _ in ROWS for n in "ab"], "--source-column"),
        ],
    )
    def test_without_a_header_it_says_how_to_name_one(self, folder, rows, option):
        (folder / "a.csv").write_text(table(rows))
        assert (
            "the first row was read as data; if it names the columns, give one of the names to "
            f"train, such as {option} NAME"
        ) in run("inspect", "a.csv").stdout
        (folder / "a.csv").write_text(table(rows, header=("text", "target")))
        assert "first row" not in run("inspect", "a.csv").stdout

    def test_commands_have_the_options_that_are_needed(self, folder):
        rows = [(n, label, "ab"[n % 2], text) for n, (text, label) in enumerate(ROWS)]
        header = ("id", "mood", "part", "note")
        path = folder / "a.csv"
        path.write_bytes(table(rows, header=header).replace("film", "f\xeflm").encode("cp1252"))
        given = ["--encoding", "cp1252", "--label-column", "mood"]
        actual = json.loads(run("inspect", "a.csv", "--json", *given).stdout)
        assert actual["commands"] == [actual["command"]]
        assert actual["command"] == (
            "keras-attn train text-classifier --data a.csv --validation 0.1 --encoding cp1252 "
            "--label-column mood --out runs/a"
        )
        assert refused("inspect", "a.csv", *given, "--time-column", "id") == (
            "text-classifier has no option --time-column"
        )

    def test_images_that_are_too_small_for_the_layers(self, folder):
        images = np.arange(20 * 64).reshape(20, 8, 8) % 251
        np.savez(folder / "a.npz", images=images, labels=np.arange(20) % 2)
        assert (
            "keras-attn train image-classifier --data a.npz --validation 0.1 --image-size 32x32 "
        ) in run("inspect", "a.npz").stdout

    def test_data_that_no_task_fits(self, folder):
        (folder / "a.csv").write_text("".join(f"{n},{n * n}\n" for n in range(40)))
        shown = run("inspect", "a.csv").stdout
        assert shown.endswith("\nno task can read these data as they are\n")
        assert "keras-attn" not in shown

    def test_missing_file(self):
        assert refused("inspect", "x.csv") == "x.csv does not exist"
