"""T5 checkpoints give what Hugging Face's library gives for them, token by token."""

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from safetensors.numpy import load_file

import export
import zoo
from tests.references.searches import NEW, SEARCHES
from tests.variants import thoroughly_but
from tests.zoo.pretrained import tiny_t5
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_t5 import END, PAD, VARIANTS, write
from zoo.decoding.generate import generate
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import source_inputs

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "t5.npz")
IDS = REFERENCE["ids"].astype("int32")
TEXTS = ["translate: the dog's hat", "", "Zürich ﬁnal ½ 你好"]
LENGTHS = {"max_source_length": 31, "max_target_length": NEW}
EACH = pytest.mark.parametrize("variant", VARIANTS)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    folders = {name: tmp_path_factory.mktemp(name) for name in VARIANTS}
    return {
        name: zoo.from_pretrained(write(folder, name), **LENGTHS)
        for name, folder in folders.items()
    }


def run(task, targets):
    """Logits, and what the encoder gives where there are tokens, of the first sources."""
    ids = IDS[:2]
    inputs = {
        **inputs_of(task, ids),
        "target_ids": ops.convert_to_tensor(targets[:2]),
        "target_mask": ops.ones(targets[:2].shape, "bool"),
    }
    sequence = ops.convert_to_numpy(task.model.encode(inputs)["sequence"])
    return ops.convert_to_numpy(task.model(inputs)["logits"]), sequence[ids != PAD]


def check_logits(task, variant):
    logits, sequence = run(task, REFERENCE[f"{variant}/targets"].astype("int32"))
    expected = REFERENCE[f"{variant}/logits"]
    assert expected.std() > 0.5
    of_encoder = REFERENCE[f"{variant}/sequence"][IDS[:2] != PAD]
    np.testing.assert_allclose(sequence, of_encoder, atol=1e-4)
    np.testing.assert_allclose(logits, expected, atol=1e-4)


@EACH
def test_logits_are_those_of_hugging_face(tasks, variant):
    task = tasks[variant]
    assert (task.name, task.settings.max_source_length) == ("text-to-text", 31)
    check_logits(task, variant)


@EACH
def test_greedy_tokens_are_theirs(tasks, variant):
    expected = REFERENCE[f"{variant}/greedy"]
    lengths = (expected != PAD).sum(axis=1)
    assert len({*map(tuple, expected)}) >= 5
    assert variant == "t5" or len({*lengths.tolist()}) > 2
    np.testing.assert_array_equal(tasks[variant].generate_ids(IDS, NEW), expected)
    for row, answer in zip(IDS, expected, strict=True):  # alone, without padding
        actual = tasks[variant].generate_ids(row[None, row != PAD], NEW)[0]
        np.testing.assert_array_equal(actual, answer)


@thoroughly_but("one", SEARCHES)
def test_every_beam_is_theirs(tasks, name):
    beams, penalty, early = SEARCHES[name]
    task = tasks["flan"]
    special_tokens = task.tokenizer.special_tokens

    @tf.function(autograph=False)
    def search(ids):
        how = {"length_penalty": penalty, "early_stopping": early, "special_tokens": special_tokens}
        return generate(task.model, source_inputs(ids, special_tokens), NEW, beams, **how)

    actual = search(tf.constant(IDS))
    np.testing.assert_array_equal(actual.token_ids, REFERENCE[f"flan/{name}/ids"])
    np.testing.assert_allclose(actual.scores, REFERENCE[f"flan/{name}/scores"], atol=1e-4)


def test_texts_are_framed_as_theirs(tasks):
    task, other = tasks["t5"], tiny_t5.tokenizer()
    for text, row in zip(TEXTS, ids_of(task, TEXTS), strict=True):
        assert row[row != PAD].tolist() == other.encode(text).ids
    answers = task.generate_ids(ids_of(task, TEXTS))
    plain = [[i for i in row if i > 2] for row in answers.tolist()]
    assert task.predict(TEXTS) == [other.decode(row) for row in plain]
    pair = ("the dog", "a hat")
    x, labels = next(iter(task.batches(task.read([pair]), task.Training()).dataset()))
    rows = (np.array(each)[0] for each in (x["source_ids"], x["target_ids"], labels))
    source, target, label = ([*row] for row in rows)
    first, second = (other.encode(text).ids for text in pair)
    assert (source[: len(first)], label[: len(second)]) == (first, second)
    assert target[: len(second)] == [PAD, *second[:-1]]
    mask = np.array(x["target_mask"])[0]
    assert mask[: len(second)].all() and not mask[len(second) :].any()


