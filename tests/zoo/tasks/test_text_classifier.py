"""Text classifiers: single texts and pairs, labels, and how they are scored."""

import keras
import numpy as np
import pytest

import zoo
from tests.scores import score_labels
from tests.zoo.tasks.stand_in import StandIn, scramble
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import encoder_inputs
from zoo.text.special_tokens import END, START

SIDES = {"good": ["fine", "great", "lovely"], "bad": ["dull", "poor", "weak"], "odd": ["strange"]}


def make_rows(count=60, seed=0):
    """A film is what the word says that stands somewhere in a row of words that say nothing."""
    rows, random = [], np.random.default_rng(seed)
    for label in random.choice(list(SIDES), count):
        words = list(random.choice(["the", "film", "was", "a", "plot"], random.integers(2, 7)))
        words.insert(random.integers(len(words)), random.choice(SIDES[label]))
        rows.append((" ".join(words), str(label)))
    return rows


ROWS = make_rows()
TEXTS, LABELS = zip(*ROWS, strict=True)
PAIRS = [("a red hat", "a hut", "x"), ("b", "b", "y")]

SIZES = {
    "ngram_classifier": {"num_buckets": 101},
    "rnn_classifier": {"embedding_dim": 16, "units": 16, "num_layers": 1, "dropout": 0.0},
    "bert": {
        "hidden_dim": 16,
        "num_heads": 2,
        "num_layers": 1,
        "intermediate_dim": 16,
        "attention_dropout": 0.0,
        "dropout": 0.0,
    },
}


def make_task(model="rnn_classifier", rows=ROWS, **options):
    settings = {**SIZES[model], "max_length": 13, **options}
    task = zoo.TextClassifier(model, "tiny", **settings)
    task.adapt(rows)
    scramble(task.model)
    return task


def fit(task, rows, **options):
    settings = {"learning_rate": 0.02, "batch_tokens": 64, "xla": False, "verbose": False}
    return task.fit(rows, **{**settings, **options})


@pytest.fixture(scope="module")
def single():
    return make_task()


@pytest.fixture(scope="module")
def pairs():
    return make_task("bert", PAIRS)


@pytest.mark.long
@pytest.mark.parametrize(("model", "rate"), [("ngram_classifier", 10.0), ("rnn_classifier", 0.02)])
def test_it_learns_words_wherever_they_stand(model, rate):
    task = zoo.TextClassifier(model, **SIZES[model], max_length=13)
    task.adapt(ROWS)
    history = fit(task, ROWS, validation_data=ROWS[:20], epochs=10, learning_rate=rate)
    assert history.monitor == "val_accuracy" and history.best_value == 1.0
    scores = task.evaluate(make_rows(40, seed=1))
    assert min(scores["accuracy"], scores["macro_f1"]) > 0.95
    assert task.labels == ["bad", "good", "odd"]


def probabilities(task, ids):
    inputs = encoder_inputs(
        keras.ops.convert_to_tensor(ids), segments=task.settings.model == "bert"
    )
    return keras.ops.convert_to_numpy(keras.ops.softmax(task.model(inputs)["logits"], axis=-1))


@pytest.mark.thorough
def test_probabilities_are_those_of_the_logits(single):
    texts = list(TEXTS[:7])
    actual = single.predict_proba(texts)
    ids = single.preprocessor(text=texts)["token_ids"]
    np.testing.assert_allclose(actual, probabilities(single, ids), rtol=1e-5, atol=1e-7)
    assert single.predict(texts) == [single.labels[i] for i in actual.argmax(1)]
    assert single.predict_proba([]).shape == (0, 3)


def test_its_purpose_says_what_it_reads(pairs):
    assert pairs.purpose == "Classifies each pair of texts."
    assert zoo.TextClassifier().purpose == "Classifies each text."


def test_pairs_are_read_with_an_end_between_them(pairs):
    """Of what is too long the rest of the second text is left out."""
    given = {"text": ["b", "a red hat"], "second": ["a", "a hut " * 9]}
    ids = pairs.preprocessor(**given)["token_ids"].numpy()
    assert ids[0, [0, 2, 4]].tolist() == [START, END, END] and (ids[0, 5:] == 0).all()
    assert ids.shape == (2, 13) and (ids[1] == END).sum() == 2 and ids[1, -1] == END
    rows = list(zip(*given.values(), strict=True))
    np.testing.assert_allclose(
        pairs.predict_proba(rows), probabilities(pairs, ids), rtol=1e-5, atol=1e-7
    )


def test_scores_are_those_of_the_predictions(single, pairs):
    turned = [(b, a, label) for (a, b, _), label in zip(PAIRS * 3, "xyyxyx", strict=True)]
    for task, rows in ((single, ROWS), (pairs, turned)):
        texts = [row[0] if len(row) == 2 else row[:2] for row in rows]
        expected = score_labels([row[-1] for row in rows], task.predict(texts))
        assert task.evaluate(rows) == expected == task.evaluate_artifact(StandIn(task), rows)


@pytest.mark.thorough
def test_labels_stand_in_the_order_that_is_given():
    task = make_task(rows=[("a", "x"), ("b", "y")], labels=["z", "y", "x"])
    assert task.labels == ["z", "y", "x"] and task.predict_proba(["a"]).shape == (1, 3)
    numbers = [
        x["labels"] for x in task.batches(task.read([("a", "x")]), task.Training()).columns()
    ]
    assert numbers == [[2]]


def test_mistakes_are_told_in_a_line(single, pairs):
    for labels in ([], ["x"]):
        with pytest.raises(UserError, match="labels must name at least two labels, got "):
            make_task(labels=labels)
    with pytest.raises(UserError, match="unknown model 'gpt' for text-classifier"):
        zoo.TextClassifier("gpt")
    with pytest.raises(ValueError, match="texts must be a list"):
        single.predict("a")
    with pytest.raises(UserError, match="texts: expected pairs, found single texts"):
        pairs.predict(["one"])
    for act in (pairs.evaluate, pairs.fit, lambda rows: make_task("bert", rows, pairs=True)):
        with pytest.raises(UserError, match="data in memory: expected pairs, found single texts"):
            act([("one", "x"), ("two", "y")])
    with pytest.raises(UserError, match="texts: expected single texts, found pairs"):
        single.predict([("one", "two")])


def test_scores_against_a_count_by_hand():
    """Of a: 1 right, 1 missed, 1 too many: F1 2/4; of b: 2 right, 1 too many: 4/5; of c: 0."""
    scores = score_labels(["a", "a", "b", "b", "c"], ["a", "b", "b", "b", "a"])
    assert scores["accuracy"] == 0.6
    assert scores["macro_f1"] == pytest.approx((2 / 4 + 4 / 5 + 0) / 3)


@pytest.mark.parametrize(
    ("model", "length", "message"),
    [
        ("bert", 5, "bert does not take max_sentence_length; only han does"),
        ("han", None, "han requires max_sentence_length"),
        ("han", 0, "max_sentence_length must be an integer of at least 1, got 0"),
    ],
)
def test_only_documents_have_sentences(model, length, message):
    with pytest.raises(UserError, match=message):
        zoo.TextClassifier(model, max_sentence_length=length)


def test_documents_are_no_pairs():
    with pytest.raises(UserError, match="han reads documents, and not pairs of texts"):
        zoo.TextClassifier("han").adapt(PAIRS)
