"""Metrics by name and intervals of every kind of task, beside those of its baselines."""

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.tasks.measurement import Mean

BERT = {"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "num_layers": 1, "max_length": 12}
HOW = {"epochs": 1, "xla": False, "verbose": False}
TEXTS = ["to be or not to be. that is the question.", "to sleep. to dream.", "so be it."]
FILMS = [(f"a {word} film", label) for word in ("fine", "good", "nice") for label in ("yes", "no")]
STARS = [(f"{word} film {n}", n + 0.5) for n, word in enumerate(["dull", "fine", "good", "best"])]
TAGGED = [(["Ann", "sings", str(n)], ["B-PER", "O", "O"]) for n in range(4)]
SIMILAR = [("a red hat", "a hat, red"), ("two dogs", "dogs"), ("cold tea", "tea")]
PASSAGES = [(f"hat {n}", f"a hat {m}", float(n == m)) for n in range(3) for m in range(3)]
WAVES = [np.random.default_rng(n).normal(size=60) for n in range(3)]


def several():
    task = zoo.MultiTask(**BERT)
    return task, {"films": FILMS, "stars": STARS, "names": TAGGED}


def graph():
    edges = [[0, 1, 2, 3, 4, 2], [1, 2, 0, 4, 5, 3]]
    labels = ["a", "a", "b", "b", "b", "a"]
    return zoo.Graph(np.eye(6, dtype="float32"), edges, labels=labels).undirected()


CASES = {
    "multi-task": lambda: several(),
    "embedder of pairs": lambda: (zoo.TextEmbedder(**BERT), SIMILAR),
    "embedder of scores": lambda: (zoo.TextEmbedder(**BERT), SIMILAR),
    "forecaster": lambda: (
        zoo.SeriesForecaster(horizon=4, seasonality=4, quantiles=[0.1, 0.5, 0.9]),
        WAVES,
    ),
    "masked-lm": lambda: (zoo.MaskedLM(**BERT), TEXTS),
    "denoising": lambda: (zoo.Denoising(**BERT), TEXTS),
    "causal-lm": lambda: (zoo.CausalLM(**BERT), TEXTS),
    "pair scorer": lambda: (zoo.TextPairScorer(**BERT), PASSAGES),
    "node classifier": lambda: (zoo.NodeClassifier("gat", "cora"), graph()),
}
NAMES = {
    "multi-task": "films_accuracy films_macro_f1 stars_r2 stars_mae names_f1 mean_score",
    "embedder of pairs": "recall_at_1 mrr",
    "embedder of scores": "spearman pearson",
    "forecaster": "mae crps mase coverage",
    "masked-lm": "loss perplexity accuracy nsp_accuracy",
    "denoising": "loss perplexity accuracy restored",
    "causal-lm": "loss perplexity bits_per_byte",
    "pair scorer": "ndcg_at_10 mrr recall_at_10 map r2 spearman pearson mae rmse",
    "node classifier": "accuracy macro_f1",
}
BY_NAME = {
    "multi-task": (["matthews", "stars_rmse"], ["films_matthews", "stars_rmse"]),
    "embedder of pairs": (["recall_at_5"], ["recall_at_5"]),
    "embedder of scores": (["pearson"], ["pearson"]),
    "forecaster": (["rmse", "pinball_loss"], ["rmse", "pinball_loss"]),
    "masked-lm": (["nsp_accuracy"], ["nsp_accuracy"]),
    "denoising": (["restored"], ["restored"]),
    "causal-lm": (["perplexity"], ["perplexity"]),
    "pair scorer": (["recall_at_1", "mae"], ["recall_at_1", "mae"]),
    "node classifier": (["log_loss", "weighted_f1"], ["log_loss", "weighted_f1"]),
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.thorough) for name in CASES],
)
def case(request):
    task, data = CASES[request.param]()
    task.fit(data, **HOW)
    if request.param == "embedder of scores":  # which only evaluation reads
        data = [(*pair, score) for pair, score in zip(SIMILAR, (1.0, 3.0, 2.0), strict=True)]
    return request.param, task, data


def test_the_main_metric_has_an_interval(case):
    name, task, data = case
    comparison = task.compare(data)
    expected = NAMES[name].split()
    assert [each for each in comparison.model if each in expected] == expected
    ((main, (low, high)),) = comparison.intervals.items()
    assert main == ("mean_score" if name == "multi-task" else expected[0])
    assert np.isfinite([low, high]).all() and low <= high


def test_metrics_by_name_stand_beside_those_of_baselines(case):
    name, task, data = case
    given, expected = BY_NAME[name]
    comparison = task.compare(data, metrics=given)
    assert [*comparison.model] == expected == [*comparison.intervals]
    if name not in ("masked-lm", "denoising", "causal-lm"):  # which have scores, and no answers
        shared = {metric for own in comparison.of_baselines().values() for metric in own}
        assert shared == {*expected} - {"log_loss", "mae"} or shared == {*expected}


def test_a_run_does_not_differ_from_itself(case):
    name, task, data = case
    differences = task.compare_with(task, data)
    assert {*NAMES[name].split()} <= {*differences}
    for each in differences.values():
        assert (each.difference, each.interval, each.p) == (0, (0, 0), 1)


@pytest.mark.thorough
def test_the_interval_of_several_tasks_is_that_of_the_mean():
    task, data = several()
    task.fit(data, **HOW)
    scores = task.compare(data)
    of = [scores.model[each] for each in ("films_accuracy", "stars_r2", "names_accuracy")]
    assert scores.model["mean_score"] == pytest.approx(np.mean(of))
    single = task.single_task("films").compare(FILMS, metrics=["accuracy"]).intervals["accuracy"]
    named = task.compare(data, metrics=["films_accuracy"]).intervals["films_accuracy"]
    assert named == pytest.approx(single)
    low, high = scores.intervals["mean_score"]
    assert low < scores.model["mean_score"] < high


def test_a_mean_of_metrics_that_are_missing_is_none():
    assert Mean("mean", ["a", "b"]).added({"a": 1.0}) == {"a": 1.0}


def test_one_row_has_no_interval_and_is_not_compared():
    task = zoo.TextClassifier("ngram_classifier")
    task.fit(FILMS, **HOW)
    assert task.compare(FILMS[:1]).intervals == {}
    with pytest.raises(UserError, match="cannot be compared on a single row"):
        task.compare_with(task, FILMS[:1])


def test_metrics_that_do_not_fit_are_refused():
    task, data = several()
    task.fit(data, **HOW)
    with pytest.raises(UserError, match="^the metric bleu does not fit multi-task; choose from "):
        task.evaluate(data, metrics=["bleu"])
    with pytest.raises(UserError, match=r"^unknown metric 'films_mae' for multi-task"):
        task.evaluate(data, metrics=["films_mae"])
    words = zoo.TokenTagger("rnn_tagger", embedding_dim=4, units=4)
    plain = [(["Ann", "sings"], ["NOUN", "VERB"])] * 2
    words.fit(plain, **HOW)
    with pytest.raises(UserError, match="f1 needs tags that mark spans, such as B-PER and I-PER"):
        words.evaluate(plain, metrics=["f1"])
    ranker = zoo.TextPairScorer(**BERT)
    ranker.fit(PASSAGES, **HOW)
    with pytest.raises(UserError, match="mrr needs queries with relevant passages and others"):
        ranker.evaluate([("hat 1", "a hat", 1.0), ("hat 2", "a hut", 1.0)], metrics=["mrr"])
