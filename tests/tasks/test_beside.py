"""What no cell of the table sees: vocabularies, batches and models of another kind."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

import export
from export.worker.artifact import load
from keras_attn import GraphAttention
from tests.tasks import api
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.pretrained.tiny_bart import PAD, VOCABULARY
from tests.zoo.pretrained.tiny_gpt2 import MERGES
from zoo.pretrained.converter import with_weights
from zoo.text.byte_bpe import ByteBPETokenizer

# --- A vocabulary whose padding is not its first piece ---

READERS = ["text_classifier", "token_tagger", "text_embedder", "masked_lm"]
OF_LABELS = {
    "text_classifier": {"labels": ["bad", "good"], "pairs": False},
    "token_tagger": {"labels": ["B-LOC", "B-PER", "I-PER", "O"]},
}


@pytest.fixture(scope="module")
def padded(tmp_path_factory):
    """Tasks with such a vocabulary, after some training."""

    def make(name):
        subject = Subject(CASES[name], tmp_path_factory.mktemp("padded") / name)
        marks = {"pad": PAD, "start": 0, "end": 2, "unknown": 3, "mask": len(VOCABULARY) - 1}
        tokenizer = ByteBPETokenizer(VOCABULARY, MERGES, marks)
        task = with_weights(subject.new(**OF_LABELS.get(name, {})), tokenizer, lambda model: None)
        subject.fit(task, 2)
        return subject, task

    return functools.cache(make)


@pytest.mark.thorough(1)
@pytest.mark.parametrize("name", READERS)
def test_a_file_pads_as_the_vocabulary_does(name, padded, tmp_path):
    """Else what verifies it pads with a piece that means something."""
    subject, task = padded(name)
    assert PAD != 0
    report = export.litert(task, tmp_path / "ids.tflite")
    signatures = report.manifest["signatures"].values()
    actual = {each["inputs"]["token_ids"]["padding"] for each in signatures}
    assert actual == {PAD}


@pytest.mark.thorough(1)
@pytest.mark.parametrize("name", READERS)
def test_a_row_with_such_padding_is_the_row_alone(name, padded):
    subject, task = padded(name)
    output, texts = subject.case.output, subject.case.texts
    for one, among in zip(
        [output.predict(task, [text])[0] for text in texts],
        output.predict(task, texts),
        strict=True,
    ):
        output.same([one], [among])


# --- Batches of which there are several of one length ---


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name == "token_tagger" else [pytest.mark.thorough])
    for name, case in CASES.items() if not case.variant and "batch_tokens" in case.fit
])  # fmt: skip
def test_a_run_with_small_batches_is_kept(name, tmp_path):
    """Its state is written after each epoch."""
    subject = Subject(CASES[name], tmp_path / name)
    history = subject.fit(subject.adapted(), 1, folder=tmp_path / "run", batch_tokens=29)
    assert history.epoch == [1]
    assert type(api.load(tmp_path / "run")) is api.kinds()[subject.case.task]


# --- Keras models whose integers are no ids ---


def graph_model():
    nodes = keras.Input(batch_shape=(None, 5), name="nodes")
    edges = keras.Input(batch_shape=(2, None), dtype="int32", name="edges")
    return keras.Model({"nodes": nodes, "edges": edges}, GraphAttention(7)(nodes, edges))


def image_model():
    image = keras.Input((None, None, 3), dtype="int32", name="image")
    x = keras.layers.Rescaling(1 / 255)(image)
    x = keras.layers.Conv2D(7, 3, padding="same", activation="relu")(x)
    return keras.Model(image, keras.layers.Dense(5)(keras.layers.GlobalAveragePooling2D()(x)))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["edges", "image"])
def test_a_model_whose_integers_are_no_ids_is_exported(name, tmp_path):
    rng = np.random.default_rng(13)
    if name == "edges":
        model = graph_model()
        inputs = {
            "nodes": rng.normal(size=(3, 5)).astype("float32"),
            "edges": np.array([[0, 1, 2, 0, 1], [1, 2, 0, 0, 1]], "int32"),
        }
    else:
        model, inputs = image_model(), {"image": rng.integers(0, 256, (2, 11, 13, 3), "int32")}
    report = export.litert(model, tmp_path / "model.tflite")
    # Nodes without edges may follow; edges and pixels may not.
    padded = any("padding" in check.name for check in report.checks)
    assert padded == (name == "edges")
    (actual,) = load(tmp_path / "model.tflite").run("serving_default", inputs).values()
    given = {key: tf.constant(value) for key, value in inputs.items()}
    expected = model(given if name == "edges" else given["image"])
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
