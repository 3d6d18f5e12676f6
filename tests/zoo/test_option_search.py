"""`train --search`: options that are tried, trials that end early, a search that goes on."""

import json
import math
import shutil

import numpy as np
import pytest

import zoo
from tests.zoo.test_cli import refused, run
from zoo.cli.option_search import COMPLETE, FILE, PRUNED, RUNNING, Trial, search_options
from zoo.cli.search_space import Choices, Range, dimension_of, space_of
from zoo.errors import UserError
from zoo.training.callbacks import EpochResult
from zoo.training.history import History

EPOCHS = 7
SPACE = [Range("rate", 1e-4, 1.0), Choices("cell", ["lstm", "gru"])]


def loss(options, epoch):
    """Least at the rate 0.01 of a GRU; it falls with the epochs."""
    off = abs(math.log10(options["rate"]) + 2) + (options["cell"] == "lstm")
    return 1.0 + off + 0.5 / epoch


def trained(folder, options, callback, resume, seen, stop=None):
    """A run that is told to the search, and may be killed in the middle."""
    start = max(map(int, callback.stored.values), default=0) + 1 if resume else 1
    seen.append((folder.name, dict(options), start))
    value, why = math.inf, "finished"
    for epoch in range(start, EPOCHS + 1):
        value = loss(options, epoch)
        metrics = {"loss": 3.0, "val_loss": value}
        if callback.on_epoch(EpochResult(epoch, metrics, "val_loss", "min")):
            why = "callback"
            break
        if stop == (folder.name, epoch):
            raise KeyboardInterrupt
    return History([], {}, 1, "val_loss", value, False, why, 1.0)


def searched(out, count=20, resume=False, seed=0, stop=None):
    seen = []
    try:
        trials = search_options(
            SPACE, count, out, seed, resume, lambda *args: trained(*args, seen, stop)
        )
    except KeyboardInterrupt:
        return seen, None
    return seen, trials


def test_it_finds_better_options_than_most_and_ends_bad_trials_early(tmp_path):
    seen, trials = searched(tmp_path / "s", 30)
    assert [name for name, _, _ in seen] == [f"trial-{n}" for n in range(1, 31)]
    best = min(trials, key=lambda each: each.best)
    assert best.state == COMPLETE and best.options["cell"] == "gru"
    assert abs(math.log10(best.options["rate"]) + 2) < 0.3
    pruned = [each for each in trials if each.state == PRUNED]
    assert 5 < len(pruned) < 26 and all(len(each.values) < EPOCHS for each in pruned)
    finished = [each.best for each in trials if each.state == COMPLETE]
    assert np.mean(finished) < np.mean([each.best for each in pruned])
    rates = [each.options["rate"] for each in trials]
    assert all(1e-4 <= rate <= 1 and rate == float(f"{rate:.4g}") for rate in rates)
    for each in trials:
        assert each.best == min(each.values.values()) == loss(each.options, len(each.values))
    stored = [Trial(**each) for each in json.loads((tmp_path / "s" / FILE).read_text())]
    assert stored == trials
    assert searched(tmp_path / "t", 30)[1] == trials != searched(tmp_path / "u", 30, seed=1)[1]


def test_a_search_goes_on_with_the_trial_that_was_interrupted(tmp_path):
    seen, trials = searched(tmp_path, 6, stop=("trial-3", 2))
    assert trials is None and [name for name, _, _ in seen] == ["trial-1", "trial-2", "trial-3"]
    stored = json.loads((tmp_path / FILE).read_text())
    assert [each["state"] for each in stored] == [COMPLETE, COMPLETE, RUNNING]
    assert [*stored[2]["values"]] == ["1", "2"]
    with pytest.raises(UserError, match="has trials: continue with --resume, or choose another"):
        searched(tmp_path, 6)
    again, trials = searched(tmp_path, 6, resume=True)
    assert again[0] == ("trial-3", seen[2][1], 3)
    assert [name for name, _, _ in again] == [f"trial-{n}" for n in range(3, 7)]
    assert [each.options for each in trials[:3]] == [options for _, options, _ in seen]
    assert len(trials) == 6 and RUNNING not in [each.state for each in trials]
    assert searched(tmp_path, 6, resume=True) == ([], trials)
    more, longer = searched(tmp_path, 8, resume=True)
    assert [name for name, _, _ in more] == ["trial-7", "trial-8"] and longer[:6] == trials


def test_metrics_that_are_better_when_they_are_higher(tmp_path):
    def train(folder, options, callback, resume):
        for epoch in range(1, 4):
            metrics = {"val_accuracy": 1.0 / loss(options, epoch)}
            if callback.on_epoch(EpochResult(epoch, metrics, "val_accuracy", "max")):
                return History([], {}, 1, None, None, False, "callback", 1.0)
        return History([], {}, 1, None, None, False, "finished", 1.0)

    trials = search_options(SPACE, 25, tmp_path, 0, False, train)
    best = max(trials, key=lambda each: each.best)
    assert best.options["cell"] == "gru" and best.state == COMPLETE
    assert all(each.best == max(each.values.values()) for each in trials)
    assert np.mean([each.best for each in trials if each.state == PRUNED]) < best.best


