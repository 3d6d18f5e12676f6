"""Vectors of texts: learned from pairs, each told apart from the others of its batch."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import export
import zoo
from export.worker.artifact import load
from tests.scores import score_likeness
from tests.zoo.tasks.stand_in import StandIn
from zoo.errors import DataError, UserError
from zoo.models.pooling import pool, unit
from zoo.tasks.learning import use_tokenizer
from zoo.training.multiple_negatives import MultipleNegatives

PAIRS = [
    ("a red hat", "the hat is red"),
    ("two dogs run", "dogs are running"),
    ("rain in may", "it rains in spring"),
    ("he sings", "the man is singing"),
    ("cold tea", "a cup of tea"),
]
SIZES = {
    "hidden_dim": 12,
    "num_heads": 2,
    "intermediate_dim": 16,
    "num_layers": 1,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}


@pytest.fixture(scope="module")
def trained():
    task = zoo.TextEmbedder("bert", "tiny", **SIZES, max_length=11)
    task.adapt(PAIRS)
    history = task.fit(
        PAIRS, PAIRS, epochs=16, batch_tokens=128, learning_rate=0.01, xla=False, verbose=False
    )
    return task, history


@pytest.mark.long
def test_partners_are_found_after_training(trained):
    task, history = trained
    assert history.history["val_loss"][-1] < 0.1 < 0.5 < history.history["val_loss"][0]
    cosines = task.similarity([a for a, _ in PAIRS], [b for _, b in PAIRS])
    # Batches are of pairs of like length: only within one have texts been told apart.
    partners = np.diag(cosines)
    assert partners.min() > 0.5 and (partners > np.median(cosines, axis=1)).all()


@pytest.mark.thorough
def test_scores_are_those_of_the_cosines(trained):
    task, _ = trained
    rows = [(a, b, str(float(i == j))) for i, (a, _) in enumerate(PAIRS)
            for j, (_, b) in enumerate(PAIRS)]  # fmt: skip
    cosines = task.similarity([a for a, _ in PAIRS], [b for _, b in PAIRS])
    scores = task.evaluate(rows)
    expected = score_likeness(np.eye(5).ravel(), cosines.ravel())
    assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=1e-6)
    assert {*scores} == {*expected, "tfidf_spearman", "tfidf_pearson"}
    of_artifact = task.evaluate_artifact(StandIn(task), rows)
    assert scores["pearson"] > 0.5 and of_artifact == {name: scores[name] for name in expected}


@pytest.mark.thorough
def test_pairs_without_scores_are_ranked(trained):
    task, _ = trained
    rows = [*PAIRS, ("a red hat", "dogs are running")]  # two right answers, the better counts
    cosines = task.similarity([a for a, _ in PAIRS], [b for _, b in PAIRS])
    best = np.diag(cosines).copy()
    best[0] = max(best[0], cosines[0, 1])
    ranks = 1 + (cosines > best[:, None]).sum(axis=1)
    ranks[0] -= cosines[0, :2].min() > best[0]
    scores = task.evaluate(rows)
    assert scores["recall_at_1"] == pytest.approx((ranks == 1).mean())
    assert scores["mrr"] == pytest.approx((1 / ranks).mean())
    # Words shared: of the first four pairs some, of the last "a" and "tea".
    assert 0 < scores["tfidf_recall_at_1"] <= scores["tfidf_mrr"] <= 1
    assert next(iter(scores)) == "recall_at_1"


@pytest.mark.thorough
def test_vectors_have_the_length_one_unless_they_are_not_to(trained):
    task, _ = trained
    np.testing.assert_allclose(np.linalg.norm(task.embed(["tea", ""]), axis=1), 1, rtol=1e-5)
    plain = zoo.TextEmbedder("bert", "tiny", **SIZES, max_length=11, normalize=False)
    use_tokenizer(plain, task.tokenizer)
    plain.model.set_weights(task.model.get_weights())
    vectors = plain.embed(["a red tea", "tea"])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.abs(lengths - 1).max() > 0.1 and plain.embed([]).shape == (0, 12)
    np.testing.assert_allclose(vectors / lengths, task.embed(["a red tea", "tea"]), atol=1e-5)


def test_the_loss_is_its_formula():
    rng = np.random.default_rng(11)
    vectors = rng.normal(size=(10, 3))
    mask = np.arange(7) < rng.integers(1, 8, size=(10, 1))
    mask[[4, 9]] = False  # a pair that fills up the batch
    v, w = (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)).reshape(
        2, 5, 3
    )
    odds = np.exp(20 * v[:4] @ w[:4].T)
    expected = -np.mean(np.log(np.diag(odds) / odds.sum(axis=1)))
    actual = MultipleNegatives()(mask, keras.ops.cast(vectors, "float32"))
    np.testing.assert_allclose(float(actual), expected, rtol=1e-4)


def test_nothing_to_pool_gives_zeros_and_finite_slopes():
    zeros = keras.ops.zeros((2, 3, 5))
    nothing = pool(zeros, keras.ops.zeros((2, 3), "bool"), "mean")
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(unit(nothing)), np.zeros((2, 5)))
    assert float(MultipleNegatives()(np.zeros((2, 3), bool), nothing)) == 0.0


def spelled(texts):
    """A task that reads letters."""
    task = zoo.TextEmbedder(**SIZES, tokenizer="characters", max_length=43)
    task.adapt([(text, text) for text in texts])
    return task


def test_each_epoch_has_every_pair_once_and_partners_stay_together():
    firsts = [chr(ord("a") + i) * (1 + i % 3) for i in range(11)]
    seconds = [text.upper() * 2 for text in firsts]
    task = spelled(firsts + seconds)
    pairs = task.read(list(zip(firsts, seconds, strict=True)))
    batches = task.batches(pairs, task.Training(batch_tokens=48, seed=7))
    for epoch in (0, 1):
        seen = []
        for x, labels in batches.dataset(epoch):
            np.testing.assert_array_equal(labels["embeddings"], x["padding_mask"])
            texts = [text.decode() for text in task.preprocessor.detokenize(x["token_ids"]).numpy()]
            half = len(texts) // 2
            for first, second in zip(texts[:half], texts[half:], strict=True):
                assert second == first.upper() * 2
                seen += [first] if first else []
        assert sorted(seen) == sorted(firsts)


@pytest.fixture(scope="module")
def speller():
    return spelled(["ab"])


@pytest.mark.thorough
def test_a_saved_model_has_the_vectors_under_two_names(speller, tmp_path):
    report = export.saved_model(speller, tmp_path / "model")
    assert report.passed and "embed: embedding" in {check.name for check in report.checks}
    run = load(tmp_path / "model" / "1", strings=True).run
    texts = ["ab", "a b", ""]
    actual = run("embed", {"text": np.array(texts, object)})["embedding"]
    np.testing.assert_allclose(actual, speller.embed(texts), atol=1e-5)
    assert {*speller.export_parts("strings", litert=True).signatures} == {
        *speller.export_parts(None).signatures,
        "tokens",
    }
    assert "embed" not in speller.export_parts(None).signatures


@given(
    lengths=st.lists(st.integers(1, 40), min_size=2, max_size=23),
    tokens=st.integers(4, 300),
    seed=st.integers(0, 9),
)
@settings(max_examples=13, deadline=None)
def test_no_pair_is_alone_in_a_batch(speller, lengths, tokens, seed):
    """It would be told from nothing there, and teach nothing."""
    pairs = speller.read([("a" * length, "b" * length) for length in lengths])
    batches = speller.batches(pairs, speller.Training(batch_tokens=tokens, seed=seed))
    for shuffle in (True, False):
        counts = [
            int((x["firsts"] != 0).any(axis=1).sum()) for x in batches.columns(shuffle=shuffle)
        ]
        assert min(counts) >= 2 and sum(counts) == len(lengths)


def test_correlations_are_those_of_scipy():
    # scipy.stats.spearmanr and pearsonr of these, with ties on both sides.
    a, b = np.array([1.0, 2.0, 2.0, 5.0, 0.0]), np.array([0.3, 0.3, 0.9, 0.8, 0.1])
    actual = score_likeness(a, b)
    np.testing.assert_allclose(actual["spearman"], 0.763157894737, atol=1e-9)
    np.testing.assert_allclose(actual["pearson"], 0.726908374242, atol=1e-9)
    assert score_likeness(a, np.ones(5)) == {"spearman": 0.0, "pearson": 0.0}


def test_mistakes_are_named(trained):
    task, _ = trained
    with pytest.raises(DataError, match="expected 2 or 3 columns, found 1"):
        task.evaluate([("a",)])
    with pytest.raises(UserError, match="the score 'yes' is not a number; name the column"):
        task.evaluate([("a", "b", "yes")])
    with pytest.raises(UserError, match="at least 2 pairs are needed, found 1"):
        task.fit(PAIRS[:1])
    with pytest.raises(UserError, match="pooling must be one of mean, cls, got 'max'"):
        zoo.TextEmbedder(pooling="max")
