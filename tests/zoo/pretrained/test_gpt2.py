"""GPT-2 checkpoints give what Hugging Face's library gives for them, token by token."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from keras import ops

import export
import zoo
from tests.references.searches import NEW, RULED, SEARCHES
from tests.variants import thoroughly_but
from tests.zoo.pretrained.features import ids_of
from tests.zoo.pretrained.tiny_gpt2 import END, POSITIONS, VOCABULARY, theirs, write
from zoo.decoding.generate import generate
from zoo.errors import UserError

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "gpt2.npz")
IDS = REFERENCE["ids"].astype("int32")
TEXTS = ["of the", "", "the woman is 2 é🙂\n\n  in a", " ", "no way"]


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return zoo.from_pretrained(write(tmp_path_factory.mktemp("gpt2")), max_new_tokens=NEW)


def logits(task, ids):
    inputs = {"token_ids": ids, "padding_mask": ids >= 0}
    actual = task.model({name: ops.convert_to_tensor(value) for name, value in inputs.items()})
    return ops.convert_to_numpy(actual["logits"])


@pytest.mark.parametrize(
    ("architecture", "shards"), [("GPT2LMHeadModel", 1), ("GPT2LMHeadModel", 3), ("GPT2Model", 1)]
)
def test_logits_are_those_of_hugging_face(architecture, shards, tmp_path):
    made = zoo.from_pretrained(write(tmp_path, architecture, shards))
    assert (made.name, made.model.max_sequence_length) == ("causal-lm", POSITIONS)
    expected = REFERENCE["logits"]
    ids = IDS[: len(expected)]
    keep = ids >= 0  # what stands at padding is no one's concern
    assert expected[keep].std() > 0.5 and not keep.all()
    np.testing.assert_allclose(logits(made, ids)[keep], expected[keep], atol=1e-4)


@pytest.mark.thorough
def test_greedy_tokens_are_theirs_for_prompts_of_all_lengths(task):
    expected = REFERENCE["greedy"]
    assert len({int(n) for n in (expected >= 0).sum(axis=1)}) > 3  # some end, some do not
    np.testing.assert_array_equal(task.generate_ids(IDS, NEW), expected)
    # Alone, without padding, and step by step without a cache.
    for row, answer in zip(IDS, expected, strict=True):
        prompt = row[row >= 0]
        np.testing.assert_array_equal(task.generate_ids(prompt[None], NEW)[0], answer)
        for token in answer[answer >= 0]:
            assert logits(task, prompt[None])[0, -1].argmax() == token
            prompt = np.append(prompt, token)


@thoroughly_but("one", SEARCHES)
def test_every_beam_is_theirs(task, name):
    beams, penalty, early = SEARCHES[name]
    special_tokens = task.tokenizer.special_tokens

    @tf.function(autograph=False)
    def search(ids):
        how = {"length_penalty": penalty, "early_stopping": early, "special_tokens": special_tokens}
        return generate(task.model, {"token_ids": ids}, NEW, beams, **how)

    actual = search(tf.constant(IDS))
    expected = REFERENCE[f"{name}/ids"]
    np.testing.assert_array_equal(actual.token_ids, expected)
    np.testing.assert_array_equal(actual.lengths, (expected >= 0).sum(axis=-1))
    np.testing.assert_allclose(actual.scores, REFERENCE[f"{name}/scores"], atol=1e-4)


@pytest.mark.thorough(1)
@pytest.mark.parametrize("name", RULED)
def test_rules_are_kept_as_theirs_are(task, name):
    beams, rules = RULED[name]
    whole = IDS[(IDS >= 0).all(axis=1)]
    expected = REFERENCE[name]
    np.testing.assert_array_equal(task.generate_ids(whole, NEW, beams=beams, **rules), expected)
    assert (task.generate_ids(whole, NEW, beams=beams) != expected).any()
    if beams == 1:
        text = "of the"
        rules = {"no_repeat_ngram": 2, "bad_words": [" the", (3,)]}
        assert "".join(task.stream(text, **rules)) == task.predict([text], **rules)[0]


def test_stopping_early_is_another_search():
    assert (REFERENCE["one/ids"] != REFERENCE["early/ids"]).any()


@pytest.mark.thorough
def test_texts_are_read_and_written_as_theirs(task):
    ids = ids_of(task, TEXTS)
    other = theirs()
    for text, row in zip(TEXTS, ids, strict=True):
        # An empty text begins a new document.
        assert row[row >= 0].tolist() == (other.encode(text).ids or [END])
    answers = task.generate_ids(ids)
    plain = [[i for i in row if 0 <= i < END] for row in answers.tolist()]
    assert task.predict(TEXTS) == [other.decode(row) for row in plain]
    streamed = ["".join(task.stream(text)) for text in TEXTS]
    assert streamed == task.predict(TEXTS)
    assert len("".join(streamed)) > 2


@pytest.mark.thorough
def test_a_checkpoint_is_scored_and_learns_on(task, tmp_path):
    """The loss is that of the logits, with nothing lost to padding that is no token."""
    text = "a man is on the street and the woman is in"
    ids = np.array([[END, *theirs().encode(text).ids, END]])
    scores = logits(task, ids[:, :-1].astype("int32"))[0].astype("float64")
    log_p = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    expected = -log_p[np.arange(len(log_p)), ids[0, 1:]].mean()
    assert task.evaluate([text])["loss"] == pytest.approx(expected, rel=1e-5)

    learner = zoo.from_pretrained(write(tmp_path / "checkpoint"))
    learner.adapt([text])
    assert learner.tokenizer.vocabulary == VOCABULARY
    learner.fit([text], epochs=8, learning_rate=0.01, xla=False, verbose=False)
    assert learner.evaluate([text])["loss"] < expected - 0.4


@pytest.mark.long
def test_a_checkpoint_begins_text_to_text(tmp_path):
    learner = zoo.from_pretrained(write(tmp_path), "text-to-text", max_target_length=NEW)
    limits = learner.settings.max_source_length, learner.settings.max_target_length
    assert limits == (POSITIONS // 2, NEW)
    # Behind a source of one token, every token sees what it sees in theirs.
    expected = REFERENCE["logits"][:, 1:]
    source, target = IDS[: len(expected), :1], IDS[: len(expected), 1:]
    x = {"source_ids": np.pad(source, [(0, 0), (0, 2)], constant_values=-1), "target_ids": target}
    x |= {f"{side}_mask": x[f"{side}_ids"] >= 0 for side in ("source", "target")}
    actual = learner.model({name: ops.convert_to_tensor(value) for name, value in x.items()})
    keep = target >= 0
    logits = ops.convert_to_numpy(actual["logits"])[keep]
    np.testing.assert_allclose(logits, expected[keep], atol=1e-4)

    pairs = [("a man", "the man"), ("the woman is in", "a woman is out")] * 4
    learner.adapt(pairs)
    assert learner.tokenizer.vocabulary == VOCABULARY
    history = learner.fit(pairs, epochs=4, learning_rate=0.01, xla=False, verbose=False)
    assert history.history["loss"][-1] < history.history["loss"][0] - 0.4
    texts = ["the woman is in", "a man"]  # of unequal lengths, padded with what is no token
    assert learner.predict(texts) == [learner.predict([text])[0] for text in texts] != ["", ""]


@pytest.mark.long
def test_artifacts_give_the_same_tokens(task, tmp_path):
    task.save(tmp_path / "saved")
    again = zoo.load(tmp_path / "saved")

    export.saved_model(again, tmp_path / "served")
    serve = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
    actual = serve(text=tf.constant(TEXTS))["text"].numpy()
    assert [text.decode() for text in actual] == task.predict(TEXTS)

    export.litert(again, tmp_path / "gpt2.tflite")
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    signatures = manifest["artifacts"]["gpt2.tflite"]["signatures"]
    assert signatures["serving_default"]["inputs"]["token_ids"]["padding"] == -1
    model = Interpreter(str(tmp_path / "gpt2.tflite")).get_signature_runner("serving_default")
    np.testing.assert_array_equal(model(token_ids=IDS)["token_ids"], REFERENCE["greedy"])
    with pytest.raises(UserError, match="LiteRT cannot split text into bytes"):
        export.litert(again, tmp_path / "text.tflite", text="strings")


def as_json(tmp_path, **changes):
    """A checkpoint with `tokenizer.json` in place of the two older files."""
    folder = write(tmp_path)
    other = theirs()
    other.add_special_tokens([VOCABULARY[END]])
    whole = json.loads(other.to_str())
    for name, change in changes.items():
        whole[name] = {**(whole[name] or {}), **change}
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    for name in ("vocab.json", "merges.txt"):
        (folder / name).unlink()
    return folder


def framed():
    """What transformers 5 writes behind the splitting, where nothing is put around texts."""
    return {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}]}


@pytest.mark.parametrize(
    "changes",
    [
        {"model": {"type": "BPE"}},
        {"model": {"type": None}},  # the first files do not name it
        {"post_processor": framed()},
        {"post_processor": {"type": "ByteLevel"}},
    ],
)
def test_both_forms_of_a_vocabulary_are_read(changes, task, tmp_path):
    folder = as_json(tmp_path, **changes)
    assert zoo.from_pretrained(folder).tokenizer.facts() == task.tokenizer.facts()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"model": {"type": "WordPiece"}},
            "the model WordPiece and the pre-tokenizer ByteLevel; expected",
        ),
        (
            {"pre_tokenizer": {"type": "Split"}},
            "the model BPE and the pre-tokenizer Split; expected BPE and",
        ),
        ({"pre_tokenizer": {"add_prefix_space": True}}, "add_prefix_space is not supported"),
        ({"model": {"byte_fallback": True}}, "byte_fallback is not supported"),
        ({"post_processor": {"type": "RobertaProcessing"}}, "adds special tokens with Roberta"),
    ],
)
def test_other_vocabularies_are_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(as_json(tmp_path, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architectures": ["GPT2DoubleHeadsModel"]}, "architecture GPT2DoubleHeadsModel"),
        ({"activation_function": "silu"}, "activation 'silu' is not supported"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx = True"),
        ({"reorder_and_upcast_attn": True}, "reorder_and_upcast_attn = True is not supported"),
        ({"add_cross_attention": True}, "add_cross_attention = True is not supported"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings = False is not supported"),
        ({"vocab_size": 311}, "the vocabulary has 313 tokens, but the embedding has only 311 rows"),
        (
            {"eos_token_id": [312, 7]},
            r"eos_token_id = \[312, 7\] is not supported; expected a single id",
        ),
        ({"eos_token_id": None}, "end = 50256 is not an id of its 313 tokens"),
        ({"quantization_config": {"load_in_8bit": True}}, "quantized weights are not supported"),
        ({"n_layer": 3}, "n_layer = 3, but there are no tensors of transformer.h.2"),
        ({"n_inner": 23}, r"mlp.c_fc.weight has shape \(12, 29\), expected \(12, 23\)"),
    ],
)
def test_what_does_not_fit_is_named(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, **changes))


def test_generation_is_told_where_to_end(tmp_path):
    """In a file of its own, which goes before `config.json`."""
    folder = write(tmp_path, bos_token_id=None, eos_token_id=[END])
    assert zoo.from_pretrained(folder).tokenizer.special_tokens.end == END
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [7]}), "utf-8")
    special_tokens = zoo.from_pretrained(folder).tokenizer.special_tokens
    assert (special_tokens.start, special_tokens.end) == (7, 7)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("added_tokens.json", {"<|user|>": END}, None),  # the mark by another name
        (
            "added_tokens.json",
            {"<|user|>": END + 1},
            "the added token '<|user|>' is not supported, since it is not a special token",
        ),
        (
            "tokenizer_config.json",
            {"added_tokens_decoder": {"9": {"content": "<|user|>", "special": False}}},
            "the added token '<|user|>' is not supported, since it is not a special token",
        ),
        ("tokenizer_config.json", {"add_eos_token": True}, "add_eos_token is not supported"),
    ],
)
def test_what_would_change_ids_is_refused(name, content, message, tmp_path):
    folder = write(tmp_path)
    if message is None:
        ids = json.loads((folder / "vocab.json").read_text("utf-8"))
        del ids["<|endoftext|>"]
        (folder / "vocab.json").write_text(json.dumps(ids), "utf-8")
    (folder / name).write_text(json.dumps(content), "utf-8")
    if message is None:
        assert zoo.from_pretrained(folder).tokenizer.vocabulary[END] == "<|user|>"
        return
    with pytest.raises(UserError, match=re.escape(message)):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize("dtype", ["int8", "complex64"])
def test_weights_of_other_numbers_are_refused(dtype, tmp_path):
    from safetensors.numpy import load_file, save_file

    folder = write(tmp_path)
    actual = load_file(folder / "model.safetensors")
    name = "transformer.h.1.mlp.c_fc.weight"
    save_file({**actual, name: actual[name].astype(dtype)}, folder / "model.safetensors")
    with pytest.raises(
        UserError, match=f"the tensor {name} has the dtype {dtype}; expected floats"
    ):
        zoo.from_pretrained(folder)
