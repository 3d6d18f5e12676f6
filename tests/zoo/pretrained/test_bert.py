"""BERT checkpoints give what Hugging Face's library gives for them, as tasks of every kind."""

import json
from pathlib import Path

import numpy as np
import pytest
from keras import ops

import export
import zoo
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_bert import LABELS, POSITIONS, VOCABULARY, write
from zoo.demo.artifacts import ask_litert
from zoo.errors import UserError

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "bert.npz")
TEXTS = ["A man in a red hat.", "Über dogs!", "", "zebra 你b"]
LACKING = pytest.mark.filterwarnings("ignore:.* has no weights for pooler")
ROWS = [("a red hat", "good"), ("a dog runs", "bad")] * 6


def outputs(task):
    inputs = {
        "token_ids": REFERENCE["ids"].astype("int32"),
        "padding_mask": REFERENCE["ids"] != 0,
        "segment_ids": REFERENCE["segments"].astype("int32"),
    }
    inputs = {name: ops.convert_to_tensor(value) for name, value in inputs.items()}
    actual = {**task.model.backbone(inputs), **task.model(inputs)}
    return {name: ops.convert_to_numpy(value) for name, value in actual.items()}


@pytest.mark.quick(2)
@LACKING
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize(
    ("architecture", "task", "names"),
    [
        (
            "BertModel",
            "text-embedder",
            {"sequence": "last_hidden_state", "pooled": "pooler_output"},
        ),
        ("BertForMaskedLM", "masked-lm", {"mlm_logits": "logits"}),
        (
            "BertForPreTraining",
            "masked-lm",
            {"mlm_logits": "prediction_logits", "nsp_logits": "seq_relationship_logits"},
        ),
        ("BertForSequenceClassification", "text-classifier", {"logits": "logits"}),
    ],
)
def test_outputs_are_those_of_hugging_face(architecture, task, names, shards, tmp_path):
    made = zoo.from_pretrained(write(tmp_path, architecture, shards))
    assert made.name == task
    actual = outputs(made)
    keep = REFERENCE["ids"] != 0
    for ours, theirs in names.items():
        expected, got = REFERENCE[f"{architecture}/{theirs}"], actual[ours]
        assert expected.std() > 0.1
        if got.shape[:2] == keep.shape:  # what stands at padding is no one's concern
            expected, got = expected[keep], got[keep]
        np.testing.assert_allclose(got, expected, atol=1e-5)


@LACKING
@pytest.mark.parametrize("activation", ["relu", "gelu_new"])
def test_the_head_over_masks_has_the_activation_of_the_blocks(activation, tmp_path):
    folder = write(tmp_path / "checkpoint", "BertForMaskedLM", hidden_act=activation)
    made = zoo.from_pretrained(folder)
    keep = REFERENCE["ids"] != 0
    expected = REFERENCE[f"BertForMaskedLM/{activation}/logits"]
    actual = outputs(made)["mlm_logits"]
    np.testing.assert_allclose(actual[keep], expected[keep], atol=2e-5)

    written = zoo.to_pretrained(made, tmp_path / "written")
    assert json.loads((written / "config.json").read_text())["hidden_act"] == activation
    np.testing.assert_array_equal(outputs(zoo.from_pretrained(written))["mlm_logits"], actual)


def test_token_ids_are_theirs_with_marks_and_segments(tmp_path):
    task = zoo.from_pretrained(write(tmp_path), max_length=7)
    ids = ids_of(task, ["A man in a red hat.", "zebra, über Hats"])
    pieces = [[VOCABULARY[i] for i in row] for row in ids]
    assert pieces == [
        ["[CLS]", "a", "man", "in", "a", "red", "[SEP]"],
        ["[CLS]", "[UNK]", ",", "uber", "hat", "##s", "[SEP]"],
    ]


def test_an_embedding_is_the_mean_of_its_tokens_at_length_one(tmp_path):
    task = zoo.from_pretrained(write(tmp_path))
    vectors = task.embed(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-1), 1, rtol=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        ids = ids_of(task, [text])
        sequence = task.model.backbone(inputs_of(task, ids))["sequence"]
        mean = ops.convert_to_numpy(sequence)[0].mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), rtol=1e-6, atol=5e-6)
    cosines = task.similarity(TEXTS[:2], TEXTS)
    np.testing.assert_allclose(cosines, vectors[:2] @ vectors.T, rtol=1e-6, atol=5e-6)


