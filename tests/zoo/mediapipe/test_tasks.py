"""Which tasks go to MediaPipe, and what is said of the others."""

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.text.words import WordTokenizer

ROWS = [("a fine film", "good"), ("a dull one", "bad")]
SMALL = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "max_length": 9}


def classifier(**options):
    task = zoo.TextClassifier("bert", **SMALL, **options)
    task.adapt(ROWS)
    return task


def refusal(task, length=None):
    with pytest.raises(UserError) as error:
        task.for_mediapipe(length)
    return str(error.value)


def test_a_case_sensitive_tokenizer_is_refused():
    assert refusal(classifier()) == (
        "MediaPipe converts texts to lower case, and cannot serve the tokenizer wordpiece: train "
        "with the tokenizer words, or start from a checkpoint of an uncased BERT"
    )
    task = classifier(tokenizer="words")
    task.tokenizer.options |= {"lowercase": False, "split_chinese": False}
    assert refusal(task).startswith(
        "MediaPipe converts texts to lower case, and cannot serve a cased vocabulary"
    )
    task.tokenizer.options["lowercase"] = True
    assert "Chinese" in refusal(task)


def test_tasks_that_mediapipe_does_not_have_are_refused():
    task = zoo.CausalLM(model="gpt", **SMALL)
    assert refusal(task) == (
        "MediaPipe has no task causal-lm; it has text-classifier, text-embedder, image-classifier"
    )


def test_pairs_and_documents_are_refused():
    pairs = zoo.TextClassifier("bert", tokenizer="words", **SMALL)
    pairs.adapt([("a film", "a plot", "same"), ("a film", "one", "other")])
    assert refusal(pairs) == "MediaPipe classifies single texts, and not pairs of texts"
    documents = zoo.TextClassifier("han", max_length=9, embedding_dim=4, units=4)
    documents.adapt(ROWS)
    assert refusal(documents) == "MediaPipe does not run han, which reads sentences"


def test_images_have_no_length():
    image = np.zeros((9, 11), np.uint8)
    task = zoo.ImageClassifier("stn_classifier", layers=[[4, 3]], localization=[[2, 3]])
    task.adapt([(image, "a"), (image, "b")])
    assert refusal(task, 5) == "image-classifier reads images, which have no length"


@pytest.mark.thorough
def test_the_vocabulary_and_the_labels_are_in_the_metadata():
    task = classifier(tokenizer="words")
    assert isinstance(task.tokenizer, WordTokenizer)
    actual = task.for_mediapipe().metadata()
    assert actual.name == "TextClassifier" and actual.labels == "bad\ngood\n"
    lines = actual.vocabulary.splitlines()
    assert (
        lines[:4] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] and {"f", "##f", "É"} - {*lines} == set()
    )
    assert task.for_mediapipe().misread() == []
