"""Pages of Keras models of one's own: what they say, and what is refused."""

import json
import re

import keras
import numpy as np
import pytest

import export
import zoo
from zoo.errors import UserError
from zoo.lines import LABELS
from zoo.text import train_tokenizer

TEXTS = ["a fine film", "so dull", "what a lovely day in the rain"]
SIZE = 7  # ids of a text


@pytest.fixture(scope="module")
def before():
    return zoo.ExportableTokenizer(train_tokenizer("wordpiece", TEXTS * 20, 60), TEXTS, 11)


def of_ids(units, activation, size=SIZE):
    """A model of a fixed number of ids, as those after `TextVectorization` are."""
    keras.utils.set_random_seed(5)
    ids = keras.Input((size,), dtype="int32")
    x = keras.layers.Flatten()(keras.layers.Embedding(60, 5, embeddings_initializer="normal")(ids))
    return keras.Model(ids, keras.layers.Dense(units, activation=activation)(x))


def of_pixels(activation="softmax", shape=(5, 11, 3)):
    keras.utils.set_random_seed(5)
    pixels = keras.Input(shape, name="pixels")
    x = keras.layers.Flatten()(keras.layers.Rescaling(1 / 255)(pixels))
    return keras.Model({"pixels": pixels}, keras.layers.Dense(3, activation=activation)(x))


IMAGES = np.random.default_rng(3).integers(0, 256, (7, 5, 11, 3)).astype("uint8")


def test_a_model_of_a_fixed_number_of_ids_gets_as_many(before):
    own = before.around(of_ids(3, "softmax"))
    pad = before.tokenizer.special_tokens.pad
    ids = own.read(TEXTS)
    assert ids.shape == (3, SIZE) and (ids[1, 3:] == pad).all() and ids[1, 2] != pad
    parts = own.export_parts("bytes")
    assert parts.signatures["tokens"].features["token_ids"].shape == ("batch", SIZE)
    assert parts.signatures["serving_default"].invariances == ("batch",)
    with pytest.raises(UserError, match=f"takes {SIZE} ids of a text; received length=5"):
        own.export_parts("bytes", length=5)


@pytest.mark.parametrize(("units", "activation"), [(2, "softmax"), (1, "sigmoid")])
def test_scores_of_labels(before, units, activation):
    model = of_ids(units, activation)
    own = before.around(model, labels=["bad", "good"])
    expected = np.asarray(model(own.read(TEXTS)), "float64")
    if units == 1:
        expected = np.concatenate([1 - expected, expected], axis=1)
    tokens = own.export_parts("bytes").signatures["tokens"]
    actual = tokens.infer(token_ids=own.read(TEXTS))
    np.testing.assert_allclose(actual["scores"], expected, atol=1e-6)
    assert actual["scores"].shape == (3, 2) and own.export_parts("bytes").assets[LABELS] == (
        "bad\ngood\n"
    )


def test_what_a_page_says(before):
    page = before.around(of_ids(2, "softmax"), labels=["<b>", "good"]).web_page()
    assert page.length() == SIZE
    html = page.files(page.export_parts("bytes"), "a_film", SIZE)["index.html"]
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', html, re.DOTALL)[1])
    assert facts["labels"] == ["<b>", "good"] and "<b>" not in html
    assert [(x["name"], x["dtype"]) for x in facts["inputs"]] == [("text", "string")]
    assert facts["examples"] == [{"text": text} for text in TEXTS]
    assert "<title>a film</title>" in html and "Scores the labels of a text. 2 labels:" in html


def test_images_are_pixels_of_one_size():
    own = zoo.ExportableImageModel(of_pixels(), IMAGES, ["a", "b", "c"])
    (signature,) = own.export_parts().signatures.values()
    assert signature.inputs["image"].shape == ("batch", 5, 11, 3)
    actual = signature.infer(image=IMAGES.astype("float32"))["scores"]
    np.testing.assert_allclose(actual, of_pixels()({"pixels": IMAGES.astype("float32")}), atol=1e-6)
    assert own.web_page().length() is None


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            ["a", "b", "c"],
            r"3 labels need a model with one output of the shape \(None, 3\);",
        ),
        ("ab", "labels must be names, such as .* received 'ab'"),
        (["a", ""], "labels must be names"),
        (["a", "a"], "another name"),
    ],
)
def test_labels_that_do_not_fit(before, labels, message):
    with pytest.raises(UserError, match=message):
        before.around(of_ids(2, "softmax"), labels=labels)


def test_what_has_no_page(before, tmp_path):
    site = tmp_path / "site"
    with pytest.raises(UserError, match="end it with a softmax"):
        export.web(of_ids(2, None), site, tokenizer=before, labels=["a", "b"])
    with pytest.raises(UserError, match=r"does not generate: leave out \['beams'\]"):
        export.web(of_ids(2, None), site, tokenizer=before, beams=3)
    unlimited = zoo.ExportableTokenizer(before.tokenizer, TEXTS)
    with pytest.raises(UserError, match="give length, the greatest number of tokens"):
        mean = keras.layers.GlobalAveragePooling1D()
        ids = keras.Input((None,), dtype="int32")
        model = keras.Model(ids, mean(keras.layers.Embedding(60, 3)(ids)))
        export.web(model, site, tokenizer=unlimited)
    with pytest.raises(ValueError, match="labels are those of a Keras model of ids"):
        export.web(of_ids(2, None), site, labels=["a", "b"])
    with pytest.raises(ValueError, match="a task has its own"):
        export.web(before.around(of_ids(2, None)), site, tokenizer=before)
    assert not site.exists()


@pytest.mark.parametrize(
    ("model", "images", "message"),
    [
        (of_pixels(shape=(5, 11, 2)), IMAGES, "the model takes 2"),
        (of_ids(2, None), IMAGES, r"takes pixels \(None, H, W, C\) of one size; it takes"),
        (of_pixels(), IMAGES[:0], "at least one array"),
        (of_pixels(), IMAGES[:, :4], r"of the shape \(5, 11, 3\); received the shape \(7, 4"),
        (of_pixels(None), IMAGES, "labels need scores from 0 to 1"),
    ],
)
def test_images_that_do_not_fit(model, images, message):
    with pytest.raises(UserError, match=message):
        zoo.ExportableImageModel(model, images, ["a", "b", "c"])
