"""Recipe files: what `new` writes, and what `train` makes of files and of packaged recipes."""

import re
import tomllib

import numpy as np
import PIL.Image
import pytest

from tests.zoo.test_cli import refused, run
from zoo.cli.new_recipe import new_recipe
from zoo.cli.train_run import TrainCommand
from zoo.cli.trial import Trial
from zoo.errors import UserError
from zoo.recipes.recipe_file import RecipeFile, read_recipe_file

ROWS = "".join(f"a {'fine' if n % 2 else 'dull'} film {n},{'ab'[n % 2]}\n" for n in range(60))


@pytest.fixture
def asked(monkeypatch):
    """What would be trained: the command and the folder of each."""
    seen = []
    monkeypatch.setattr(
        TrainCommand, "run", lambda command, out, json, callbacks=(): seen.append((command, out))
    )
    return seen


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "films.csv").write_text("review,kind\n" + ROWS)
    return tmp_path


def test_a_new_recipe_is_read_as_it_was_written(tmp_path):
    name = 'a "quoted" \\ \x7f\u00e9.csv'
    options = {"text_column": "tab\there", "pairs": True, "max_length": 64}
    text = new_recipe("text-classifier", name, "0.25", "runs/a", options, ["Sentence."])
    path = tmp_path / "a.toml"
    path.write_text(text, "utf-8")
    expected = RecipeFile("text-classifier", [name], ["0.25"], "runs/a", None, options, {})
    assert read_recipe_file(path) == expected
    assert "# Sentence." in text and "# max_length" not in text and "# learning_rate" in text
    # What is in comments is TOML, too, where a default is known.
    known = re.findall(r"^# (\w+ = (?!\.\.\.).+)$", text, re.MULTILINE)
    assert len(known) > 3 and all(tomllib.loads(each) for each in known)


def test_a_file_stands_for_a_task_with_options(folder, asked):
    (folder / "a.toml").write_text(
        'task = "text-classifier"\ndata = ["films.csv", "more.csv"]\nvalidation = 0.2\n'
        'out = "runs/a"\n[options]\nepochs = 3\nmulti_label = true\npairs = false\nxla = false\n'
        'label_smoothing = 0.5\n[model]\nnum_buckets = 64\ndropout = 0.1\nscore = "dot"\n'
    )
    assert run("train", "a.toml").exit_code == 0
    ((command, out),) = asked
    assert (command.row.name, str(out)) == ("text-classifier", "runs/a")
    assert (command.data, command.validation) == (["films.csv", "more.csv"], ["0.2"])
    expected = {"epochs": 3, "multi_label": True, "xla": False, "label_smoothing": 0.5}
    expected["pairs"] = False
    assert command.given == expected
    assert command.model == {"num_buckets": 64, "dropout": 0.1, "score": "dot"}


def test_what_is_typed_replaces_what_the_file_says(folder, asked):
    (folder / "a.toml").write_text(
        'task = "text-classifier"\ndata = "films.csv"\nout = "runs/a"\n'
        "[options]\nepochs = 3\nxla = true\n[model]\nunits = 8\nnum_buckets = 64\n"
    )
    typed = ["--data", "other.csv", "--epochs=5", "--out", "b", "--no-xla", "--set", "units=9"]
    assert run("train", "a.toml", *typed).exit_code == 0
    ((command, out),) = asked
    assert (str(out), command.data) == ("b", ["other.csv"])
    assert command.given == {"epochs": 5, "xla": False}
    assert command.model == {"num_buckets": 64, "units": 9}


