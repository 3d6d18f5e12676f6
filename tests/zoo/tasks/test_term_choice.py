"""The choice between words and n-grams of characters, and what the text classifier makes of it."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import ComplementNB

import zoo
from zoo.tasks.inputs import term_choice as module
from zoo.tasks.inputs.term_choice import characters_of, prefers_characters, words_of

STEMS = [a + b + c for a in "rhsdpk" for b in "aeiou" for c in "dtn"]
ENDINGS = ("ness", "ing", "ful")


def names(count=180, seed=0):
    """Words that occur once, with labels that their endings tell."""
    random = np.random.default_rng(seed)
    pairs = [(stem + each, each) for stem in STEMS for each in ENDINGS]
    return [pairs[i] for i in random.permutation(len(pairs))[:count]]


def sentences(count=180, seed=0):
    """Sentences whose labels are told by one word, which is spelled like those of other labels."""
    random = np.random.default_rng(seed)
    told = {"x": ["pat", "dim"], "y": ["tap", "mid"]}
    rows = []
    for label in random.choice(["x", "y"], count):
        others = random.choice(["a", "pit", "tip", "dam", "mad", "imp"], 9)
        rows.append((" ".join([*others[:4], random.choice(told[label]), *others[4:]]), str(label)))
    return rows


def columns(rows):
    return zip(*rows, strict=True)


def test_spellings_need_characters_and_sentences_need_words():
    assert prefers_characters(*columns(names()))
    assert not prefers_characters(*columns(sentences()))


@pytest.mark.parametrize("rows", [names(2), [("red", "x")] * 40, [("", "x"), ("", "y")] * 40])
def test_words_stay_without_evidence(rows):
    assert not prefers_characters(*columns(rows))


def test_words_stay_in_long_texts():
    long = [(" ".join([text] * 60), label) for text, label in names()]
    assert not prefers_characters(*columns(long))


@pytest.mark.parametrize("terms", [words_of, characters_of])
def test_answers_are_those_of_complement_naive_bayes(terms, monkeypatch):
    monkeypatch.setattr(module, "BUCKETS", 4099)  # hardly any collisions
    texts, labels = columns(sentences(150, seed=3))
    _, classes = np.unique(labels, return_inverse=True)
    held_out = np.arange(150) % 4 == 0
    vocabulary = {term: i for i, term in enumerate(sorted({t for x in texts for t in terms(x)}))}
    counts = np.zeros((150, module.BUCKETS))
    for row, text in enumerate(texts):
        for term in terms(text):
            counts[row, vocabulary[term]] += 1
    weights = np.log1p(counts)
    weights *= 1 + np.log(151 / (1 + (counts[~held_out] > 0).sum(axis=0)))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    model = ComplementNB(alpha=module.SMOOTHING / 1, norm=True)
    model.fit(csr_matrix(weights[~held_out]), classes[~held_out])
    expected = model.predict(csr_matrix(weights[held_out]))
    answers = module._answers(texts, classes, held_out, terms)
    assert np.mean(answers == expected) > 0.97


def test_the_default_classifier_reads_spellings(tmp_path):
    rows, new = names(180), names(270)[180:]
    task = zoo.TextClassifier()
    task.fit(rows, epochs=40, xla=False, verbose=False)
    assert task.settings.tokenizer == "characters"
    assert task.model_options == {"ngrams": 4, "ngram_weight": 1.0}
    assert task.evaluate(new)["accuracy"] > 0.9
    task.save(tmp_path)
    texts = [text for text, _ in new]
    again = zoo.load(tmp_path)
    assert again.predict(texts) == task.predict(texts)
    assert again.settings.tokenizer == "characters"


@pytest.mark.parametrize(
    ("given", "tokenizer", "options"),
    [
        ({"tokenizer": "words"}, "words", {}),
        ({"tokenizer": "characters"}, "characters", {"ngrams": 4, "ngram_weight": 1.0}),
        ({"tokenizer": "characters", "ngrams": 3}, "characters", {"ngrams": 3}),
        ({"ngrams": 3}, "characters", {"ngrams": 3}),
        ({"model": "rnn_classifier", "tokenizer": "auto"}, "characters", {}),
    ],
)
def test_what_is_given_stays(given, tokenizer, options):
    task = zoo.TextClassifier(**given)
    task.adapt(names())
    assert task.settings.tokenizer == tokenizer
    assert {name: task.model_options[name] for name in task.model_options} == options


def test_prepared_data_keep_their_tokenizer(tmp_path):
    task = zoo.TextClassifier()
    task.prepare(names(), tmp_path / "shards", processes=1, verbose=False)
    other = zoo.TextClassifier()
    other.adapt(tmp_path / "shards")
    assert other.settings.tokenizer == "characters"
    assert other.model_options["ngrams"] == 4
