"""Checkpoints of BERT's relatives give what Hugging Face's library gives for them."""

import json

import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from safetensors.numpy import load_file

import export
import zoo
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_encoders import (
    ENDS,
    LABELS,
    POSITIONS,
    REFERENCES,
    TINY,
    WIDTH,
    write,
)
from zoo.errors import UserError

REFERENCE = np.load(REFERENCES / "encoders.npz")
LACKING = pytest.mark.filterwarnings("ignore:.* has no weights for")
TEXTS = ["A man in a red hat.", "Über dogs!", "", "zebra 你b"]
OURS = {
    "text-embedder": {"sequence": "last_hidden_state"},
    "masked-lm": {"mlm_logits": "logits"},
    "text-classifier": {"logits": "logits"},
    "token-tagger": {"logits": "logits"},
}
SIZES = {"max_length": 15, "max_question_length": 5, "stride": 5}
HOW = {"epochs": 20, "learning_rate": 0.01, "xla": False, "verbose": False}
TASKS = pytest.mark.parametrize("task", ENDS)
FAMILIES = pytest.mark.parametrize("family", TINY)


def outputs(task, family):
    tiny = TINY[family]
    inputs = {
        "token_ids": tiny.ids.astype("int32"),
        "padding_mask": tiny.ids != tiny.special[2],
        "segment_ids": tiny.segment_ids.astype("int32"),
    }
    inputs = {name: ops.convert_to_tensor(value) for name, value in inputs.items()}
    actual = {**task.model.backbone(inputs), **task.model(inputs)}
    return {name: ops.convert_to_numpy(value) for name, value in actual.items()}


def told(family, task, actual):
    """Pairs of what Hugging Face's library gives and what the model of a task gives."""
    if task != "question-answering":
        return [(REFERENCE[f"{family}/{task}/{x}"], actual[ours]) for ours, x in OURS[task].items()]
    ends = [REFERENCE[f"{family}/{task}/{name}_logits"] for name in ("start", "end")]
    return [(np.stack(ends, axis=-1), actual["logits"])]


def loaded(folder, task=None, **settings):
    """The task of a checkpoint, with windows that fit into its positions."""
    answers = "question-answering" in (task, folder.name)
    return zoo.from_pretrained(folder, task, **(SIZES if answers else {}), **settings)


def read(family, task, folder, **config):
    made = loaded(write(folder / task, family, task, **config))
    assert made.name == task
    return made


@LACKING
@pytest.mark.parametrize("shards", [1, 3])
@TASKS
@FAMILIES
def test_outputs_are_those_of_hugging_face(family, task, shards, tmp_path):
    made = read(family, task, tmp_path, shards=shards)
    keep = TINY[family].ids != TINY[family].special[2]
    for expected, actual in told(family, task, outputs(made, family)):
        assert expected.std() > 0.1
        if actual.shape[:2] == keep.shape:  # what stands at padding is no one's concern
            expected, actual = expected[keep], actual[keep]
        np.testing.assert_allclose(actual, expected, atol=2e-5)


@LACKING
@pytest.mark.parametrize("family", [each for each in TINY if each != "modernbert"])  # has no ReLU
def test_the_head_over_masks_has_an_activation_of_its_own(family, tmp_path):
    """Which is that of the blocks in BERT and DistilBERT, and GELU in the others."""
    changed = {TINY[family].activation: "relu"}
    made = read(family, "masked-lm", tmp_path, **changed)
    keep = TINY[family].ids != TINY[family].special[2]
    expected = REFERENCE[f"{family}/masked-lm/relu/logits"]
    np.testing.assert_allclose(outputs(made, family)["mlm_logits"][keep], expected[keep], atol=2e-5)
    written = zoo.to_pretrained(made, tmp_path / "written")
    again = outputs(zoo.from_pretrained(written), family)
    np.testing.assert_array_equal(again["mlm_logits"], outputs(made, family)["mlm_logits"])
    if family in ("roberta", "mpnet", "electra"):
        other = zoo.from_pretrained(written, head_activation="relu")
        with pytest.raises(UserError, match="has the activation gelu in its masked LM head, but"):
            zoo.to_pretrained(other, tmp_path / "other")