def test_a_packaged_recipe_trains_on_other_data(asked):
    done = run(
        "train", "--recipe", "multi30k_transformer", "--data", "x.tsv", "--out", "runs/x",
        "--epochs", 2,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    ((command, out),) = asked
    assert (command.row.name, str(out)) == ("text-to-text", "runs/x")
    assert (command.data, command.validation) == (["x.tsv"], None)
    assert command.given["epochs"] == 2 and command.given["warmup"] == 1000
    assert command.model["dropout"] == 0.2


def test_a_fraction_to_hold_out_is_kept_of_a_packaged_recipe(asked):
    rest = ["--data", "x.tsv", "--out", "y", "--pretrained", "z"]
    assert run("train", "--recipe=newsgroup_headlines", *rest).exit_code == 0
    ((command, _),) = asked
    assert command.validation == ["0.05"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("task = ", "a.toml is not a recipe: "),
        ("\udcff", "a.toml is not a recipe: "),
        (f"x = {'[' * 5000}{']' * 5000}", "a.toml is not a recipe: it is nested too deeply"),
        ('task = "text-clasifier"', "unknown task 'text-clasifier'; did you mean text-classifier"),
        ('task = "causal-lm"\nfoo = 1', "unknown key 'foo'; choose from task, data"),
        ('task = "causal-lm"\nout = 3', "out must be a string"),
        ('task = "causal-lm"\ndata = [[1]]', "data must be a string, or a list of strings"),
        ('task = "causal-lm"\noptions = 3', r"\[options\] must be a table"),
        ('task = "causal-lm"\n[options]\nepochs = {a = 1}', "options.epochs must be a string, a"),
        ('task = "causal-lm"\n[options]\n"--out" = 1', "options.--out must be a string, a"),
        ('task = "causal-lm"\n[options]\ntime = 2020-01-01', "options.time must be a string, a"),
    ],
)
def test_what_is_no_recipe_is_refused(content, message, tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=message):
        read_recipe_file(path)


def test_options_of_other_tasks_are_refused(folder):
    (folder / "a.toml").write_text(
        'task = "text-classifier"\ndata = "films.csv"\nout = "r"\n[options]\nepoch = 3\n'
    )
    message = refused("train", "a.toml")
    assert "a.toml: text-classifier has no option 'epoch'; did you mean epochs?" in message
    assert "no_xla" not in message
    assert "nothing.toml" in refused("train", "nothing.toml")
    assert "requires --out" in refused("train", "--recipe", "multi30k_transformer", "--data", "x")
    assert "requires --pretrained" in refused(
        "train", "--recipe", "trec_minilm", "--data", "x", "--out", "y"
    )
    assert "did you mean cora_gat?" in refused("train", "--recipe", "cora_gatt")


def test_a_file_is_tried_and_a_recipe_written(folder):
    done = run("new", "films.csv", "--seconds", 1)
    assert done.exit_code == 0, done.output
    assert "task: text-classifier (also fit:" in done.stdout
    assert "accuracy" in done.stdout and "majority" in done.stdout
    text = (folder / "films.toml").read_text()
    assert "accuracy" in text and 'data = ["films.csv"]' in text
    assert not [*folder.glob("partial*")]
    trained = run("train", "films.toml", "--epochs", 1, "--no-xla")
    assert trained.exit_code == 0, trained.output
    assert (folder / "runs" / "films" / "config.json").exists()


@pytest.mark.parametrize("answers", ["yes no", "ja nein", "gut schlecht"])
def test_of_several_columns_of_labels_a_question_is_first_and_all_are_named(folder, answers):
    """With or without the name of the task; the last column has those who answered."""
    answer, people = answers.split(), ("Ann", "Björn", "Chloé")
    rows = "".join(
        f"a comment {n} of {n * n} words,{answer[n % 2]},{people[n % 3]}\n" for n in range(120)
    )
    name = "Satisfied?" if answer[0] == "gut" else "Satisfied"
    (folder / "back.csv").write_text(f"Comment,{name},Handled by\n{rows}")
    for number, more in enumerate(([], ["--task", "text-classifier"])):
        out = f"{number}.toml"
        done = run("new", "back.csv", "--seconds", 0, "--out", out, *more)
        assert done.exit_code == 0, done.output
        assert f"label: {name} (choose another with --label-column: Handled by)" in done.stdout
        assert read_recipe_file(folder / out).options["label_column"] == name


