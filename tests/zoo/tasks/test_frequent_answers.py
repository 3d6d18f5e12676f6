"""The most frequent answers, beside which every model is evaluated."""

import json

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.tasks.baselines.frequent_answers import FrequentAnswers
from zoo.tasks.baselines.saved_arrays import JSON_FILE

SENTENCES = [
    (["Ann", "saw", "Rome"], ["B-PER", "O", "B-LOC"]),
    (["Ann", "sings"], ["B-PER", "O"]),
    (["Rome", "sings"], ["B-LOC", "O"]),
    (["Ann"], ["B-LOC"]),
]


def test_words_have_their_most_frequent_tag():
    answers = FrequentAnswers.of_tagged(*zip(*SENTENCES, strict=True))
    assert answers.tags(["Ann", "Rome", "saw", "dances"]) == ["B-PER", "B-LOC", "O", "O"]


@pytest.mark.parametrize("word_by_word", [True, False])
def test_answers_are_saved(tmp_path, word_by_word):
    tagged = FrequentAnswers.of_tagged(*zip(*SENTENCES, strict=True))
    answers = tagged if word_by_word else FrequentAnswers.of(["no", "yes", "yes"])
    assert FrequentAnswers.load(tmp_path) is None
    answers.save(tmp_path)
    assert FrequentAnswers.load(tmp_path) == answers
    (tmp_path / JSON_FILE).write_text(json.dumps({"answer": "x"}))
    with pytest.raises(UserError, match=f"{JSON_FILE} is damaged"):
        FrequentAnswers.load(tmp_path)


def test_a_tagger_is_evaluated_beside_them(tmp_path):
    task = zoo.TokenTagger(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
    task.adapt(SENTENCES)
    task.fit(SENTENCES, epochs=1, xla=False, verbose=False)
    # Of 8 words the last one has another tag; of 5 spans 4 are right, and so many are found.
    expected = {"majority_accuracy": 7 / 8, "majority_f1": 4 / 5}
    for each in (task, _again(task, tmp_path)):
        actual = each.evaluate(SENTENCES)
        assert {name: actual[name] for name in expected} == pytest.approx(expected)


def test_images_and_series_are_evaluated_beside_the_most_frequent_label(tmp_path):
    images = [(np.full((9, 9), 50 * i, np.uint8), "ab"[i % 3 == 0]) for i in range(5)]
    small = {"layers": [[4, 3]], "localization": [[2, 3]]}
    task = zoo.ImageClassifier("stn_classifier", "affine", **small)
    waves = [(np.arange(11.0) * i, "ab"[i % 3 == 0]) for i in range(5)]
    for made, data in ((task, images), (zoo.SeriesClassifier(hidden_dim=4, num_layers=1), waves)):
        made.fit(data, epochs=1, xla=False, verbose=False)
        for each in (made, _again(made, tmp_path / made.name)):
            assert each.evaluate(data)["majority_accuracy"] == pytest.approx(3 / 5)


def test_a_recognizer_is_evaluated_beside_the_most_frequent_transcript(tmp_path):
    pytest.importorskip("jiwer")
    tones = [(np.sin(i * np.arange(4000)) / 2, ("on", "on", "off")[i]) for i in range(3)]
    task = zoo.SpeechRecognizer(sample_rate=8000, hidden_dim=8, num_layers=1)
    task.fit(tones, epochs=1, xla=False, verbose=False)
    for each in (task, _again(task, tmp_path)):
        assert each.evaluate(tones)["majority_word_error_rate"] == pytest.approx(1 / 3)


def _again(task, folder):
    task.save(folder)
    return zoo.load(folder)
