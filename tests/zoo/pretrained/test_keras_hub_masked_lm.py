"""Imports KerasHub's masked LM, whose logits and predictions must be the same."""

import keras
import numpy as np
import pytest

import zoo
from tests.zoo.pretrained import tiny_keras_hub
from zoo.errors import UserError

pytestmark = [
    pytest.mark.thorough,  # KerasHub alone takes seconds to import
    pytest.mark.filterwarnings("ignore:.*no weights for next_sentence"),
]
TEXTS = ["the [MASK] hut [MASK]", "a man [MASK]", "[MASK] the huts", "[MASK] [MASK] é !"]
MASK, SPECIAL = 4, 5  # the id of the mask token, and the number of special tokens


@pytest.fixture(scope="module", params=[1.0, 0.01])
def theirs(request):
    pytest.importorskip("keras_hub")
    return tiny_keras_hub.bert_masked_lm(request.param)


@pytest.fixture(scope="module", params=["task", "folder"])
def task(theirs, request, tmp_path_factory):
    if request.param == "task":
        return zoo.from_pretrained(theirs)
    folder = tmp_path_factory.mktemp("presets") / "bert"
    theirs.save_to_preset(folder)
    return zoo.from_pretrained(folder)


def their_logits(theirs, inputs, places):
    return np.asarray(theirs({**inputs, "mask_positions": places}))


def test_logits_at_masks(theirs, task):
    numbers = np.random.default_rng(5)
    places = np.array([[1, 4, 10], [3, 2, 0], [6, 1, 5]])
    inputs = {
        "token_ids": numbers.integers(0, 19, (3, 11)),
        "padding_mask": np.arange(11) < np.array([[11], [5], [7]]),
        "segment_ids": numbers.integers(0, 2, (3, 11)),
    }
    np.put_along_axis(inputs["token_ids"], places, MASK, axis=1)
    expected = their_logits(theirs, inputs, places)
    actual = np.asarray(task.model(inputs)["mlm_logits"])
    assert np.abs(expected).max() > 1
    actual = np.take_along_axis(actual, places[:, :, None], axis=1)
    np.testing.assert_allclose(actual, expected, atol=1e-4)


def test_vocabulary_and_length(theirs, task):
    assert list(task.tokenizer.vocabulary) == theirs.preprocessor.tokenizer.get_vocabulary()
    assert task.settings.max_length == 11


def test_predictions_of_masks(theirs, task):
    chosen = set()
    for text in TEXTS:
        ids = np.asarray(task.read_inputs([text])["token_ids"])
        places = np.nonzero(ids == MASK)[1][None]
        inputs = {"token_ids": ids, "padding_mask": ids != 0, "segment_ids": np.zeros_like(ids)}
        logits = their_logits(theirs, inputs, places)[0, :, SPECIAL:]
        best = SPECIAL + logits.argmax(axis=-1)
        scores = np.asarray(keras.ops.softmax(logits)).max(axis=-1)
        actual = [each[0] for each in task.fill_mask(text, top=1)]
        assert [each.token for each in actual] == [task.tokenizer.vocabulary[i] for i in best]
        np.testing.assert_allclose([each.score for each in actual], scores, atol=1e-4)
        ids[0, places[0]] = best
        assert task.predict([text]) == [task.preprocessor.detokenize(ids).numpy()[0].decode()]
        chosen |= set(best.tolist())
    assert len(chosen) > 1


def test_the_head_stays_in_runs_and_is_not_written_as_another(task, tmp_path):
    expected = task.fill_mask(TEXTS[0])
    task.save(tmp_path / "run")
    assert zoo.load(tmp_path / "run").fill_mask(TEXTS[0]) == expected
    assert zoo.from_pretrained(tmp_path / "run").fill_mask(TEXTS[0]) == expected
    classifier = zoo.from_pretrained(tmp_path / "run", task="text-classifier")
    assert "head_activation" not in classifier.model_options
    with pytest.raises(UserError, match="one activation for encoder and head, but this task has"):
        zoo.to_pretrained(task, tmp_path / "checkpoint")
