"""Tokenizers that put the start token before each text, as Llama 3's does."""

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tokenizers
from keras import ops

import export
import zoo
from tests.zoo.pretrained.tiny_llama import END, SPECIAL, START, VOCABULARY, write, write_gguf
from zoo.data.batching.windows import token_stream
from zoo.data.readers import documents
from zoo.errors import UserError
from zoo.text.chats import chat_ids, chat_segments

TEXTS = ["of the 12 women", "", "no way ½3"]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}
TEMPLATE = "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"


def template(*before: str, after: tuple[str, ...] = ()):
    """The post-processor of a `tokenizer.json`."""
    single = [
        *({"SpecialToken": {"id": piece, "type_id": 0}} for piece in before),
        {"Sequence": {"id": "A", "type_id": 0}},
        *({"SpecialToken": {"id": piece, "type_id": 0}} for piece in after),
    ]
    pieces = {*before, *after}
    special = {
        piece: {"id": piece, "ids": [VOCABULARY.index(piece)], "tokens": [piece]}
        for piece in pieces
    }
    return {"type": "TemplateProcessing", "single": single, "pair": single,
            "special_tokens": special}  # fmt: skip


def written(folder: Path, frame=None, **settings) -> Path:
    write(folder)
    path = folder / "tokenizer.json"
    whole = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**whole, "post_processor": frame}), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkpoint with the post-processor that Llama 3 has."""
    both = {"type": "Sequence", "processors": [BYTE_LEVEL, template(SPECIAL[START])]}
    return written(tmp_path_factory.mktemp("start") / "checkpoint", both)


@pytest.fixture(scope="module")
def task(folder):
    return zoo.from_pretrained(folder, max_length=17, max_new_tokens=6)


def theirs(folder):
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


def test_prompts_are_what_their_tokenizer_gives(task, folder):
    expected = [theirs(folder).encode(text).ids for text in TEXTS]
    assert [row[0] for row in expected] == [START] * 3 and len(expected[1]) == 1
    ids = task.preprocessor(text=tf.constant(TEXTS))["token_ids"].numpy()
    assert [row[row >= 0].tolist() for row in ids] == expected
    assert task.tokenizer.tokenize(TEXTS).to_list() == [row[1:] for row in expected]


def test_long_prompts_keep_the_start_and_their_last_tokens(task):
    (whole,) = task.tokenizer.tokenize(["of the women " * 5]).to_list()
    ids = task.preprocessor(text=tf.constant(["of the women " * 5]))["token_ids"].numpy()[0]
    assert len(whole) > 11 and ids.tolist() == [START, *whole[-10:]]
    text = np.frombuffer(b"of the women " * 5, np.uint8).astype("int32")[None]
    of_bytes, _ = task.preprocessor.of_bytes((tf.constant(text), tf.constant([text.size])))
    assert of_bytes["token_ids"].numpy()[0].tolist() == ids.tolist()


def test_a_prompt_needs_more_room_than_the_start(folder):
    with pytest.raises(UserError, match="at most 1 token, which is the start token: choose a"):
        zoo.from_pretrained(folder, max_length=7, max_new_tokens=6)


def test_a_prompt_is_continued_behind_the_start(task):
    (ids,) = task.tokenizer.tokenize(TEXTS[:1]).to_list()
    with_start, without = (
        task.tokenizer.detokenize(task.generate_ids(np.array([row], "int32"), 6)).numpy()[0]
        for row in ([START, *ids], ids)
    )
    assert (
        task.predict(TEXTS[:1])[0]
        == with_start.decode(errors="replace")
        != without.decode(errors="replace")
    )


def test_documents_begin_with_it_and_it_is_not_learned(task, folder):
    stream = token_stream(TEXTS[::2], task.tokenizer)
    first, second = task.tokenizer.tokenize(TEXTS[::2]).to_list()
    assert stream.tolist() == [START, *first, END, START, *second, END]
    logits = task.model({"token_ids": stream[None, :-1], "padding_mask": stream[None, :-1] >= 0})
    log_p = np.asarray(ops.convert_to_numpy(logits["logits"])[0], "float64")
    log_p -= np.logaddexp.reduce(log_p, axis=1, keepdims=True)
    learned = stream[1:] != START
    assert (~learned).sum() == 1
    expected = -log_p[np.arange(len(stream) - 1), stream[1:]][learned].mean()
    longer = zoo.from_pretrained(folder, max_length=37)
    assert longer.evaluate(TEXTS[::2])["loss"] == pytest.approx(expected, rel=1e-5)


def test_a_document_in_pieces_begins_once(task, tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "PIECE_CHARACTERS", 9)
    texts = ["of\nno\nway\nin\nthe\nof\nno\nway\nin\n", "no way"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    pieces = list(documents.read_documents_in_pieces(tmp_path))
    assert [piece.continues for piece in pieces].count(True) >= 2
    rows = [
        token_stream(each.texts, task.tokenizer, number == 0, each.goes_on, each.continues)
        for number, each in enumerate(pieces)
    ]
    assert np.concatenate(rows).tolist() == token_stream(texts, task.tokenizer).tolist()


@pytest.mark.parametrize("start", ["", "{{ bos_token }}", SPECIAL[START]])
def test_chats_begin_with_it_once(task, start):
    chat = [{"role": "user", "content": "no"}, {"role": "assistant", "content": "way"}]
    (segments,) = chat_segments(start + TEMPLATE, [chat], task.tokenizer, prompt=True)
    ids, answers = chat_ids(segments, task.tokenizer)
    (expected,) = task.tokenizer.tokenize(["[user] no\n[assistant] way\n"]).to_list()
    assert ids.tolist() == [START, *expected] and not answers.any()


def test_a_run_and_a_checkpoint_keep_it(task, tmp_path):
    task.save(tmp_path / "run")
    assert zoo.load(tmp_path / "run").predict(TEXTS) == task.predict(TEXTS)
    folder = zoo.to_pretrained(task, tmp_path / "written")
    again = zoo.from_pretrained(folder)
    assert again.tokenizer.facts() == task.tokenizer.facts() and again.tokenizer.adds_start
    (ids,) = task.tokenizer.tokenize(TEXTS[:1]).to_list()
    assert theirs(folder).encode(TEXTS[0]).ids == [START, *ids]
    (pair,) = task.tokenizer.tokenize(["no"]).to_list()
    assert theirs(folder).encode(TEXTS[0], "no").ids == [START, *ids, START, *pair]


def test_training_lowers_the_loss(folder):
    task = zoo.from_pretrained(folder, max_length=17)
    texts = ["of the women\n"] * 20
    before = task.evaluate(texts)["loss"]
    task.fit(texts, epochs=3, validation_data=texts[:2], xla=False, verbose=False)
    assert task.evaluate(texts)["loss"] < before


@pytest.mark.thorough
def test_artifacts_put_it_before_texts(task, tmp_path):
    assert export.saved_model(task, tmp_path / "saved").passed
    assert export.litert(task, tmp_path / "model.tflite", text="bytes").passed


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (template(SPECIAL[START], after=(SPECIAL[END],)), "adds special tokens with Template"),
        (template(SPECIAL[END]), "adds special tokens with TemplateProcessing"),
        ({"type": "BertProcessing"}, "adds special tokens with BertProcessing, which is not"),
    ],
)
def test_others_are_refused(frame, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(written(tmp_path / "checkpoint", frame))


def test_the_settings_of_a_tokenizer_may_say_it(tmp_path):
    task = zoo.from_pretrained(written(tmp_path / "a", add_bos_token=True))
    assert task.tokenizer.adds_start
    with pytest.raises(UserError, match="add_eos_token is not supported"):
        zoo.from_pretrained(written(tmp_path / "b", add_bos_token=True, add_eos_token=True))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"tokenizer.ggml.add_bos_token": True}, True),
        ({"tokenizer.ggml.pre": "llama-bpe"}, True),
        ({"tokenizer.ggml.pre": "llama-bpe", "tokenizer.ggml.add_bos_token": False}, False),
        ({}, False),
    ],
)
def test_gguf_says_it(fields, expected, tmp_path):
    pytest.importorskip("gguf")
    task = zoo.from_pretrained(write_gguf(tmp_path / "tiny.gguf", **fields))
    assert task.tokenizer.adds_start is expected
    assert task.tokenizer.ignore_merges is ("llama-bpe" in fields.values())


def test_gguf_must_name_it(tmp_path):
    pytest.importorskip("gguf")
    fields = {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.bos_token_id": None}
    with pytest.raises(UserError, match="puts a start token before texts, but names none"):
        zoo.from_pretrained(write_gguf(tmp_path / "tiny.gguf", **fields))
