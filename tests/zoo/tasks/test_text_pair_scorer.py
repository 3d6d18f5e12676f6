"""Text pair scorers learn to rank, and BM25 beside them follows its formula."""

import math
import re

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.tasks.baselines.bm25 import Bm25, Bm25Index

NAMES = ("red", "blue", "green", "grey", "pink")
HOW = {"xla": False, "verbose": False}
FILLING = ("the", "hat", "was", "a", "coat")


def rows(count, seed):
    """A query names a color; the passage that fits has the number of the color, not its name."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        chosen = random.permutation(len(NAMES))[:4]
        query = f"{NAMES[chosen[0]]} {random.choice(FILLING)}"
        for place, color in enumerate(chosen):
            passage = f"number{color} {random.choice(FILLING)}"
            yield query, passage, int(not place)


@pytest.fixture(scope="module")
def task():
    made = zoo.TextPairScorer(
        "rnn_classifier", embedding_dim=16, units=16, dropout=0.0, max_length=12, tokenizer="words",
    )  # fmt: skip
    made.fit(list(rows(200, 1)), epochs=15, learning_rate=0.02, **HOW)
    return made


def test_learns_what_words_in_common_do_not_tell(task):
    scores = task.evaluate(list(rows(100, 2)))
    assert next(iter(scores)) == "ndcg_at_10"
    assert scores["mrr"] > 0.9 > 0.7 > scores["bm25_mrr"]
    assert scores["ndcg_at_10"] > 0.9 and scores["map"] == scores["mrr"]  # one answer each


@pytest.mark.parametrize("chosen", [{}, {"exact_match": True}, {"exact_match": False}])
def test_bert_sees_which_words_both_texts_have_unless_told_otherwise(chosen):
    task = zoo.TextPairScorer(num_layers=1, hidden_dim=14, intermediate_dim=13, **chosen)
    task.adapt(list(rows(20, 1)))
    assert task.model.backbone.get_config()["exact_match"] == chosen.get("exact_match", True)
    assert task.model_options["exact_match"] == chosen.get("exact_match", True)


def test_ranks_the_passages_of_a_query(task):
    passages = ["a number3 hat", "the number0 coat", "was number1"]
    found = task.rank("red hat", passages)
    assert found[0].text == "the number0 coat" and found[0].index == 1
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    pairs = [("red hat", passage) for passage in passages]
    scores = task.predict(pairs)
    assert [each.score for each in found] == pytest.approx([scores[each.index] for each in found])
    assert task.rank("red hat", passages, top_k=1) == found[:1] and task.rank("red", []) == []


def test_a_run_folder_keeps_it(task, tmp_path):
    task.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    assert again.rank("pink", ["number4", "number2"]) == task.rank("pink", ["number4", "number2"])


def test_negatives_are_sampled_to_train_and_to_evaluate():
    made = zoo.TextPairScorer("rnn_classifier", embedding_dim=8, units=8, negatives=2)
    pairs = [(f"{name} hat", f"a {name} one") for name in NAMES]
    made.fit(pairs, epochs=1, **HOW)
    assert len(made.read(pairs)) == 15
    assert made.evaluate(pairs)["bm25_mrr"] == 1.0


@pytest.mark.parametrize("loss", ["mse", "listwise"])
def test_negatives_of_training_are_drawn_in_every_epoch(loss, tmp_path):
    pairs = [row[:2] for row in rows(120, 3) if row[2]]
    options = {"embedding_dim": 16, "units": 16, "dropout": 0.0, "max_length": 12}
    options |= {"tokenizer": "words", "negatives": 3, "hard_negatives": 1}
    made = zoo.TextPairScorer("rnn_classifier", **options)
    training = {"loss": loss, "learning_rate": 0.02, "batch_tokens": 300, "folder": tmp_path / "a"}
    made.fit(pairs, epochs=12, **training, **HOW)
    assert made.evaluate(list(rows(100, 2)))["mrr"] > 0.8
    batches = made.batches(made.read(pairs), made.Training(loss=loss))
    first, second = (next(batches.columns(epoch, shuffle=False))["passages"] for epoch in range(2))
    assert first.shape == second.shape and not np.array_equal(first, second)


def test_a_resumed_training_draws_the_negatives_of_its_epochs(tmp_path):
    pairs = [row[:2] for row in rows(60, 3) if row[2]]
    how = {"schedule": "constant", "warmup": 1, "loss": "listwise"} | HOW
    weights = []
    for folder, first in ((tmp_path / "whole", 3), (tmp_path / "parts", 1)):
        made = zoo.TextPairScorer(
            "rnn_classifier", embedding_dim=8, units=8, dropout=0.0, max_length=12
        )
        made.fit(pairs, epochs=first, folder=folder, **how)
        if first < 3:
            made.save(folder)
            made = zoo.load(folder)
            made.fit(pairs, epochs=3, folder=folder, resume=True, **how)
        weights.append(made.model.get_weights())
    for one, other in zip(*weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_lists_need_sampled_negatives():
    made = zoo.TextPairScorer("rnn_classifier", embedding_dim=8, units=8)
    with pytest.raises(UserError, match="loss listwise takes passages that are sampled"):
        made.fit(list(rows(4, 0)), epochs=1, loss="listwise", **HOW)


def test_equal_scores_are_refused():
    with pytest.raises(UserError, match="all scores are 1; if every passage answers its query"):
        zoo.TextPairScorer().adapt([("a", "b", 1), ("c", "d", 1)])
    with pytest.raises(UserError, match="expected pairs|expected single"):
        zoo.TextPairScorer(pairs=False).adapt([("a", "b", 1), ("c", "d", 0)])


def bm25_by_hand(query, passage, passages):
    """Robertson & Zaragoza 2009, equation 3.15, with Lucene's idf."""
    words = [re.findall(r"\w+", each.lower()) for each in passages]
    mean, own, total = sum(map(len, words)) / len(words), re.findall(r"\w+", passage.lower()), 0.0
    for term in query.lower().split():
        holding = sum(term in each for each in words)
        idf = math.log(1 + (len(words) - holding + 0.5) / (holding + 0.5))
        frequency = own.count(term)
        total += idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * len(own) / mean))
    return total


def test_bm25_follows_its_formula():
    passages = ["A red hat, a hat", "the blue coat of a red king", "tea", "hat and tea and tea"]
    bm25 = Bm25.of(passages + passages[:1])
    for query in ("red hat", "tea", "a a king", "nothing"):
        for passage in passages:
            expected = bm25_by_hand(query, passage, passages)
            assert bm25.score(query, passage) == pytest.approx(expected)
        index = Bm25Index(passages)
        assert index.scores(query) == pytest.approx([index.bm25.score(query, x) for x in passages])
    assert Bm25Index(passages).best("red tea", 9).tolist() == [2, 3, 0, 1]
