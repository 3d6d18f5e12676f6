"""BART checkpoints give what Hugging Face's library gives for them, token by token."""

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import export
import zoo
from tests.references.searches import NEW, RULED, SEARCHES
from tests.variants import thoroughly_but
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_bart import (
    END,
    PAD,
    POSITIONS,
    START,
    VOCABULARY,
    logits_bias,
    write,
)
from tests.zoo.pretrained.tiny_gpt2 import theirs
from zoo.decoding.generate import generate
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.preprocessing.model_inputs import source_inputs
from zoo.preprocessing.text import TextPreprocessor
from zoo.pretrained import bart

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "bart.npz")
IDS, TARGETS = (REFERENCE[name].astype("int32") for name in ("ids", "targets"))
TEXTS = ["of the", "", "the woman is é", " ", "no way"]


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = write(tmp_path_factory.mktemp("bart"))
    return zoo.from_pretrained(folder, max_target_length=NEW)


def run(task):
    """Logits, and what the encoder gives where there are tokens, of the first sources."""
    ids, targets = IDS[:3], TARGETS[:3]
    inputs = {
        **inputs_of(task, ids),
        "target_ids": ops.convert_to_tensor(targets),
        "target_mask": ops.ones(targets.shape, "bool"),
    }
    sequence = ops.convert_to_numpy(task.model.encode(inputs)["sequence"])
    return ops.convert_to_numpy(task.model(inputs)["logits"]), sequence[ids != PAD]


def test_logits_are_those_of_hugging_face(task):
    assert (task.name, task.model.max_sequence_length, task.settings.max_source_length) == (
        "text-to-text",
        POSITIONS,
        POSITIONS,
    )
    logits, sequence = run(task)
    assert REFERENCE["logits"].std() > 0.5
    np.testing.assert_allclose(sequence, REFERENCE["sequence"][IDS[:3] != PAD], atol=1e-4)
    np.testing.assert_allclose(logits, REFERENCE["logits"], atol=1e-4)


def test_without_heads_and_with_fewer_positions(tmp_path):
    """As the model alone is saved: no bias of logits, no prefix, another of the tied names."""
    made = zoo.from_pretrained(write(tmp_path, "BartModel"), max_sequence_length=11)
    assert made.model.max_sequence_length == 11
    expected = REFERENCE["logits"] - logits_bias()
    expected[..., PAD] = run(made)[0][..., PAD]  # what was taken away there was too great to tell
    np.testing.assert_allclose(run(made)[0], expected, atol=1e-4)


def test_greedy_tokens_are_theirs(task):
    expected = REFERENCE["greedy"]
    lengths = (expected != PAD).sum(axis=1)
    assert (expected[:, 0] == START).all() and len(set(lengths.tolist())) > 2
    # The last token of those that did not end before is the end token all the same.
    assert (expected[lengths == NEW, -1] == END).all()
    np.testing.assert_array_equal(task.generate_ids(IDS, NEW), expected)
    for row, answer in zip(IDS, expected, strict=True):  # alone, without padding
        np.testing.assert_array_equal(task.generate_ids(row[None, row != PAD], NEW)[0], answer)


@thoroughly_but("one", SEARCHES)
def test_every_beam_is_theirs(task, name):
    beams, penalty, early = SEARCHES[name]
    special_tokens = task.tokenizer.special_tokens

    @tf.function(autograph=False)
    def search(ids):
        how = {"length_penalty": penalty, "early_stopping": early, "special_tokens": special_tokens}
        return generate(task.model, source_inputs(ids, special_tokens), NEW, beams, **how)

    actual = search(tf.constant(IDS))
    expected = REFERENCE[f"{name}/ids"]
    np.testing.assert_array_equal(actual.token_ids, expected)
    np.testing.assert_array_equal(actual.lengths, (expected != PAD).sum(axis=-1))
    np.testing.assert_allclose(actual.scores, REFERENCE[f"{name}/scores"], atol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("name", RULED)
def test_rules_are_kept_as_theirs_are(task, name):
    beams, rules = RULED[name]
    np.testing.assert_array_equal(
        task.generate_ids(IDS, NEW, beams=beams, **rules), REFERENCE[name]
    )
    assert (task.generate_ids(IDS, NEW, beams=beams) != REFERENCE[name]).any()


def test_texts_are_framed_as_theirs(task):
    ids = ids_of(task, TEXTS)
    other = theirs(VOCABULARY)
    for text, row in zip(TEXTS, ids, strict=True):
        assert row[row != PAD].tolist() == [START, *other.encode(text).ids, END]
    answers = task.generate_ids(ids)
    plain = [[i for i in row if i > END] for row in answers.tolist()]
    assert task.predict(TEXTS) == [other.decode(row) for row in plain]

    sources, targets = ["of", "no way"], ["the", "a"]
    for pair in zip(sources, targets, strict=True):
        x, labels = next(iter(task.batches(task.read([pair]), task.Training()).dataset()))
        source, target, label = (
            np.array(ids)[0] for ids in (x["source_ids"], x["target_ids"], labels)
        )
        first, second = (other.encode(text).ids for text in pair)
        assert source[source != PAD].tolist() == [START, *first, END]
        assert label[label != PAD].tolist() == [START, *second, END]
        assert target[target != PAD].tolist() == [END, START, *second]


def test_a_text_without_room_for_its_tokens_keeps_its_marks(task):
    limited = TextPreprocessor(task.tokenizer, 2, start=task.tokenizer.special_tokens.starts)
    assert limited.read({"text": ["of the", ""]})["token_ids"].tolist() == [[START, END]] * 2


@pytest.mark.long
def test_a_checkpoint_learns_on(tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "bart"), dropout=0.0, attention_dropout=0.0)
    pairs = [("of the", "a man"), ("no", "street")]
    task.adapt(pairs)
    assert task.tokenizer.vocabulary == VOCABULARY
    how = {"schedule": "linear", "learning_rate": 0.02, "label_smoothing": 0.0}
    history = task.fit(pairs, epochs=9, batch_tokens=30, xla=False, verbose=False, **how)
    losses = history.history["loss"]
    assert losses[-1] < losses[0] - 2


