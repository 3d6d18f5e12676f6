"""The masked language model from plain text to filled masks, and from a folder to the same task."""

import json

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import export
import zoo
from zoo.demo.artifacts import ask_litert, ask_saved_model
from zoo.errors import UserError

MASK_ID = 4

TOPICS = [["cat", "purrs", "mat", "milk"], ["horse", "neighs", "field", "hay"], ["bird", "nest"]]
RANDOM = np.random.default_rng(0)


def document(topic, count=12):
    """Words of one topic at random: the others tell of which a masked one is."""
    return " ".join(" ".join(RANDOM.choice(topic, 4)) + "." for _ in range(count))


TEXTS = [document(topic) for topic in TOPICS * 6]


def make_task(**options):
    settings = {
        "num_layers": 1,
        "hidden_dim": 96,
        "num_heads": 2,
        "intermediate_dim": 96,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "max_length": 31,
        "vocabulary_size": 100,
    }
    return zoo.MaskedLM("bert", "tiny", **{**settings, **options})


def fit(task, epochs, **options):
    settings = {"batch_size": 8, "learning_rate": 0.003, "xla": False, "verbose": False}
    return task.fit(TEXTS, epochs=epochs, **{**settings, **options})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "topics"
    task = make_task()
    task.adapt(TEXTS)
    return task, fit(task, 30, validation_data=TEXTS[:3], folder=folder), folder


def test_it_learns_what_stands_where(run):
    task, history, _ = run
    losses = history.history["loss"]
    assert losses[-1] < 0.5 * losses[0] and history.monitor == "val_loss"
    for topic in TOPICS:
        ((best, *_, last),) = task.fill_mask(f"{topic[0]} [MASK] {topic[1]}.", top=len(topic))
        assert {best.token, last.token} <= set(topic)
        assert best.text == f"{topic[0]} {best.token} {topic[1]}." and best.score >= last.score
    scores = task.evaluate(TEXTS[:4])
    # Chance among four words, and between two answers.
    assert scores == task.metrics and scores["accuracy"] > 0.25 and scores["nsp_accuracy"] > 0.5
    assert scores["loss"] == pytest.approx(np.log(scores["perplexity"]))


def test_probabilities_are_those_of_the_logits(run):
    task, _, _ = run
    text = "cat [MASK] [MASK] milk."
    ids = task.codec.encode([text])
    inputs = task.model.inputs_for(ops.convert_to_tensor(ids.numpy()))
    logits = ops.convert_to_numpy(task.model(inputs)["mlm_logits"])[0].astype("float64")
    logits[:, : MASK_ID + 1] = -np.inf
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    places = np.flatnonzero(ids.numpy()[0] == MASK_ID)
    for place, choices in zip(places, task.fill_mask(text, top=4), strict=True):
        best = np.argsort(-p[place])[:4]
        assert [choice.token for choice in choices] == [task.tokenizer.vocabulary[i] for i in best]
        np.testing.assert_allclose([choice.score for choice in choices], p[place][best], rtol=1e-4)
    assert task.fill_mask(text)[0][0].text.count("[MASK]") == 1  # the other one stays


def test_predict_fills_every_mask(run):
    task, _, _ = run
    texts = ["cat [MASK] mat.", "nothing", "", "a([MASK])"]
    filled = task.predict(texts, batch_size=3)
    assert filled[0].split()[1] in TOPICS[0] and filled[1:3] == ["nothing", ""]
    assert "[MASK]" not in "".join(filled)
    assert filled == [task.predict([text])[0] for text in texts]


def test_a_saved_task_is_the_same_task(run, tmp_path):
    task, _, folder = run
    task.save(tmp_path)
    text = "hay [MASK] horse."
    for again in (zoo.load(tmp_path), zoo.load(folder)):
        assert isinstance(again, zoo.MaskedLM) and again.settings["whole_words"] is False
        assert again.fill_mask(text) == task.fill_mask(text)


@pytest.mark.thorough
def test_artifacts_fill_masks_as_the_task_does(run, tmp_path):
    task, _, _ = run
    texts = ["cat [MASK] mat.", "nest [MASK] bird [MASK].", "", "no mask"]
    export.saved_model(task, tmp_path / "served")
    assert ask_saved_model(tmp_path / "served" / "1", texts) == task.predict(texts)
    served = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures
    scores = served["serving_default"](text=tf.constant(texts))["score"].numpy()
    expected = [np.prod([each[0].score for each in task.fill_mask(text)]) for text in texts[:2]]
    np.testing.assert_allclose(scores, [*expected, 1, 1], rtol=1e-4)
    ids = task.codec.encode(texts)
    found = served["tokens"](token_ids=ids)
    best = task.fill_mask(texts[0])[0]
    place = np.flatnonzero(ids.numpy()[0] == MASK_ID)[0]
    vocabulary = task.tokenizer.vocabulary
    assert [vocabulary[i] for i in found["token_ids"][0, place]] == [each.token for each in best]
    export.litert(task, tmp_path / "topics.tflite", strings=True)
    assert ask_litert(tmp_path / "topics.tflite", texts) == task.predict(texts)


def test_documents_come_as_json_lines_and_words_whole(tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(TEXTS)))
    task = make_task(whole_words=True, vocabulary_size=30)
    task.adapt(path)
    assert any(piece.startswith("##") for piece in task.tokenizer.vocabulary)
    batches, documents = task._pairs(path, 4)
    assert "18 documents" in str(documents) and "pairs of up to 31 tokens" in str(batches)
    assert batches.masking.continues.sum() == sum(
        piece.startswith("##") for piece in task.tokenizer.vocabulary
    )


def test_mistakes_are_told_in_a_line(run):
    task, _, _ = run
    with pytest.raises(UserError, match=r"no \[MASK\] in the first 31 tokens"):
        task.fill_mask("cat " * 30 + "[MASK]")
    with pytest.raises(UserError, match="unknown model for masked-lm 'gpt'; choose from bert"):
        zoo.MaskedLM("gpt")
    with pytest.raises(UserError, match="no two sentences"):
        fit_one = make_task()
        fit_one.adapt(["one"])
        fit_one.fit(["one"], verbose=False)
    with pytest.raises(ValueError, match="texts must be a list"):
        task.predict("a")