def test_options_as_they_are_given():
    assert dimension_of("--dropout=0,0.3") == Choices("dropout", [0, 0.3])
    assert dimension_of("tokenizer=words,characters").values == ["words", "characters"]
    assert dimension_of("lora-layers=all,null").values == ["all", None]
    assert not Range("x", 1, 9).is_logarithmic and Range("x", 1, 10).is_logarithmic
    assert not dimension_of("x=-1..1").is_logarithmic
    assert dimension_of("x=2..64") == Range("x", 2, 64) and isinstance(
        dimension_of("x=1..2").low, int
    )
    assert [each.name for each in space_of(["a=1,2", "b-c=1..2"], {"d"})] == ["a", "b_c"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"], "--search expects NAME=VALUE, got 'a'"),
        (["a=1"], "give a range, such as learning-rate=1e-4..1e-2, or several different values"),
        (["a=1,1"], "several different values"),
        (["a=2..1"], "the range must go from a number to a greater one"),
        (["a=1..1"], "the range must go from a number to a greater one"),
        (["a=-1e308..1e308"], "the range must go from a number to a greater one"),
        (["a=1,2", "a=3,4"], "--search has a twice"),
        (["units=3,4"], "units is given and searched for: leave out one of them"),
    ],
)
def test_options_that_are_refused(given, message):
    with pytest.raises(UserError, match=message):
        space_of(given, {"units"})


@pytest.mark.parametrize(
    "content",
    [
        "{",
        '{"a": 1}',
        "[3]",
        '[{"drawn": {"rate": 1, "cell": 0}, "options": {}}]',
        '[{"drawn": {}, "options": {}, "state": "odd"}]',
        '[{"drawn": {"rate": 1, "cell": 0}, "options": {"rate": 1, "cell": 0}, "best": "x"}]',
        '[{"drawn": 3, "options": 3}]',
    ],
)
def test_trials_that_are_damaged(content, tmp_path):
    (tmp_path / FILE).write_text(content)
    with pytest.raises(UserError, match=r"trials.json is damaged|is not valid|must be"):
        searched(tmp_path, 2, resume=True)


def test_trials_of_other_options_are_refused(tmp_path):
    searched(tmp_path, 2)
    with pytest.raises(UserError, match="are of other options: give the same --search"):
        search_options(SPACE[:1], 3, tmp_path, 0, True, lambda *args: None)


def test_what_the_command_refuses(tmp_path):
    told = ("train", "text-classifier", "--data", tmp_path / "a.csv", "--out", tmp_path / "x")
    some = ("--search", "dropout=0,1")
    assert "--search requires --validation" in refused(*told, *some)
    assert "--search cannot be combined" in refused(*told, *some, "--seeds", 2)
    assert "--trials requires --search" in refused(*told, "--trials", 3)
    both = ("--validation", 0.1, "--search", "learning-rate=1,2", "--learning-rate", 1)
    assert "learning_rate is given and searched for" in refused(*told, *both)


@pytest.mark.thorough
def test_runs_are_trained_compared_and_continued(tmp_path):
    rows = [f"a {'fine' if n % 2 else 'dull'} film {n},{n % 2}" for n in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *rows, ""]))
    out = tmp_path / "runs"
    told = ("train", "text-classifier", "--data", tmp_path / "a.csv", "--validation", 0.3)
    told += ("--epochs", 2, "--no-xla", "--search", "learning-rate=0.01..10", "--search")
    told += ("num-buckets=50,500", "--search", "ngrams=1,2", "--tokenizer", "words", "--out", out)
    done = run(*told, "--trials", 3)
    assert done.exit_code == 0, done.output
    best = done.stdout.splitlines()[-1]
    assert best.startswith(f"best: {out / 'trial-'}") and "with --learning-rate " in best
    found = json.loads(run(*told, "--trials", 5, "--resume", "--json").stdout)
    assert len(found["trials"]) == len(found["runs"]) == 5
    by_name = {each["name"]: each for each in found["runs"]}
    for number, trial in enumerate(found["trials"], 1):
        facts = by_name[f"trial-{number}"]
        assert facts["options"]["learning_rate"] == trial["options"]["learning_rate"]
        assert facts["options"]["num_buckets"] == trial["options"]["num_buckets"]
        assert facts["metrics"]["val_accuracy"] == pytest.approx(trial["best"])
    kept = zoo.load(out / found["best"])
    assert kept.predict(["a fine film"])[0] in ("0", "1")
    assert "has trials: continue with --resume" in refused(*told, "--trials", 5)
    shutil.rmtree(out)
    wrong = ("--search", "colour=1,2")
    done = run(*told, *wrong, "--trials", 2)
    assert done.exit_code == 2 and "has no option 'colour'" in done.stderr
    assert run(*told, "--trials", 2).exit_code == 0  # none had got as far as an epoch