@pytest.mark.long
def test_a_saved_embedder_and_its_files_give_the_same_vectors(tmp_path):
    import tensorflow as tf

    task = zoo.from_pretrained(write(tmp_path / "checkpoint"))
    expected = task.embed(TEXTS)
    task.save(tmp_path / "saved")
    np.testing.assert_array_equal(zoo.load(tmp_path / "saved").embed(TEXTS), expected)
    export.saved_model(task, tmp_path / "served")
    serve = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
    actual = serve(text=tf.constant(TEXTS))["embedding"].numpy()
    np.testing.assert_allclose(actual, expected, atol=1e-5)
    export.litert(task, tmp_path / "embed.tflite", text="strings")
    assert export.verify(tmp_path / "embed.tflite").passed


@pytest.mark.long
def test_masks_are_filled_with_words(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "BertForPreTraining"))
    (choices,) = task.fill_mask("a [MASK] in a red hat", top=4)
    assert len(choices) == 4 and not {c.token for c in choices} & set(VOCABULARY[:6])
    assert [c.score for c in choices] == sorted((c.score for c in choices), reverse=True)

    # In a file too, and whatever stands around the mask.
    texts = ["a [MASK] in a red hat", "dog[MASK], dog!"]
    task.examples = {"text": texts}
    export.litert(task, tmp_path / "fill.tflite", text="strings")
    assert ask_litert(tmp_path / "fill.tflite", texts) == task.predict(texts)


@pytest.mark.thorough
def test_a_classifier_has_its_labels_and_learns_others(tmp_path):
    path = write(tmp_path / "checkpoint", "BertForSequenceClassification")
    task = zoo.from_pretrained(path)
    assert task.labels == list(LABELS.values())
    assert set(task.predict(TEXTS)) <= set(task.labels)

    learner = zoo.from_pretrained(path, task="text-classifier", labels=["bad", "good"])
    learner.adapt(ROWS)
    before = learner.model.backbone.embedding.weights[0].numpy().copy()
    np.testing.assert_array_equal(before, task.model.backbone.embedding.weights[0].numpy())
    how = {"epochs": 20, "learning_rate": 0.01, "xla": False, "verbose": False}
    learner.fit(ROWS, folder=tmp_path / "run", **how)
    assert learner.evaluate(ROWS)["accuracy"] == 1
    again = zoo.load(tmp_path / "run")
    assert again.predict(["a red hat", "a dog runs"]) == ["good", "bad"]


@pytest.mark.parametrize(
    ("task", "data", "head"),
    [
        ("token-tagger", [(["a", "dog"], ["DET", "NOUN"])], lambda model: model.head),
        ("multi-task", {"moods": ROWS}, lambda model: model.heads["moods"]),
    ],
)
def test_heads_that_are_new_are_told_by_the_encoder(task, data, head, tmp_path):
    path = write(tmp_path)
    learner = zoo.from_pretrained(path, task=task)
    learner.adapt(data)
    kernel, bias = (ops.convert_to_numpy(weight) for weight in head(learner.model).weights)
    told_by = "pooler_output" if task == "multi-task" else "last_hidden_state"
    expected = REFERENCE[f"BertModel/{told_by}"] @ kernel + bias
    *_, actual = outputs(learner).values()
    if task == "token-tagger":
        keep = REFERENCE["ids"] != 0
        expected, actual = expected[keep], actual[keep]
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architectures": ["BertForMultipleChoice"]}, "architecture BertForMultipleChoice"),
        ({"hidden_act": "mish"}, "activation 'mish' is not supported"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type = relative_key is"),
        ({"is_decoder": True}, "is_decoder = True is not supported; expected False"),
        ({"add_cross_attention": True}, "add_cross_attention = True is not supported"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings = False is not supported"),
        ({"vocab_size": 5}, "the vocabulary has 28 tokens, but the embedding has only 5 rows"),
        (
            {"num_hidden_layers": 3},
            "num_hidden_layers = 3, but there are no tensors of encoder.layer.2",
        ),
        (
            {"intermediate_size": 23},
            r"intermediate_size = 23, but .*dense.weight has the shape \(19, 12\)",
        ),
    ],
)
def test_what_does_not_fit_is_named(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"problem_type": "ranking"},
            "problem_type = 'ranking' is unknown; expected one of",
        ),
    ],
)
def test_a_head_of_an_unknown_kind_is_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, "BertForSequenceClassification", **changes))


def test_more_than_there_are_positions_is_refused(tmp_path):
    with pytest.raises(UserError, match=f"max_length must be at most {POSITIONS}, got 24"):
        zoo.from_pretrained(write(tmp_path), max_length=24)
