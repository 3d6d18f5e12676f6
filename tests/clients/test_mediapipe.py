"""MediaPipe Tasks give the scores of the Keras model, in Python and in headless Chromium."""

import ast
import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import export
from tests.browser import browsing
from tests.clients.serving import READY, sent_by
from tests.pages import blocks, said
from tests.seeding import reseed
from tests.tasks.api import FIT
from tests.tasks.cases import CASES

pytestmark = pytest.mark.clients
PYTHON = pytest.mark.skipif(find_spec("mediapipe") is None, reason="mediapipe is not installed")
PAGES = pytest.mark.skipif(not READY.exists(), reason="`make clients` has not been run")
GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "export" / "mediapipe.md"
DRIVER = Path(__file__).with_name("mediapipe.html").read_text("utf-8")
TEXTS = [
    "The film was FINE!",
    "a poor, poor (plot)… “great”—it's",
    "Ä poor fÏlm, ÜBER ÉCOLE",
    "e\u0301cole fi\u0301lm was\u00a0fine\u3000dull",
    "film 你好great",
    "great\U0001f642 film \U0001f642",
    "du\u200bll \u00ad plot",
    "\u0130stanbul \u03a3\u0391\u03a3 ß \uac00",
    "tab\tand\nline\r\nbreak",
    "the film was great " * 30,
    "x" * 150 + " dull",
    "",
    " ",
]
OPTIONS = {"text_classifier_rnn": {"tokenizer": "words"}, "text_embedder": {"tokenizer": "words"}}
NAMES = ["text_classifier", "text_classifier_bert", "text_classifier_rnn", "text_embedder"]


class Exported:
    """A trained task, and its file."""

    def __init__(self, name, folder):
        case = CASES[name]
        folder.mkdir(parents=True, exist_ok=True)
        reseed()
        self.task = case.make(folder, **OPTIONS.get(name, {}))
        data = case.data(folder)
        self.task.adapt(data)
        self.task.fit(data, epochs=case.epochs, **{**FIT, **case.fit})
        self.path = folder / "model.tflite"
        assert export.mediapipe(self.task, self.path).passed

    @property
    def kind(self):
        return self.task.for_mediapipe().metadata().name

    def expected(self, rows):
        """What the task says of each row: scores by label, or a vector."""
        if self.kind == "TextEmbedder":
            return [each.tolist() for each in self.task.embed(rows)]
        actual = self.task.predict_proba(rows)
        return [dict(zip(self.task.labels, each.tolist(), strict=True)) for each in actual]