def test_maps_begin_with_what_is_written_first(task):
    text = "of the"
    for each in task.attention(text):
        assert (each.source_tokens[0], each.target_tokens[0]) == ("<s>", "<s>")
        np.testing.assert_allclose(each.weights.sum(axis=-1), 1, atol=1e-5)


@pytest.mark.long
def test_artifacts_give_the_same_tokens(task, tmp_path):
    task.save(tmp_path / "saved")
    again = zoo.load(tmp_path / "saved")
    assert again.tokenizer.special_tokens == task.tokenizer.special_tokens
    export.saved_model(again, tmp_path / "served")
    serve = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
    actual = serve(text=tf.constant(TEXTS))["text"].numpy()
    assert [text.decode() for text in actual] == task.predict(TEXTS)


def test_generation_is_told_in_a_file_of_its_own(tmp_path):
    facts = {"decoder_start_token_id": START, "forced_eos_token_id": None}
    marks = zoo.from_pretrained(write(tmp_path, generation=facts)).tokenizer.special_tokens
    assert (marks.decoder_start, marks.forced_first, marks.forced_last) == (START, START, -1)
    assert (marks.pad, marks.unknown, marks.end) == (PAD, VOCABULARY.index("<unk>"), END)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architectures": ["BartForQuestionAnswering"]}, "architecture BartForQuestionAnswering"),
        ({"activation_function": "mish"}, "activation 'mish' is not supported"),
        ({"scale_embedding": True}, "scale_embedding = True is not supported"),
        ({"decoder_ffn_dim": 7}, r"ffn_dim must be equal .* got \[19, 7\]"),
        ({"without": "model.shared.weight"}, "lacks the tensor model.shared.weight"),
        ({"without": "model.encoder.layers.1.fc1.bias"}, "model.encoder.layers.1.fc1.bias"),
        ({"max_position_embeddings": 29}, r"embeddings = 29, but .* has the shape \(25, 12\)"),
    ],
)
def test_what_does_not_fit_is_named(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, **changes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalization": "rms"}, "a BART checkpoint requires normalization='layer', got 'rms'"),
        ({"attention": "linear"}, "a BART checkpoint requires attention='full', got 'linear'"),
        ({"num_key_value_heads": 1}, "requires num_key_value_heads=None, got 1"),
    ],
)
def test_other_sublayers_have_no_checkpoint(options, message):
    sizes = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 13}
    model = create_model("bart", vocabulary_size=23, **sizes, **options)
    with pytest.raises(UserError, match=message):
        bart._written_config(model, tokenizer=None)


def test_a_mask_without_a_row_is_left_out(tmp_path):
    """As in bart-large-cnn: its vocabulary ends in a mask that its embedding does not know."""
    from safetensors.numpy import load_file, save_file

    folder = write(tmp_path)
    whole = zoo.from_pretrained(folder)
    rows = len(VOCABULARY) - 1
    actual = load_file(folder / "model.safetensors")
    shared = actual["model.shared.weight"][:rows]
    bias = actual["final_logits_bias"][:, :rows]
    actual |= {"model.shared.weight": shared, "final_logits_bias": bias}
    save_file(actual, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": rows}), "utf-8")
    task = zoo.from_pretrained(folder)
    assert task.tokenizer.vocabulary == VOCABULARY[:-1] == whole.tokenizer.vocabulary[:-1]
    assert ids_of(task, ["a man"]).tolist() == (ids_of(whole, ["a man"]).tolist())