@pytest.mark.quick(4)
@LACKING
@TASKS
@FAMILIES
def test_written_checkpoints_are_those_that_were_read(family, task, tmp_path):
    made = read(family, task, tmp_path)
    written = zoo.to_pretrained(made, tmp_path / "written" / task)
    before, after = (
        (load_file(each / "model.safetensors"), json.loads((each / "config.json").read_text()))
        for each in (tmp_path / task, written)
    )
    optional = {"cls.seq_relationship", "bert.pooler"} if task == "masked-lm" else set()
    added = {name for name in after[0] if name not in before[0]}
    assert all(name.startswith(tuple(optional)) for name in added)
    for name, array in before[0].items():
        unused = len(array) - POSITIONS if "position_embeddings" in name else 0
        kept = array[unused : len(after[0][name])]
        np.testing.assert_array_equal(after[0][name][unused:], kept, err_msg=name)
    changed = {key for key in after[1] if key in before[1] and before[1][key] != after[1][key]}
    differ = {"architectures"} if added else set()
    assert changed <= (differ | ({"max_position_embeddings"} if "question" in task else set()))

    again = loaded(written)
    assert type(again) is type(made)
    assert again.tokenizer.facts() == made.tokenizer.facts()
    assert again.model.get_config() == made.model.get_config()
    for name, value in outputs(made, family).items():
        if name not in ("pooled", "nsp_logits"):
            np.testing.assert_array_equal(outputs(again, family)[name], value, err_msg=name)


def edited(folder, changes):
    """Replaces weights in a checkpoint."""
    from safetensors.numpy import save_file

    tensors = load_file(folder / "model.safetensors")
    save_file({**tensors, **changes}, folder / "model.safetensors")
    return folder


@pytest.mark.quick(1)
@FAMILIES
def test_a_classifier_predicts_at_once_and_learns_other_labels(family, tmp_path):
    path = write(tmp_path / "checkpoint", family, "text-classifier")
    task = zoo.from_pretrained(path)
    assert task.labels == list(LABELS.values())
    logits = outputs_of_texts(task, TEXTS)
    assert task.predict(TEXTS) == [task.labels[i] for i in logits.argmax(axis=-1)]
    rows = [("a red hat", "good"), ("a dog runs", "bad")] * 6
    learner = zoo.from_pretrained(path, task="text-classifier", labels=["bad", "good"])
    learner.adapt(rows)
    for name in ("embedding", "pooler"):
        ours, theirs = (getattr(each.model.backbone, name).weights[0] for each in (learner, task))
        np.testing.assert_array_equal(ours, theirs)
    learner.fit(rows, folder=tmp_path / "run", **HOW)
    assert learner.evaluate(rows)["accuracy"] == 1
    assert zoo.load(tmp_path / "run").predict(["a red hat", "a dog runs"]) == ["good", "bad"]


def outputs_of_texts(task, texts):
    """The logits of each text alone."""
    rows = [task.model(inputs_of(task, ids_of(task, [text])))["logits"] for text in texts]
    return np.concatenate([ops.convert_to_numpy(each) for each in rows])


@pytest.mark.quick(1)
@FAMILIES
def test_several_labels_and_values_are_told_by_the_problem(family, tmp_path):
    for problem, name in (
        ("multi_label_classification", "text-classifier"),
        ("regression", "text-regressor"),
    ):
        folder = write(tmp_path / problem, family, "text-classifier", problem_type=problem)
        task = zoo.from_pretrained(folder)
        assert task.name == name
        logits = outputs_of_texts(task, TEXTS)
        if name == "text-regressor":
            expected = [dict(zip(LABELS.values(), row.tolist(), strict=True)) for row in logits]
            for actual, values in zip(task.predict(TEXTS), expected, strict=True):
                assert actual == pytest.approx(values, abs=1e-5)
        else:
            expected = [
                [each for each, x in zip(LABELS.values(), row, strict=True) if x > 0]
                for row in logits
            ]
            assert [sorted(each) for each in task.predict(TEXTS)] == [*map(sorted, expected)]
        written = zoo.to_pretrained(task, tmp_path / f"{problem} written")
        again = zoo.from_pretrained(written)
        assert again.name == name
        np.testing.assert_array_equal(outputs_of_texts(again, TEXTS), logits)


