"""Where a model looks: the answers to `:attention` of a run and of an artifact."""

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

import export
import zoo
from export.serving import open_artifact
from export.task_serving import open_task
from tests.zoo.server.serving import serving
from tests.zoo.tasks.small_task import LIMIT, make_pairs, make_task
from zoo.report.heads import data
from zoo.server.opening import servable_of
from zoo.server.page import page

ATTENTION = "/v1/models/model:attention"
TEXT = "three one four"
LONG = " ".join(["two"] * (LIMIT + 3))
TINY = {"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "num_layers": 2}
ROWS = [("three one. two", "odd"), ("one four", "even"), ("two two", "even"), ("one", "odd")]


def translator():
    return adapted(make_task(), make_pairs())


def language_model():
    texts = [source for source, _ in make_pairs()]
    return adapted(zoo.CausalLM("gpt", **TINY, max_length=12, max_new_tokens=3), texts)


def classifier():
    return adapted(zoo.TextClassifier("bert", **TINY, max_length=LIMIT), ROWS)


def reader_of_documents():
    sizes = {"embedding_dim": 8, "units": 8, "vocabulary_size": 40}
    return adapted(zoo.TextClassifier("han", **sizes, max_length=LIMIT), ROWS)


def tagger():
    rows = [(["three", "one"], ["odd", "odd"]), (["four"], ["even"])]
    return adapted(zoo.TokenTagger("bert", **TINY, max_length=LIMIT), rows)


def adapted(task, rows):
    task.adapt(rows)
    return task


def asked(servable, body):
    with serving(servable) as client:
        return client.ask(ATTENTION, body)


def assert_shows_what_the_task_does(servable, task, text):
    status, actual = asked(servable, {"text": text})
    assert (status, actual) == (200, data([(text, task.attention_parts(text))]))


QUICK, OTHERS = (classifier,), (translator, language_model, reader_of_documents, tagger)
MAKERS = [*QUICK, *(pytest.param(make, marks=pytest.mark.thorough) for make in OTHERS)]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_text(make):
    """An artifact has the signatures of the task, and the files beside it, but no model."""
    task = make()
    opened = open_task(task)
    for text in (TEXT, LONG, "é ☃", ""):
        assert_shows_what_the_task_does(servable_of("model", opened, task), task, text)
        assert_shows_what_the_task_does(servable_of("model", opened), task, text)


def test_the_page_asks_for_attention_only_with_what_it_takes_itself():
    """A file that takes ids has attention of texts, too, and a page on which ids are typed."""
    whole = servable_of("model", open_task(classifier()))
    ids = {
        "serving_default": whole.signatures["tokens"],
        "attention": whole.signatures["attention"],
    }
    of_ids = replace(whole, signatures=ids)
    assert whole.attention and '"attention": "text"' in page(whole)
    assert of_ids.attention and '"attention": null' in page(of_ids)


@pytest.mark.parametrize("config", [{}, {"settings": 3}, {"settings": {"max_length": "x"}}])
def test_what_describes_no_task_is_served_without_attention(config, caplog):
    """As a task of a user may."""
    opened = open_task(classifier())
    description = {"task": "text-classifier", **config}
    changed = replace(opened, config=description, beside={"tokenizer.json": "{}"})
    actual = servable_of("model", changed)
    assert actual.attention is None and "tokens" in actual.signatures
    (message,) = caplog.messages
    assert "no attention is shown: the artifact does not describe its text-classifier: " in message


@pytest.mark.thorough
def test_a_file_of_a_page_whose_attention_takes_text():
    task = translator()
    servable = servable_of("model", open_task(task.web_page()))
    assert set(servable.signatures["attention"].inputs) == {"text"}
    assert_shows_what_the_task_does(servable, task, TEXT)


@pytest.mark.thorough
def test_a_file_of_one_shape_reads_what_has_room(tmp_path):
    task, path = translator(), tmp_path / "model.tflite"
    assert export.litert(task, path, text="bytes", batch=2, length=LIMIT - 2).passed
    servable = servable_of("model", open_artifact(path))
    assert_shows_what_the_task_does(servable, task, TEXT)
    status, (actual,) = asked(servable, {"text": LONG})
    assert status == 200 and actual["text"] == LONG
    assert actual["parts"]["encoder"]["rows"] == [*["two"] * (LIMIT - 3), "⊣"]


def test_an_image():
    rows = [(np.full((8, 12, 3), shade), f"a {name} square") for shade, name in ((0, "dark"),)] * 2
    small = {"filters": [5, 7], "embedding_dim": 16, "units": 16, "dropout": 0.0}
    task = adapted(zoo.ImageCaptioner(**small, tokenizer="wordpiece", vocabulary_size=40), rows)
    opened = open_task(task)
    for height in (8, 17):  # of the model's size, and of another
        image = np.random.default_rng(3).integers(0, 256, (height, 12, 3), np.uint8)
        content = tf.io.encode_png(image).numpy()
        for servable in (servable_of("model", opened, task), servable_of("model", opened)):
            name, show = servable.attention
            actual, expected = show(content), task.attention_by_token(image)
            assert name == "image_bytes" and len(actual) == len(expected) > 0
            for ours, theirs in zip(actual, expected, strict=True):
                np.testing.assert_allclose(ours["weights"], theirs.weights, atol=1e-4)


def test_a_model_of_pairs_or_without_attention_says_so():
    pairs = [(first, first, label) for first, label in ROWS]
    of_pairs = adapted(zoo.TextClassifier("bert", **TINY, max_length=LIMIT), pairs)
    counts = adapted(zoo.TextClassifier("ngram_classifier"), ROWS)
    message = (
        "this model shows no attention over a text or an image: use :predict with the signature "
        "attention, if it has one"
    )
    for task in (of_pairs, counts):
        actual = asked(servable_of("model", open_task(task)), {"text": TEXT})
        assert actual == (404, {"error": message})
