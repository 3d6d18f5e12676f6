import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from zoo.metrics import texts
from zoo.metrics.measure import share
from zoo.metrics.resampling import differences, interval, intervals, resamples
from zoo.metrics.texts import TextRows

WORDS = "the a red blue hat man dog runs sits in on of".split()


def system(seed, noise, size=40):
    random = np.random.default_rng(seed)
    references = [random.choice(WORDS, random.integers(4, 9)).tolist() for _ in range(size)]
    noisy = np.random.default_rng(noise)
    found = [
        [w if noisy.random() > 0.1 * noise else noisy.choice(WORDS) for w in text]
        for text in references
    ]
    return [" ".join(text) for text in references], [" ".join(text) for text in found]


def test_resamples_are_those_of_one_draw():
    want = np.random.default_rng(12345).choice(7, (1000, 7), replace=True)
    found = np.concatenate([*resamples(7)])
    np.testing.assert_array_equal(found, [np.bincount(row, minlength=7) for row in want])


def test_resamples_in_several_parts_are_the_same(monkeypatch):
    whole = np.concatenate([*resamples(9, 50)])
    monkeypatch.setattr("zoo.metrics.resampling.CHUNK", 63)
    parts = [*resamples(9, 50)]
    assert len(parts) == 8
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_interval_of_a_mean_covers_it_as_often_as_it_says():
    random, inside = np.random.default_rng(0), 0
    for _ in range(200):
        numbers = random.normal(size=100)
        low, high = intervals({"mean": share(numbers)}, 100)["mean"]
        inside += low <= 0 <= high
    assert 180 <= inside <= 198  # 95 % is 190


@pytest.mark.parametrize(
    ("name", "metric", "scorer"),
    [
        ("BLEU", texts.bleu, BLEU(force=True)),
        ("chrF2", texts.chrf, CHRF()),
        ("TER", texts.ter, TER()),
    ],
)
def test_paired_bootstrap_equals_that_of_sacrebleu(name, metric, scorer):
    references, ours = system(0, 2)
    _, theirs = system(0, 3)
    test = PairedTest([("b", theirs), ("a", ours)], {name: scorer}, [references], "bs", 1000)
    other, value = test()[1][name]
    rows = [[text] for text in references]
    measures = [metric(TextRows(rows, found)) for found in (ours, theirs)]
    (found,) = differences(*measures, 40).values()
    assert found.value == pytest.approx(value.score, abs=1e-3)
    assert found.other == pytest.approx(other.score, abs=1e-3)
    assert found.p == pytest.approx(value.p_value, abs=1e-3)
    low, high = intervals(measures[0], 40)[metric.__name__]
    assert (high - low) / 2 == pytest.approx(value.ci, rel=0.05)


def test_equal_models_do_not_differ():
    measures = {"mean": share(np.arange(20.0))}
    found = differences(measures, measures, 20)["mean"]
    assert (found.difference, found.interval, found.p) == (0, (0, 0), 1)


def test_a_large_difference_is_significant_and_a_small_one_is_not():
    random = np.random.default_rng(0)
    better, worse = (random.random(300) < share_right for share_right in (0.9, 0.6))
    same = np.roll(better, 1)
    same[:3] = [False, True, False]
    ours = {"accuracy": share(better.astype(float))}
    apart = differences(ours, {"accuracy": share(worse.astype(float))}, 300)["accuracy"]
    near = differences(ours, {"accuracy": share(same.astype(float))}, 300)["accuracy"]
    assert apart.p < 0.01 and apart.interval[0] > 0
    assert near.p > 0.05 and near.interval[0] < 0 < near.interval[1]


def test_an_interval_leaves_out_what_is_undefined():
    assert interval(np.array([np.nan, 1.0, np.nan, 1.0])) == (1, 1)