@pytest.mark.quick(2)
@LACKING
@FAMILIES
def test_a_new_head_reads_the_encoder(family, tmp_path):
    path = write(tmp_path, family)
    encoder = zoo.from_pretrained(path)
    rows = {
        "text-regressor": [("a hat", 1.5), ("a dog", 2.5)],
        "text-pair-scorer": [("a hat", "a dog", 0.5), ("a dog", "a dog", 1.0)],
        "token-tagger": [(["a", "hat"], ["DET", "NOUN"])],
        "multi-task": {"moods": [("a hat", "good"), ("a dog", "bad")]},
        "question-answering": [("A man?", "a red hat", "red")],
    }
    for name, data in rows.items():
        task = loaded(path, name)
        task.adapt(data)
        expected, actual = (outputs(each, family)["sequence"] for each in (encoder, task))
        np.testing.assert_array_equal(actual, expected)


REFUSED = [
    ({"vocab_size": 5}, "tokens, but the embedding has only 5 rows"),
    ({"tie_word_embeddings": False}, "tie_word_embeddings = False is not supported"),
    ({"position_embedding_type": "relative_key"}, "position_embedding_type = relative_key is"),
    ({"is_decoder": True}, "is_decoder = True is not supported; expected False"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
@FAMILIES
def test_what_does_not_fit_is_named(family, changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, family, **changes))


@FAMILIES
def test_an_activation_or_a_layer_too_many_is_refused(family, tmp_path):
    config = json.loads((write(tmp_path / "read", family) / "config.json").read_text())
    key = TINY[family].activation
    with pytest.raises(UserError, match="the activation 'mish' is not supported"):
        zoo.from_pretrained(write(tmp_path / "activation", family, **{key: "mish"}))
    key = "n_layers" if "n_layers" in config else "num_hidden_layers"
    count, more = config[key], {"layer_types": None} if "layer_types" in config else {}
    message = rf"{key} = {count + 1}, but there are no tensors of .*layers?\.{count}"
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path / "layers", family, **{key: count + 1}, **more))
    with pytest.raises(UserError, match=f"max_length must be at most {POSITIONS}, got 24"):
        zoo.from_pretrained(write(tmp_path / "length", family), max_length=POSITIONS + 1)


@pytest.mark.quick(2)
@LACKING
@TASKS
@FAMILIES
def test_a_missing_tensor_and_a_wrong_shape_are_named(family, task, tmp_path):
    names = load_file(write(tmp_path / "whole", family, task) / "model.safetensors")
    last = [name for name in names if "encoder" not in name and "embeddings" not in name]
    for number, name in enumerate([sorted(names)[0], sorted(last or names)[-1]]):
        folder = write(tmp_path / f"{number}" / task, family, task, without=(name,))
        with pytest.raises(UserError, match=f"lacks the tensor {name}"):
            loaded(folder)
        wrong = {name: np.ones(WIDTH + 1, "float32")}
        folder = edited(write(tmp_path / f"{number} wrong" / task, family, task), wrong)
        with pytest.raises(UserError, match=f"{name} has shape"):
            loaded(folder)


def test_a_head_of_another_kind_is_refused(tmp_path):
    for stem in {tiny.stem for tiny in TINY.values()}:
        folder = write(tmp_path / stem, "bert", architectures=[f"{stem}ForMultipleChoice"])
        with pytest.raises(UserError, match=f"architecture {stem}ForMultipleChoice"):
            zoo.from_pretrained(folder)


def test_a_tag_with_a_space_is_refused(tmp_path):
    labels = {"0": "O", "1": "B PER", "2": "I-PER"}
    folder = write(tmp_path, "bert", "token-tagger", id2label=labels)
    with pytest.raises(UserError, match="the tag 'B PER' of id2label has a space"):
        zoo.from_pretrained(folder)


@pytest.mark.long
@FAMILIES
def test_files_give_the_same_vectors(family, tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", family))
    expected = task.embed(TEXTS)
    export.saved_model(task, tmp_path / "served")
    serve = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
    actual = serve(text=tf.constant(TEXTS))["embedding"].numpy()
    np.testing.assert_allclose(actual, expected, atol=1e-5)
    export.litert(task, tmp_path / "embed.tflite", text="bytes")
    assert export.verify(tmp_path / "embed.tflite").passed