@EACH
def test_written_checkpoints_are_those_that_were_read(tasks, variant, tmp_path):
    folder = write(tmp_path / "read", variant)
    written = zoo.to_pretrained(zoo.from_pretrained(folder), tmp_path / "written")
    before, after = (load_file(each / "model.safetensors") for each in (folder, written))
    assert before.keys() == after.keys()
    for name, array in before.items():
        np.testing.assert_array_equal(after[name], array, err_msg=name)
    configs = [json.loads((each / "config.json").read_text()) for each in (folder, written)]
    assert {key: configs[1][key] for key in configs[0]} == configs[0]
    again = zoo.from_pretrained(written, **LENGTHS)
    assert again.tokenizer.facts() == tasks[variant].tokenizer.facts()
    assert again.model.get_config() == tasks[variant].model.get_config()
    check_logits(again, variant)


def test_shards_and_other_names_are_read(tmp_path):
    check_logits(zoo.from_pretrained(write(tmp_path / "shards", "flan", shards=3)), "flan")
    words = tiny_t5.tensors("t5")["shared.weight"]
    for name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"):
        folder = write(tmp_path / name, "t5", without="shared.weight", changes={name: words})
        check_logits(zoo.from_pretrained(folder), "t5")


def test_a_head_is_never_ignored(tmp_path):
    words, head = (tiny_t5.tensors("flan")[f"{x}.weight"] for x in ("shared", "lm_head"))
    copied = write(tmp_path / "copy", "t5", changes={"lm_head.weight": words})
    check_logits(zoo.from_pretrained(copied), "t5")
    other = write(tmp_path / "other", "t5", changes={"lm_head.weight": head})
    with pytest.raises(UserError, match="lm_head.weight differs from shared.weight"):
        zoo.from_pretrained(other)
    # As newer versions of the library write T5 1.1.
    newer = {"tie_word_embeddings": True, "scale_decoder_outputs": False}
    check_logits(zoo.from_pretrained(write(tmp_path / "newer", "flan", **newer)), "flan")
    flan = write(tmp_path / "flan", "flan")
    with pytest.raises(UserError, match="lm_head.weight requires tie_embeddings=false"):
        zoo.from_pretrained(flan, tie_embeddings=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feed_forward_proj": "gated-relu"}, "feed_forward_proj = 'gated-relu' is not supported"),
        ({"feed_forward_proj": "gated-gelu"}, "lacks the tensor encoder.block.0.*wi_0"),
        ({"d_model": 13}, "d_model = 13, but the tensor shared.weight has the shape"),
        ({"d_ff": 20}, "d_ff = 20, but"),
        ({"num_layers": 4}, "num_layers = 4, but there are no tensors of encoder.block.3"),
        ({"num_heads": 4}, "has shape"),
        ({"d_kv": 4}, "has shape"),
        ({"relative_attention_num_buckets": 8}, "relative_attention_bias.weight has shape"),
        ({"relative_attention_num_buckets": 5}, "num_buckets must be even"),
        ({"relative_attention_max_distance": 2}, "max_distance must be more than"),
        ({"is_decoder": True}, "is_decoder = True is not supported"),
        ({"scale_decoder_outputs": "no"}, "scale_decoder_outputs must be true or false, got 'no'"),
        ({"pad_token_id": 2}, "pad_token_id = 2, but the padding token of the tokenizer is 0"),
        ({"eos_token_id": 4}, "eos_token_id must be 1, got 4"),
        ({"decoder_start_token_id": 999}, "decoder_start_token_id must be an id of a token"),
        ({"without": "decoder.final_layer_norm.weight"}, "lacks the tensor decoder.final_layer"),
    ],
)
def test_what_does_not_fit_is_named(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, "t5", **changes))


def test_it_learns(tmp_path):
    pairs = [("the dog", "a hat"), ("red dogs", "ran")] * 4
    task = zoo.from_pretrained(write(tmp_path / "read", "flan"), max_target_length=7, dropout=0.0)
    task.fit(
        pairs, folder=tmp_path / "run", epochs=60, learning_rate=0.01, xla=False, verbose=False
    )
    again = zoo.load(tmp_path / "run")
    assert again.predict(["the dog", "red dogs"]) == ["a hat", "ran"]
    back = zoo.from_pretrained(zoo.to_pretrained(again, tmp_path / "written"), **LENGTHS)
    assert back.predict(["the dog"]) == ["a hat"]


@pytest.mark.long
@EACH
def test_files_give_the_same_texts(variant, tasks, tmp_path):
    task = tasks[variant]
    export.saved_model(task, tmp_path / "served")
    assert export.verify(tmp_path / "served").passed
    export.litert(task, tmp_path / "t5.tflite", text="bytes")
    assert export.verify(tmp_path / "t5.tflite").passed


def test_the_end_is_a_token_of_its_own(tasks):
    special = tasks["t5"].tokenizer.special_tokens
    assert (special.pad, special.start, special.end, special.first_read) == (PAD, PAD, END, PAD)
