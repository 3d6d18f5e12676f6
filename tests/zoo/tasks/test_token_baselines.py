"""Baselines of tasks that fill masks, restore texts, or label texts for several tasks."""

import json
from collections import Counter

import keras
import numpy as np
import pytest

import zoo
from zoo.data.pretraining.masking import NOT_CHOSEN
from zoo.errors import UserError
from zoo.tasks.baselines.saved_arrays import FILE
from zoo.tasks.baselines.token_frequencies import TokenFrequencies
from zoo.tasks.recipes.masked_texts import masked_pairs
from zoo.training.calibration import calibration_of

SIZES = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
FIT = {"epochs": 1, "xla": False, "verbose": False}
TEXTS = [" ".join(f"the {word} {word} sleeps." for word in "cat dog cow".split()) for _ in range(7)]
FILMS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good")] * 4
SAME = [("a red hat", "a red hat", "yes"), ("a red hat", "a dull tree", "no")] * 5
TASKS = {"films": FILMS, "same": SAME}


def trained(task, data, folder):
    task.fit(data, data, folder=folder, **FIT)
    return task, zoo.load(folder)


def test_masked_tokens_by_their_frequency(tmp_path):
    task = zoo.MaskedLM("bert", "tiny", max_length=23, vocabulary_size=60, **SIZES)
    task, again = trained(task, TEXTS, tmp_path / "run")
    tokens = task.read(TEXTS).tokenized(
        task.parts.format.tokenization(task.settings, task.preprocessor)
    )
    batches = masked_pairs(tokens, task.fitted, lambda x: x, 16)
    labels = np.concatenate([x["labels"].ravel() for x in batches.columns(shuffle=False)])
    random = np.concatenate([x["is_random"] for x in batches.columns(shuffle=False)])
    chosen = labels[labels != NOT_CHOSEN].tolist()
    counts, size = Counter(chosen), task.preprocessor.tokenizer.vocabulary_size
    loss = -np.mean([np.log((counts[x] + 1) / (len(chosen) + size)) for x in chosen])
    (_, most), *_ = counts.most_common(1)
    expected = {
        "unigram_loss": loss,
        "unigram_perplexity": np.exp(loss),
        "unigram_accuracy": most / len(chosen),
        "unigram_nsp_accuracy": max(random.mean(), 1 - random.mean()),
    }
    for each in (task, again):
        comparison = each.compare(TEXTS)
        assert dict(comparison.baselines) == pytest.approx(expected)
        assert set(comparison.of_baselines()["unigram"]) == set(comparison.model)


def test_a_damaged_file_of_frequencies(tmp_path):
    TokenFrequencies.of([np.array([1, 1, 2])], 5).save(tmp_path)
    assert TokenFrequencies.load(tmp_path).counts.tolist() == [0, 2, 1, 0, 0]
    for counts in (np.array([-1]), np.array([[1]]), np.array([0.5]), np.array([], int)):
        np.savez(tmp_path / FILE, counts=counts)
        with pytest.raises(UserError, match="is damaged"):
            TokenFrequencies.load(tmp_path)


def test_restored_texts_by_an_n_gram_model(tmp_path):
    options = {"max_length": 19, "vocabulary_size": 60, "corruptions": ["text_infilling"]}
    task, again = trained(
        zoo.Denoising("bart", "tiny", **SIZES, **options), TEXTS, tmp_path / "run"
    )
    stream = task.parts.recipe.baselines.tokens(task.read(TEXTS), task.fitted)
    expected = -task.baselines.log_probabilities(stream).mean()
    pieces = task.preprocessor.tokenizer.vocabulary
    assert [pieces[i] for i in stream[:3]] == ["the", "cat", "cat"]
    for each in (task, again):
        baselines = each.compare(TEXTS).baselines
        assert baselines["ngram_loss"] == pytest.approx(expected) and expected < 1
        assert baselines["ngram_perplexity"] == pytest.approx(np.exp(expected))


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    task = zoo.MultiTask("bert", "tiny", max_length=13, **SIZES)
    folder = tmp_path_factory.mktemp("several") / "run"
    return *trained(task, TASKS, folder), folder


def test_the_baselines_of_several_tasks(several):
    for task in several[:2]:
        comparison = task.compare(TASKS)
        assert dict(comparison.baselines) == pytest.approx(
            {
                "majority_films_accuracy": 2 / 3,
                "majority_same_accuracy": 0.5,
                "majority_mean_accuracy": 7 / 12,
                **{f"tfidf_{name}_accuracy": 1.0 for name in ("films", "same", "mean")},
                **{f"character_tfidf_{name}_accuracy": 1.0 for name in ("films", "same", "mean")},
            }
        )
        assert comparison.of_baselines()["majority"] == pytest.approx(
            {"films_accuracy": 2 / 3, "same_accuracy": 0.5, "mean_accuracy": 7 / 12}
        )


def test_each_of_several_tasks_is_calibrated(several):
    task, again, folder = several
    numbers = {"films": [1, 0, 1] * 4, "same": [1, 0] * 5}
    kept = json.loads((folder / "calibration.json").read_text())["temperatures"]
    for name, labels in numbers.items():
        classifier = task.single_task(name)
        assert classifier.scaling.temperature == kept[name]
        rows = [row[0] if len(row) == 2 else row[:-1] for row in TASKS[name]]
        prepare = classifier.parts.input.reader(classifier.fitted).prepare
        inputs = keras.tree.map_structure(np.asarray, prepare(classifier.read_inputs(rows)))
        logits = np.asarray(classifier.model(inputs)["logits"])
        assert kept[name] == pytest.approx(
            calibration_of(logits, np.array(labels)).temperature, rel=1e-4
        )
        scores = classifier.predict_proba(rows)
        expected = np.exp(logits / kept[name])
        np.testing.assert_allclose(
            scores, expected / expected.sum(axis=1, keepdims=True), rtol=1e-4
        )
        np.testing.assert_allclose(again.single_task(name).predict_proba(rows), scores, rtol=1e-5)


def test_damaged_temperatures_of_tasks(several, tmp_path):
    content = json.loads((several[2] / "calibration.json").read_text())
    for temperatures in ({"films": 0}, {"films": float("inf")}, {"films": "warm"}, 3):
        (several[2] / "calibration.json").write_text(
            json.dumps({**content, "temperatures": temperatures})
        )
        with pytest.raises(UserError, match=r"calibration\.json"):
            zoo.load(several[2], check_digests=False)
    (several[2] / "calibration.json").write_text(json.dumps(content))
