"""Texts in which a classifier knows nothing: their scores are the shares of the labels."""

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.stand_in import StandIn
from zoo.serving.unknown import NOTHING_KNOWN

ROWS = [("a fine film", "good")] * 5 + [("a dull film", "bad")] * 3
NOTHING = ["", "xxxxxxx", "Скучный фильм"]
MODELS = {
    "ngram_classifier": {"num_buckets": 101},
    "characters": {"model": "ngram_classifier", "tokenizer": "characters", "num_buckets": 101},
    "rnn_classifier": {"tokenizer": "words", "embedding_dim": 8, "units": 8, "num_layers": 1},
    "han": {"embedding_dim": 8, "units": 8, "max_length": 9, "max_sentence_length": 3},
    "bert": {"tokenizer": "words", "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8},
}


@pytest.fixture(scope="module", params=list(MODELS))
def trained(request):
    task = zoo.TextClassifier(**{"model": request.param, **MODELS[request.param]})
    task.adapt(ROWS)
    task.fit(ROWS, ROWS, epochs=1, xla=False, verbose=False)
    return task


@pytest.mark.thorough
def test_scores_are_the_shares_of_the_labels(trained, tmp_path):
    shares = [[3 / 8, 5 / 8]] * 3
    np.testing.assert_allclose(trained.predict_proba(NOTHING), shares, rtol=1e-6)
    assert trained.predict(NOTHING) == ["good"] * 3
    known = trained.predict_proba(["fine", "xxxxxxx fine"])
    assert np.abs(known - shares[0]).min() > 1e-6
    trained.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    np.testing.assert_allclose(again.predict_proba(NOTHING), shares, rtol=1e-6)
    ids = np.asarray(trained.preprocessor(text=NOTHING)["token_ids"])
    actual = StandIn(trained).run("serving_default", {"token_ids": ids})
    np.testing.assert_allclose(actual["scores"], shares, rtol=1e-6)
    assert actual["unknown"].tolist() == [1, 1, 1]
    ids = np.asarray(trained.preprocessor(text=["fine", "xxxxxxx fine"])["token_ids"])
    assert StandIn(trained).run("serving_default", {"token_ids": ids})["unknown"].tolist() == [0, 0]


def test_such_texts_are_counted(trained, caplog):
    trained.predict([*NOTHING, "fine"])
    assert f"3 {NOTHING_KNOWN}" in caplog.text
    caplog.clear()
    trained.predict(["fine"])
    assert NOTHING_KNOWN not in caplog.text
