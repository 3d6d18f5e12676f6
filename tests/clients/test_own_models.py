"""Pages of Keras models of one's own, in headless Chromium."""

import csv
import io
import json
from pathlib import Path

import keras
import numpy as np
import pytest

import export
import zoo
from tests.browser import browsing
from tests.clients.serving import needs_packages, sent_by
from tests.clients.test_web import dropped, objections, png
from tests.zoo.own_models.test_page import IMAGES, TEXTS, of_ids, of_pixels
from zoo.text import train_tokenizer

pytestmark = [pytest.mark.thorough, browsing, needs_packages]
DRIVER = Path(__file__).with_name("driver.html").read_text("utf-8")


@pytest.fixture(scope="module")
def before():
    return zoo.ExportableTokenizer(train_tokenizer("wordpiece", TEXTS * 20, 60), TEXTS)


def shown(site, rows):
    (site / "rows.json").write_text(json.dumps(rows))
    sent = sent_by(site, DRIVER)
    assert sent["refused"] == []
    assert objections(sent["found"]) == []
    return sent["found"]


def test_a_classifier_of_texts(before, tmp_path):
    model, site = of_ids(1, "sigmoid"), tmp_path / "site"
    assert export.web(model, site, tokenizer=before, labels=["bad", "good"]).passed
    assert export.verify(site).passed
    texts = [*TEXTS, "", "a film " * 30]
    *actual, cut = shown(site, [{"text": text} for text in texts])
    expected = np.asarray(model(before.around(model).read(texts)))[:, 0]
    for each, good in zip([*actual, cut], expected, strict=True):
        scores = dict(zip(each["labels"], each["numbers"], strict=True))
        assert scores == pytest.approx({"bad": 1 - good, "good": good}, abs=2e-3)
    assert cut["notes"] == ["The text is too long: a part of it was left out."]


def test_a_table_of_texts_comes_back_with_answers(before, tmp_path):
    model, site = of_ids(2, "softmax"), tmp_path / "site"
    assert export.web(model, site, tokenizer=before, labels=["bad", "good"]).passed
    table = io.StringIO()
    csv.writer(table).writerows([["id", "Text"], *([n, text] for n, text in enumerate(TEXTS))])
    given = {**dropped(table.getvalue().encode(), "films.csv"), "table": True}
    wrong = {**dropped(b"a,b\n1,2\n", "films.csv"), "table": True}
    lines = {**dropped("\n".join(TEXTS).encode(), "films.txt"), "table": True}
    actual, refused, plain = shown(site, [given, wrong, lines])
    scores = np.asarray(model(before.around(model).read(TEXTS)))
    assert actual["rows"][0] == ["id", "Text", "prediction", "score"]
    for number, (row, text, own) in enumerate(zip(actual["rows"][1:], TEXTS, scores, strict=True)):
        assert row[:3] == [str(number), text, ["bad", "good"][own.argmax()]]
        assert float(row[3]) == pytest.approx(own.max(), abs=1e-3)
    assert (actual["said"], actual["links"]) == ("3 rows of films.csv", ["films.answers.csv"])
    assert refused["failed"] and refused["said"].startswith("the table needs a column text; its")
    assert [row[1:] for row in plain["rows"][1:]] == [row[2:] for row in actual["rows"][1:]]


def test_a_mean_over_nothing_is_no_score(before, tmp_path):
    """Keras takes the mean of an empty text to be NaN."""
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(60, 5, mask_zero=True)(ids)
    x = keras.layers.GlobalAveragePooling1D()(x)
    model = keras.Model(ids, keras.layers.Dense(2, activation="softmax")(x))
    site = tmp_path / "site"
    labels = ["bad", "good"]
    assert export.web(model, site, tokenizer=before, labels=labels, length=13).passed
    known, empty = shown(site, [{"text": "a film"}, {"text": ""}])
    assert sorted(known["labels"]) == labels and empty["labels"] == []
    assert empty["notes"] == ["The model gives no numbers for this input, as for an empty text."]


@pytest.mark.long
def test_numbers_of_a_text_of_any_length(before, tmp_path):
    keras.utils.set_random_seed(3)
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(60, 5, mask_zero=True)(ids)
    values = keras.layers.Dense(3)(keras.layers.GlobalAveragePooling1D()(x))
    model, site = keras.Model(ids, values), tmp_path / "site"
    assert export.web(model, site, tokenizer=before, length=13).passed
    actual = shown(site, [{"text": text} for text in TEXTS])
    expected = np.asarray(model(before.around(model).read(TEXTS)))
    for each, numbers in zip(actual, expected, strict=True):
        assert each["header"] == ["output_0 1", "output_0 2", "output_0 3"]
        assert each["cells"] == pytest.approx(numbers.tolist(), rel=1e-3, abs=1e-5)


def test_a_classifier_of_images(tmp_path):
    model, site = of_pixels(), tmp_path / "site"
    own = zoo.ExportableImageModel(model, IMAGES, ["a", "b", "c"])
    assert export.web(own, site).passed
    rows = [*(dropped(png(image), "a.png") for image in IMAGES[:2]), {"camera": True}]
    *actual, taken = shown(site, rows)
    assert not taken["failed"] and sum(taken["numbers"]) == pytest.approx(1, abs=2e-3)
    expected = np.asarray(model({"pixels": IMAGES[:2].astype("float32")}))
    for each, scores in zip(actual, expected, strict=True):
        found = dict(zip(each["labels"], each["numbers"], strict=True))
        assert found == pytest.approx(dict(zip("abc", scores.tolist(), strict=True)), abs=2e-3)