def test_what_new_refuses(folder):
    (folder / "films.toml").write_text("")
    assert "films.toml exists" in refused("new", "films.csv", "--seconds", 0)
    assert "must end in .toml" in refused("new", "films.csv", "--out", "a.txt")
    assert "'image-classifier' does not fit films.csv; did you mean text-classifier?" in refused(
        "new", "films.csv", "--out", "b.toml", "--task", "image-classifier"
    )
    (folder / "empty.csv").write_text("")
    assert "empty.csv" in refused("new", "empty.csv")
    (folder / "two.csv").write_text("review,kind\n" + "".join(ROWS.splitlines(True)[:4]))
    message = refused("new", "two.csv", "--validation", "x.csv")
    assert "x.csv" in message and not (folder / "two.toml").exists()


def test_what_to_expect_is_told_of_trainings_that_were_cut_and_that_ended():
    told = ["the model is no better than a baseline: loss 2"]
    rest = ({}, "loss", 2.0, {"majority": 1.5, "copy": 3.0}, "v.csv")
    assert Trial(30.0, 0.5, 60.0, False, *rest, told).lines() == [
        "All epochs take about 1 min 0 s on this machine, less if it stops early.",
        "After 50% of them: loss 2 on v.csv. Baselines: majority 1.5, copy 3.",
        "So far the model is no better than a baseline: loss 2",
    ]
    ended = Trial(30.0, 1.0, 30.0, True, *rest, told).lines()
    assert ended == [
        "The training takes about 30 s on this machine.",
        "At its end: loss 2 on v.csv. Baselines: majority 1.5, copy 3.",
        *told,
    ]
    better = Trial(30.0, 1.0, 30.0, True, {}, "loss", 1.0, {"majority": 1.5}, "v.csv").lines()
    early = Trial(30.0, 0.01, 3000.0, False, *rest, told).lines()
    assert len(early) == 2 and "After 1% of them" in early[1]
    assert len(better) == 2 and better[1].endswith("A baseline: majority 1.5.")
    assert "expect hours" in Trial(30.0, 0.0, None, False).lines()[0]


def test_a_trial_tells_of_a_model_that_learned_nothing(folder):
    """Each text of the validation data is a three times and b once: no model has more than 0.75."""
    rows = "".join(f"word{n} other{n},{'ab'[n % 4 == 0]}\n" for n in range(120))
    (folder / "noise.csv").write_text("text,kind\n" + rows)
    known = "".join(f"word{n} more{n},{label}\n" for n in range(12) for label in "aaba")
    (folder / "known.csv").write_text("text,kind\n" + known)
    done = run("new", "noise.csv", "--validation", "known.csv", "--seconds", 60)
    assert done.exit_code == 0, done.output
    assert "the model is no better than a baseline: accuracy" in done.stdout


def test_a_trial_of_a_forecaster_tells_the_metric_of_evaluate_beside_baselines(folder):
    rows = "".join(
        f"2024-01-{1 + n // 24:02} {n % 24:02}:00,{10 + 5 * np.sin(n * np.pi / 12) + n % 7:.1f}\n"
        for n in range(24 * 30)
    )
    (folder / "heat.csv").write_text("time,heat\n" + rows)
    done = run("new", "heat.csv", "--seconds", 1)
    assert done.exit_code == 0, done.output
    assert re.search(r": MAE [\d.]+ on 10% of heat.csv.*: seasonal_naive [\d.]+, l", done.stdout)
    assert "training for 1 s ..." in done.stderr


def test_images_that_take_long_are_tried_in_a_smaller_size(folder, monkeypatch):
    monkeypatch.setattr("zoo.cli.image_sizes.LONGEST", 0.001)
    noise = np.random.default_rng(0).integers(0, 256, (14, 64, 64, 3), "uint8")
    for number, pixels in enumerate(noise):
        path = folder / "photos" / "ab"[number % 2] / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        PIL.Image.fromarray(pixels).save(path)
    done = run("new", "photos", "--seconds", 1, "--validation", 0.3)
    assert done.exit_code == 0, done.output
    assert "That is with images of 64x64; of 32x32:" in done.stdout
    assert read_recipe_file(folder / "photos.toml").options == {"image_size": "32x32"}
    recipe = (folder / "photos.toml").read_text()
    assert "# image_size" not in recipe and "accuracy" in recipe
