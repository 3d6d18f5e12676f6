"""XLM-R's tokenizer, as Hugging Face's library reads and writes it."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import export
import zoo
from tests.zoo.pretrained import tiny_unigram
from tests.zoo.pretrained.features import ids_of
from tests.zoo.pretrained.tiny_encoders import drawn, write, write_xlm_roberta
from zoo.errors import UserError

TEXTS = ["The red dog's hat.", "Zürich ﬁnal ½", "", "  привет мир 你好 ", "the <mask> hat"]
LACKING = pytest.mark.filterwarnings("ignore:.* has no weights for")


def edited(folder, change):
    """Changes `tokenizer.json`."""
    path = folder / "tokenizer.json"
    whole = json.loads(path.read_text("utf-8"))
    change(whole)
    path.write_text(json.dumps(whole), "utf-8")
    return folder


def test_token_ids_are_theirs_with_marks(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "xlm-roberta"))
    theirs = tiny_unigram.xlm_roberta()
    expected = [theirs.encode(text).ids for text in TEXTS]
    assert [row[row != 1].tolist() for row in ids_of(task, TEXTS)] == expected


def test_pairs_are_theirs(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "xlm-roberta"), "text-pair-scorer")
    task.adapt([("the hat", "dogs", 0.5), ("a", "dogs", 1.0)])
    features = task.preprocessor(text=["the hat"], second=["dogs' 你好"])
    ids = np.asarray(features["token_ids"])[0]
    expected = tiny_unigram.xlm_roberta().encode("the hat", "dogs' 你好").ids
    assert ids[: len(expected)].tolist() == expected


def test_the_written_file_is_the_one_that_was_read(tmp_path):
    from tokenizers import Tokenizer

    for only_spaces in (False, True):
        folder = write(tmp_path / f"{only_spaces}" / "read", "xlm-roberta")
        theirs = tiny_unigram.xlm_roberta(only_spaces)
        theirs.save(str(folder / "tokenizer.json"))
        written = zoo.to_pretrained(zoo.from_pretrained(folder), folder.parent / "written")
        again = Tokenizer.from_file(str(written / "tokenizer.json"))
        for text in [*tiny_unigram.texts(200, seed=3), *TEXTS, "the <s> hat"]:
            assert again.encode(text).ids == theirs.encode(text).ids
        assert again.encode("a", "b c").ids == theirs.encode("a", "b c").ids


def test_a_sentence_encoder_keeps_its_pooling(tmp_path):
    from tests.zoo.pretrained.tiny_bert import as_sentence_encoder

    folder = as_sentence_encoder(write(tmp_path / "read", "xlm-roberta"))
    task = zoo.from_pretrained(folder)
    assert task.name == "text-embedder"
    vectors = task.embed(TEXTS)
    again = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    np.testing.assert_array_equal(again.embed(TEXTS), vectors)
    folder = as_sentence_encoder(write(tmp_path / "lower", "xlm-roberta"), do_lower_case=True)
    with pytest.raises(UserError, match="do_lower_case is not supported with a unigram tokenizer"):
        zoo.from_pretrained(folder)


def test_bert_may_have_the_tokenizer(tmp_path):
    """As multilingual MiniLM, whose configuration has another id of padding."""
    rows = {"vocab_size": 241, "pad_token_id": 0}
    folder = write(tmp_path / "read", "bert", "text-classifier")
    path = folder / "model.safetensors"
    tensors = load_file(path)
    name = "bert.embeddings.word_embeddings.weight"
    save_file({**tensors, name: drawn(name, (241, 12))}, path)
    config = json.loads((folder / "config.json").read_text()) | rows
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "vocab.txt").unlink()
    write_xlm_roberta(folder)
    task = zoo.from_pretrained(folder)
    theirs = tiny_unigram.xlm_roberta()
    assert [row[row != 1].tolist() for row in ids_of(task, TEXTS)] == [
        theirs.encode(text).ids for text in TEXTS
    ]
    written = zoo.to_pretrained(task, tmp_path / "written")
    again = zoo.from_pretrained(written)
    assert json.loads((written / "config.json").read_text())["pad_token_id"] == 0
    assert again.predict(TEXTS) == task.predict(TEXTS)
    vectors = zoo.from_pretrained(folder, "text-embedder").embed(TEXTS)
    actual = zoo.from_pretrained(written, "text-embedder").embed(TEXTS)
    np.testing.assert_array_equal(actual, vectors)


@LACKING
def test_answers_are_between_whitespace(tmp_path):
    sizes = {"max_length": 19, "max_question_length": 5, "stride": 5, "max_answer_length": 4}
    folder = write(tmp_path, "xlm-roberta", "question-answering")
    task = zoo.from_pretrained(folder, **sizes)
    question, passage = "the dog?", "Zürich, the\u200bred hat."
    features = task.preprocessor(question=[question], passage=[passage])
    ids = np.asarray(features["token_ids"])[0, 0]
    expected = tiny_unigram.xlm_roberta().encode(question, passage).ids
    assert ids[: len(expected)].tolist() == expected
    (found,) = task.predict([(question, passage)])
    assert found["text"] in passage
    assert set(found["text"].replace("\u200b", " ").split()) <= {"Zürich,", "the", "red", "hat."}


@pytest.mark.long
@LACKING
def test_masks_are_filled_in_a_file(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "xlm-roberta", "masked-lm"))
    task.examples = {"text": ["the [MASK] hat", "Zürich ﬁ[MASK], 你好 ½!"]}
    export.litert(task, tmp_path / "fill.tflite", text="bytes")
    assert export.verify(tmp_path / "fill.tflite").passed


def _set(*keys, value):
    def change(whole):
        for key in keys[:-1]:
            whole = whole[key]
        whole[keys[-1]] = value

    return change


REFUSED = [
    (_set("model", "type", value="BPE"), "the model is BPE, expected Unigram"),
    (_set("model", "byte_fallback", value=True), "byte_fallback is not supported"),
    (_set("model", "unk_id", value=999), "unk_id must be an id of its 2.. tokens, got 999"),
    (_set("model", "unk_id", value=2), "unk_id must be 3, got 2"),
    (_set("model", "vocab", 4, value=["<s>", -1.0]), "has a token twice"),
    (_set("model", "vocab", 4, 1, value=float("nan")), "score of token 4 must be a number"),
    (_set("normalizer", value={"type": "NFKC"}), "the steps NFKC, .* are not supported"),
    (_set("normalizer", "precompiled_charsmap", value="AAAA"), "precompiled_charsmap has 3 bytes"),
    (_set("normalizer", "precompiled_charsmap", value=5), "precompiled_charsmap must be a text"),
    (_set("pre_tokenizer", value={"type": "Whitespace"}), "steps Whitespace are not supported"),
    (_set("pre_tokenizer", "pretokenizers", 1, "prepend_scheme", value="first"), "not supported"),
    (
        _set("post_processor", "single", value=[{"Sequence": {"id": "A"}}]),
        "frames pairs in another",
    ),
    (_set("post_processor", "special_tokens", "<s>", "ids", value=[5]), "other ids for '<s>'"),
    (_set("post_processor", value={"type": "ByteLevel"}), "added with ByteLevel"),
    (_set("added_tokens", 0, "id", value=7), "the added token '<s>' has the id 7, not 0"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_another_tokenizer_is_refused(change, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(edited(write(tmp_path, "xlm-roberta"), change))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pad_token_id": 3}, "pad_token_id = 3, but the padding token of the tokenizer is 1"),
        ({"vocab_size": 200}, "has 2.. tokens, but the embedding has only 200 rows"),
        ({"vocab_size": 300}, "vocab_size = 300, but .* has the shape"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, "xlm-roberta", **changes))


def test_a_sentencepiece_model_alone_is_refused(tmp_path):
    folder = write(tmp_path, "xlm-roberta")
    (folder / "tokenizer.json").rename(folder / "sentencepiece.bpe.model")
    with pytest.raises(UserError, match="has no tokenizer.json; a SentencePiece model alone"):
        zoo.from_pretrained(folder)