@pytest.fixture(scope="module", params=NAMES)
def texts(request, tmp_path_factory):
    return Exported(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    return Exported("image_classifier", tmp_path_factory.mktemp("images"))


def in_python(exported, rows):
    """What MediaPipe in Python says of each row."""
    from mediapipe import Image, ImageFormat
    from mediapipe.tasks.python import BaseOptions, text, vision

    module = vision if exported.kind == "ImageClassifier" else text
    options = getattr(module, f"{exported.kind}Options")(
        base_options=BaseOptions(model_asset_path=str(exported.path))
    )
    with getattr(module, exported.kind).create_from_options(options) as task:
        if exported.kind == "TextEmbedder":
            return [task.embed(row).embeddings[0].embedding.tolist() for row in rows]
        if exported.kind == "ImageClassifier":
            rows = [Image(image_format=ImageFormat.SRGB, data=in_color(row)) for row in rows]
        actual = [task.classify(row).classifications[0].categories for row in rows]
    return [{each.category_name: each.score for each in row} for row in actual]


def in_chromium(exported, rows, folder):
    """What MediaPipe on a page says of each row."""
    if exported.kind == "ImageClassifier":
        rows = [
            {"width": x.shape[1], "height": x.shape[0], "rgb": in_color(x).ravel().tolist()}
            for x in rows
        ]
    shutil.copy(exported.path, folder / "model.tflite")
    (folder / "rows.json").write_text(json.dumps({"kind": exported.kind, "rows": rows}))
    sent = sent_by(folder, DRIVER)
    assert "error" not in sent, sent["error"]
    return sent["found"]


def in_color(image):
    image = image.reshape(*image.shape[:2], -1)
    return np.ascontiguousarray(np.broadcast_to(image, (*image.shape[:2], 3)), np.uint8)


def same(actual, expected, error=1e-5):
    for one, other in zip(actual, expected, strict=True):
        assert one == pytest.approx(other, abs=error)


def differ(answers):
    """The answers are not those of a model that reads nothing."""
    assert len({json.dumps(each) for each in answers}) > len(answers) / 3


@PYTHON
def test_texts_in_python(texts):
    rows = [*TEXTS, *texts.task.examples["text"]]
    expected = texts.expected(rows)
    differ(expected)
    same(in_python(texts, rows), expected)


@browsing
@PAGES
def test_texts_on_a_page(texts, tmp_path):
    rows = [*TEXTS, *texts.task.examples["text"]]
    same(in_chromium(texts, rows, tmp_path), texts.expected(rows))


def of_model_size(images):
    random = np.random.default_rng(4)
    sample = list(images.task.preprocessor.sample)
    return [*sample, random.integers(0, 256, sample[0].shape, "uint8")]


@PYTHON
def test_images_of_the_models_size_in_python(images):
    rows = of_model_size(images)
    expected = images.expected(rows)
    differ(expected)
    same(in_python(images, rows), expected)


@PYTHON
def test_images_of_other_sizes_are_resized_without_antialiasing(images):
    """And from corner to corner of the pixels, with steps of 1/32."""
    shape = images.task.preprocessor.shape[:2]
    sizes = [(2, 2), (3, 5), (1.5, 0.5), (0.7, 4)]
    rows = []
    for image in of_model_size(images):
        for size in sizes:
            large = tf.image.resize(image, [int(x * y) for x, y in zip(shape, size, strict=True)])
            rows.append(large.numpy().round().astype("uint8"))
    alike = [tf.compat.v1.image.resize(row, shape).numpy() for row in rows]
    actual, expected = in_python(images, rows), images.expected(rows)
    same(actual, images.expected(alike), 0.01)
    assert max(apart(*pair) for pair in zip(actual, expected, strict=True)) > 0.1


def apart(one, other):
    return max(abs(one[label] - other[label]) for label in one)


@browsing
@PAGES
def test_images_on_a_page(images, tmp_path):
    rows = of_model_size(images)
    same(in_chromium(images, rows, tmp_path), images.expected(rows), 1e-3)


@PYTHON
def test_the_metadata_in_the_schema_of_mediapipe(texts, images):
    for exported in (texts, images):
        said = metadata(exported.path)
        assert said.name.decode() == exported.kind and said.minParserVersion == b"1.1.0"
        (graph,) = said.subgraphMetadata
        (output,) = graph.outputTensorMetadata
        labels = [each.name for each in output.associatedFiles or ()]
        assert labels == [b"labels.txt"] * hasattr(exported.task, "labels")
        names = [each.name for each in graph.inputTensorMetadata]
        assert sorted(names) == (
            [b"image"] if exported is images else [b"ids", b"mask", b"segment_ids"]
        )
    (unit,) = graph.inputTensorMetadata[0].processUnits
    assert (unit.options.mean.tolist(), unit.options.std.tolist()) == ([0.0], [1.0])
    assert graph.inputTensorMetadata[0].content.contentProperties.colorSpace == 1


def metadata(path):
    """The metadata, read with MediaPipe's own classes."""
    from ai_edge_litert import schema_py_generated
    from mediapipe.tasks.metadata import metadata_schema_py_generated

    model = schema_py_generated.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    (place,) = (each.buffer for each in model.metadata if each.name == b"TFLITE_METADATA")
    written = bytes(model.buffers[place].data)
    assert metadata_schema_py_generated.ModelMetadata.ModelMetadataBufferHasIdentifier(written, 0)
    return metadata_schema_py_generated.ModelMetadataT.InitFromPackedBuf(written, 0)


CLASSIFIER = pytest.mark.parametrize("texts", ["text_classifier_bert"], indirect=True)
SHOWN = "A LOVELY film, na\u00efve but fine!"  # on the page


@PYTHON
@CLASSIFIER
def test_the_program_of_the_documentation(texts, tmp_path):
    shutil.copy(texts.path, tmp_path / "reviews.tflite")
    (printed,) = said(GUIDE, tmp_path)
    same([ast.literal_eval(printed)], texts.expected([SHOWN]))


@browsing
@PAGES
@CLASSIFIER
def test_the_page_of_the_documentation(texts, tmp_path):
    shutil.copy(texts.path, tmp_path / "reviews.tflite")
    (page,) = blocks(GUIDE, "html")
    send = 'await fetch("found", { method: "POST", body: JSON.stringify(found.categories) });'
    sent = sent_by(tmp_path, page.replace("</script>", f"{send}\n</script>"))
    actual = {each["categoryName"]: each["score"] for each in sent}
    same([actual], texts.expected([SHOWN]))
