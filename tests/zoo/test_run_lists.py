"""The command `runs`: the runs in a folder, beside each other."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import zoo
from tests.zoo.test_cli import refused, run
from zoo.report.about import RunFolder
from zoo.run_facts import Repeated, RunFacts, differing, repeated, runs_in

ACCURACIES = {"a": 0.5, "b": 0.75, "c": 0.875}


def write(folder, settings, metrics=None, best=None, task="text-classifier", data="d" * 64):
    folder.mkdir(parents=True)
    config = {"task": task, "settings": settings, "training": {"epochs": 3}}
    (folder / "config.json").write_text(json.dumps({**config, "data": {"train.csv": data}}))
    if metrics is not None:
        (folder / "metrics.json").write_text(json.dumps({**metrics, "data": "test.csv"}))
    state = {"seconds": 61.0, "monitor": "val_loss", "best_value": best}
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "state.json").write_text(json.dumps(state))
    (folder / "weights.weights.h5").write_bytes(bytes(997))
    return folder


@pytest.fixture
def folder(tmp_path):
    for number, (name, accuracy) in enumerate(ACCURACIES.items()):
        write(tmp_path / "deep" / name, {"seed": number, "units": 5}, {"accuracy": accuracy})
    write(tmp_path / "other", {"seed": 0, "units": 7}, best=0.25)
    return tmp_path


def test_a_table_has_what_differs(folder):
    lines = run("runs", folder, "--sort", "accuracy").stdout.splitlines()
    cells = [line.split() for line in lines]
    assert cells[0] == ["run", "seed", "units", "accuracy", "val_loss", "measured", "on"] + [
        *("time", "size")
    ]
    assert [row[0] for row in cells[1:5]] == ["deep/c", "deep/b", "deep/a", "other"]
    assert cells[1][1:4] == ["2", "5", "0.875"] and "0.25" in cells[4] and "test.csv" in cells[1]
    assert lines[1].endswith("1 min 1 s  1.2 kB")
    assert lines[5:7] == ["task: text-classifier", "data: train.csv"]
    mean, deviation = np.mean([*ACCURACIES.values()]), np.std([*ACCURACIES.values()], ddof=1)
    assert lines[7] == (
        f"accuracy {mean:.4g} ± {deviation:.2g}, mean and standard deviation of 3 seeds: "
        "deep/c, deep/b, deep/a"
    )


def test_json_has_all_facts(folder):
    found = json.loads(run("runs", folder, "--json").stdout)
    assert [each["name"] for each in found["runs"]] == ["deep/a", "deep/b", "deep/c", "other"]
    first, *_, last = found["runs"]
    assert first["options"] == {"seed": 0, "units": 5, "epochs": 3}
    assert last["metrics"] == {"val_loss": 0.25} and last["seconds"] == 61.0
    (seeds,) = found["repeated"]
    assert seeds["runs"] == ["deep/a", "deep/b", "deep/c"]
    np.testing.assert_allclose(seeds["mean"], np.mean([*ACCURACIES.values()]))
    np.testing.assert_allclose(seeds["deviation"], np.std([*ACCURACIES.values()], ddof=1))


def test_losses_are_better_if_they_are_smaller(tmp_path):
    for name, value in (("x", 3.0), ("y", 1.0), ("z", 2.0)):
        write(tmp_path / name, {"units": value}, best=value)
    lines = run("runs", tmp_path, "--sort", "val_loss").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["y", "z", "x"]


def test_seeds_of_other_data_or_options_are_not_mixed():
    def facts(name, seed, data="d", measured_on="", **options):
        return RunFacts(name, "t", {"a": data}, {"seed": seed, **options}, {"f1": 1.0}, measured_on)

    assert repeated([facts("a", 0), facts("b", 1)]) == [
        Repeated(["a", "b"], "seeds", "f1", 1.0, 0.0)
    ]
    for other in (
        facts("b", 1, data="e"),
        facts("b", 1, units=3),
        facts("b", 1, measured_on="x"),
        facts("b", 0),
    ):
        assert repeated([facts("a", 0), other]) == []
    assert differing([facts("a", 0, units=3), facts("b", 0, units=4)]) == ["units"]


def test_data_of_the_same_name_and_other_content_are_told_apart(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / name, {"seed": 0}, best=1.0, data=f"{name}" * 64)
    lines = run("runs", tmp_path).stdout
    assert "train.csv (aaaaaa)" in lines and "train.csv (bbbbbb)" in lines


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"task": 3}', '{"task": "t", "settings": []}', '{"task": "t"']
)
def test_a_broken_run_is_left_out_aloud(content, folder):
    broken = folder / "broken"
    broken.mkdir()
    (broken / "config.json").write_text(content)
    done = run("runs", folder)
    assert done.exit_code == 0 and f"note: {broken} is left out: " in done.stderr
    assert "broken" not in done.stdout and "deep/a" in done.stdout


def test_what_is_refused(folder, tmp_path):
    assert refused("runs", tmp_path / "no").endswith("no is no folder")
    (tmp_path / "empty").mkdir()
    assert "contains no runs" in refused("runs", tmp_path / "empty")
    assert "no run has the metric 'f1'; choose from accuracy, val_loss" in refused(
        "runs", folder, "--sort", "f1"
    )


@pytest.mark.thorough
def test_a_trained_run_is_read_without_tensorflow(tmp_path):
    task = zoo.TextClassifier(num_buckets=64)
    rows = [("a fine film", "good"), ("a dull one", "bad")] * 9
    task.fit(rows, rows, epochs=2, xla=False, verbose=False)
    task.save(tmp_path / "run")
    (facts,) = runs_in(tmp_path)
    assert facts.task == "text-classifier" and facts.options["epochs"] == 2
    code = (
        "import sys\nfrom zoo.cli.app import app\n"
        f"try:\n    app(['runs', {str(tmp_path)!r}])\n"
        "finally:\n    print([x for x in ('tensorflow', 'keras') if x in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_several_seeds_need_a_folder_of_their_own(folder, tmp_path):
    told = ("train", "text-classifier", "--data", tmp_path / "a.csv", "--out")
    assert "--seeds must be at least 2 and at most 1000, got 1" in refused(
        *told, tmp_path / "x", "--seeds", "1"
    )
    answer = refused(*told, folder / "other", "--seeds", "2")
    assert answer.endswith("other is a run: name another folder for several runs")


@pytest.mark.thorough
def test_several_seeds_are_trained_and_compared(tmp_path):
    rows = [f"a {'fine' if n % 2 else 'dull'} film {n},{n % 2}" for n in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *rows, ""]))
    told = ("--data", tmp_path / "a.csv", "--validation", 0.5, "--epochs", 1, "--no-xla")
    out = tmp_path / "runs"
    done = run(
        "train", "text-classifier", *told, "--out", out, "--seeds", 3, "--seed", 5, "--json"
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout[done.stdout.index("\n{") if "\n{" in done.stdout else 0 :])
    assert [each["name"] for each in found["runs"]] == ["seed-5", "seed-6", "seed-7"]
    assert [each["options"]["seed"] for each in found["runs"]] == [5, 6, 7]
    values = [each["metrics"]["val_accuracy"] for each in found["runs"]]
    (seeds,) = found["repeated"]
    np.testing.assert_allclose(seeds["mean"], np.mean(values))
    np.testing.assert_allclose(seeds["deviation"], np.std(values, ddof=1))
    trained = [zoo.load(out / name).predict(["a fine film"]) for name in seeds["runs"]]
    assert len(trained) == 3


def test_what_folds_are_refused(folder, tmp_path):
    told = ("train", "text-classifier", "--data", tmp_path / "a.csv", "--out", tmp_path / "x")
    assert "--folds must be at least 2 and at most 1000, got 1" in refused(*told, "--folds", "1")
    assert "at most 1000, got 1000000000" in refused(*told, "--folds", 10**9)
    assert "at most 1000, got 1000000000" in refused(*told, "--seeds", 10**9)
    assert "--folds and --seeds exclude each other" in refused(*told, "--folds", 3, "--seeds", 2)
    given = ("--folds", 3, "--validation", 0.1)
    assert "--folds and --validation exclude each other" in refused(*told, *given)


def test_folds_and_seeds_are_not_mixed():
    def facts(name, seed, fold):
        return RunFacts(name, "t", {"a": "d"}, {"seed": seed}, {"f1": float(seed)}, fold=fold)

    folds = [facts(f"f{n}", 0, f"fold {n} of 2") for n in (1, 2)]
    assert repeated(folds) == [Repeated(["f1", "f2"], "folds", "f1", 0.0, 0.0)]
    both = repeated([*folds, facts("g", 3, "fold 1 of 2")])
    assert both == [Repeated(["f1", "f2", "g"], "runs", "f1", 1.0, 3**0.5)]
    assert repeated([folds[0], facts("c", 0, "fold 2 of 3"), facts("d", 0, "")]) == []


@pytest.mark.thorough
def test_folds_are_trained_and_a_stopped_one_goes_on(tmp_path):
    rows = [f"a {'fine' if n % 2 else 'dull'} film {n},{n % 2}" for n in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *rows, ""]))
    out = tmp_path / "runs"
    told = ("train", "text-classifier", "--data", tmp_path / "a.csv", "--no-xla", "--folds", 3)
    done = run(*told, "--epochs", 1, "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["fold"] for each in found["runs"]] == [f"fold {n} of 3" for n in (1, 2, 3)]
    (folds,) = found["repeated"]
    values = [each["metrics"]["val_accuracy"] for each in found["runs"]]
    assert folds["over"] == "folds" and folds["runs"] == ["fold-1", "fold-2", "fold-3"]
    np.testing.assert_allclose(folds["mean"], np.mean(values))
    sizes = [
        int(re.search(r"validation data: fold \d of 3 of .*: (\d+) texts", path.read_text())[1])
        for path in sorted(out.glob("*/log.txt"))
    ]
    assert sorted(sizes) == [13, 13, 14]
    for more in ((), ("--data", tmp_path / "a.csv", "--validation", "fold 2 of 3")):
        arguments = ("--out", out / "fold-2", "--resume", "--epochs", 2, "--no-xla", *more)
        done = run("train", "text-classifier", *arguments)
        assert done.exit_code == 0, done.stderr
    other = ("--data", tmp_path / "a.csv", "--validation", "fold 1 of 3")
    assert "the validation data" in refused(
        *("train", "text-classifier", "--out", out / "fold-2", "--resume", "--no-xla", *other)
    )


def test_epochs_are_those_that_were_trained(tmp_path):
    for name, epoch, step in (("cut", 2, 4), ("whole", 3, 0)):
        path = write(tmp_path / name, {"seed": 0}) / "checkpoints" / "state.json"
        rows = [{"epoch": n} for n in (1, 2, 3)]
        counts = {"epoch": epoch, "step": step, "steps_per_epoch": 7, "history": rows}
        path.write_text(json.dumps({**json.loads(path.read_text()), **counts}))
    lines = run("runs", tmp_path).stdout.splitlines()
    assert "  2 of 3, and 5 of the 7 batches of the next  " in lines[1]
    assert lines[2].split()[:2] == ["whole", "3"]
    config = (tmp_path / "cut" / "config.json").read_text()
    assert json.loads(config)["training"]["epochs"] == 3
    assert RunFolder(tmp_path / "cut")._training()["Epochs"] in lines[1]


def test_many_files_are_named_by_their_folder(tmp_path):
    for name, first in (("a", 0), ("b", 1)):
        path = write(tmp_path / name, {"seed": first}) / "config.json"
        data = {f"photos/cat/{n}.png": f"{n:x}" for n in range(first, first + 30)}
        path.write_text(json.dumps({**json.loads(path.read_text()), "data": data}))
    lines = run("runs", tmp_path).stdout.splitlines()
    assert re.search(r"  photos, 30 files \(\w{6}\)  ", lines[1]) and ".png" not in "".join(lines)
