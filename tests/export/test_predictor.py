"""Artifacts called from Python, in this process and in others."""

import multiprocessing
import pickle
import threading

import numpy as np
import pytest

import export
import zoo
from tests.export.models import tagger

ROWS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("so dull", "bad")] * 5
TEXTS = ["fine", "a dull film", "", "ein schöner Film", "so dull", "film", "fine film"]


@pytest.fixture(scope="module")
def trained():
    task = zoo.TextClassifier("rnn_classifier", "tiny", vocabulary_size=50)
    task.adapt(ROWS)
    task.fit(ROWS, epochs=2, xla=False, verbose=False)
    return task


@pytest.fixture(scope="module")
def any_shape(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("predictor") / "any.tflite"
    export.litert(trained, path, text="bytes")
    return path


def is_of(task, actual, texts):
    assert [*actual["text"]] == task.predict(texts)
    np.testing.assert_allclose(actual["scores"], task.predict_proba(texts), atol=1e-5)


@pytest.mark.thorough
def test_texts(trained, any_shape):
    predict = export.Predictor(any_shape, batch_size=3)
    for given in (TEXTS, np.array(TEXTS), np.array(TEXTS, object), {"text": TEXTS}):
        is_of(trained, predict(given), TEXTS)
    is_of(trained, predict(text=[text.encode() for text in TEXTS[:1]]), TEXTS[:1])
    assert {*predict.facts["inputs"]} == {"text"}
    assert predict.facts["outputs"].keys() == predict(TEXTS).keys()
    nothing = predict([])
    assert nothing["scores"].shape == (0, 2) and nothing["text"].shape == (0,)
    with pytest.raises(ValueError, match=r"expected the inputs \['text'\]; received \['ids'\]"):
        predict(ids=[1])
    for wrong in ("fine", [["fine"]], [3]):
        with pytest.raises(ValueError, match="input 'text' must be an array of string with 1 axes"):
            predict(wrong)


@pytest.mark.long
def test_other_forms(trained, tmp_path):
    export.saved_model(trained, tmp_path / "served")
    export.onnx(trained, tmp_path / "onnx", text="bytes")
    export.litert(trained, tmp_path / "one.tflite", text="bytes", batch=3, length=16)
    for name in ("served", "onnx", "one.tflite"):
        is_of(trained, export.Predictor(tmp_path / name, batch_size=2)(TEXTS), TEXTS)


@pytest.mark.thorough
def test_numbers(tmp_path):
    model = tagger()
    export.litert(model, tmp_path / "tags.tflite", batch=2, length=7)
    predict = export.Predictor(tmp_path / "tags.tflite")
    ids = np.random.default_rng(1).integers(1, 17, (5, 7))  # int64; the file takes int32, two rows
    mask = (np.arange(7) < 4).astype(int) * np.ones((5, 1), int)
    actual = predict(token_ids=ids, padding_mask=mask)
    expected = model({"token_ids": ids, "padding_mask": mask.astype(bool)})
    np.testing.assert_allclose(actual["pooled"], expected["pooled"], atol=1e-5)
    with pytest.raises(ValueError, match="must have the same number of rows; received"):
        predict(token_ids=ids, padding_mask=mask[:2])
    with pytest.raises(ValueError, match="padding_mask, token_ids must be given by name"):
        predict(ids)
    for wrong in (ids + 2**40, ids + 0.5, [[1, 2], [3]]):
        with pytest.raises(ValueError, match="'token_ids' must be an array of int32 with 2 axes"):
            predict(token_ids=wrong, padding_mask=mask)


def called(predict):
    return predict(TEXTS)["text"].tolist()


@pytest.mark.long
def test_other_processes_and_threads(trained, any_shape):
    predict = export.Predictor(any_shape, batch_size=2)
    assert len(pickle.dumps(predict)) < 1000
    expected = trained.predict(TEXTS)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(called, [predict] * 4) == [expected] * 4
    actual = []
    threads = [threading.Thread(target=lambda: actual.append(called(predict))) for _ in range(7)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert actual == [expected] * 7


@pytest.mark.thorough
def test_what_is_not_there(any_shape, tmp_path):
    with pytest.raises(ValueError, match="There is no artifact at"):
        export.Predictor(tmp_path / "none.tflite")
    with pytest.raises(ValueError, match="no signature 'other'; choose from serving_default"):
        export.Predictor(any_shape, "other")
    with pytest.raises(ValueError, match="batch_size must be a positive integer; received 0"):
        export.Predictor(any_shape, batch_size=0)
    copy = tmp_path / any_shape.name
    for file in any_shape.parent.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    predict = export.Predictor(copy)
    copy.write_bytes(copy.read_bytes() + b"\0")
    for call in (predict.load, lambda: predict(TEXTS)):
        with pytest.raises(ValueError, match="must not be loaded: sha256 artifact"):
            call()
