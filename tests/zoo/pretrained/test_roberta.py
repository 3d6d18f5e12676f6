"""RoBERTa's tokenizer and positions, as Hugging Face's library reads and writes them."""

import json

import numpy as np
import pytest
from keras import ops
from safetensors.numpy import load_file

import export
import zoo
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_encoders import POSITIONS, drawn, their_byte_bpe, write
from zoo.errors import UserError

TEXTS = ["A man in a red hat.", "Über dogs!", "", " zebra  你b", "a <mask> in a red hat"]
SIZES = {"max_length": 19, "max_question_length": 5, "stride": 5, "max_answer_length": 4}


def with_json(folder, **changes):
    """Puts `tokenizer.json` in the place of the other files; `changes` replace facts of parts."""
    whole = json.loads(their_byte_bpe(**changes.pop("how", {})).to_str())
    for name, change in changes.items():
        whole[name] |= change
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    for name in ("vocab.json", "merges.txt"):
        (folder / name).unlink()
    return folder


@pytest.mark.parametrize("how", [{}, {"prefix_space": True}, {"strips": False}])
def test_token_ids_are_theirs_with_marks(how, tmp_path):
    task = zoo.from_pretrained(with_json(write(tmp_path, "roberta"), how=how))
    expected = [their_byte_bpe(**how).encode(text).ids for text in TEXTS]
    assert [row[row != 1].tolist() for row in ids_of(task, TEXTS)] == expected
    written = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    assert written.tokenizer.facts() == task.tokenizer.facts()


def test_both_forms_of_the_tokenizer_are_the_same(tmp_path):
    one = zoo.from_pretrained(write(tmp_path / "files", "roberta"))
    other = zoo.from_pretrained(with_json(write(tmp_path / "json", "roberta")))
    facts = [{**each.tokenizer.facts(), "added": []} for each in (one, other)]
    assert facts[0] == facts[1]
    settings = {"mask_token": {"content": "<mask>", "lstrip": False}, "add_prefix_space": True}
    folder = write(tmp_path / "settings", "roberta")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    tokenizer = zoo.from_pretrained(folder).tokenizer
    assert (tokenizer.prefix_space, tokenizer.mask_strips) == (True, False)


def test_positions_begin_behind_that_of_padding(tmp_path):
    folder = write(tmp_path / "read", "roberta", pad_token_id=1)
    task = zoo.from_pretrained(folder)
    assert task.model.max_sequence_length == POSITIONS
    name = "embeddings.position_embeddings.weight"
    expected = load_file(folder / "model.safetensors")[name]
    np.testing.assert_array_equal(task.model.backbone.positions.weights[0], expected[2:])
    written = zoo.to_pretrained(task, tmp_path / "written")
    actual = load_file(written / "model.safetensors")[name]
    assert json.loads((written / "config.json").read_text())["max_position_embeddings"] == 25
    np.testing.assert_array_equal(actual, np.pad(expected[2:], ((2, 0), (0, 0))))


def test_token_types_are_all_the_first(tmp_path):
    name = "embeddings.token_type_embeddings.weight"
    folder = write(tmp_path / "x", "roberta", type_vocab_size=2)
    tensors = load_file(folder / "model.safetensors")
    from safetensors.numpy import save_file

    first = tensors[name]
    save_file({**tensors, name: np.concatenate([first, first + 1])}, folder / "model.safetensors")
    expected = zoo.from_pretrained(write(tmp_path / "y", "roberta")).embed(TEXTS)
    np.testing.assert_array_equal(zoo.from_pretrained(folder).embed(TEXTS), expected)


@pytest.mark.filterwarnings("ignore:.* has no weights for")
def test_masks_are_filled_with_words(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "roberta", "masked-lm"))
    (choices,) = task.fill_mask("a <mask> in a red hat", top=4)
    assert all(each.text.startswith("a") for each in choices)  # also with half a character
    ids = ids_of(task, ["a <mask> in a red hat"])
    logits = ops.convert_to_numpy(task.model(inputs_of(task, ids))["mlm_logits"])
    scores = logits[0, list(ids[0]).index(task.special_tokens.mask)].copy()
    scores[list(task.special_tokens.ids)] = -np.inf
    best = np.argsort(-scores)[:4]
    assert [each.token for each in choices] == [task.tokenizer.vocabulary[i] for i in best]
    with pytest.raises(UserError, match="the text has no <mask> in its first"):
        task.fill_mask("a [MASK]")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.* has no weights for")
def test_masks_are_filled_in_a_file(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "roberta", "masked-lm"))
    task.examples = {"text": ["a [MASK] in a red hat", "dog[MASK], 😀 dog!"]}
    probes = np.concatenate([each["text"] for each in task.preprocessor.probes(task.examples)])
    assert sum("<mask>" in text for text in probes) > 2 and "[MASK]" not in "".join(probes)
    export.litert(task, tmp_path / "fill.tflite", text="bytes")
    assert export.verify(tmp_path / "fill.tflite").passed


def softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def test_answers_are_those_of_the_weights(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, "roberta", "question-answering"), **SIZES)
    question, passage = "A man?", "a red hat"
    (found,) = task.predict([(question, passage)])
    encoding = their_byte_bpe().encode(question, passage)
    ids = np.array([encoding.ids])
    assert (
        ids[0].tolist()
        == np.asarray(task.preprocessor(question=[question], passage=[passage])["token_ids"])[
            0, 0
        ].tolist()
    )
    hidden = task.model.backbone(inputs_of(task, ids))["sequence"]
    kernel, bias = drawn("qa_outputs.weight", (2, 12)), drawn("qa_outputs.bias", (2,))
    logits = ops.convert_to_numpy(hidden)[0].astype("float64") @ kernel.T + bias
    begin = list(ids[0]).index(2) + 2
    inside = [*range(begin, len(ids[0]) - 1)]
    first, last = (softmax(x[[0, *inside]])[1:] for x in logits.T)
    pairs = [(i, j) for i in range(len(inside)) for j in range(i, min(i + 4, len(inside)))]
    i, j = max(pairs, key=lambda pair: first[pair[0]] * last[pair[1]])
    words, offsets = encoding.word_ids, encoding.offsets
    starts = {words[k]: offsets[k][0] for k in reversed(inside)}
    ends = {words[k]: offsets[k][1] for k in inside}
    text = passage[starts[words[inside[i]]] : ends[words[inside[j]]]].strip()
    assert found["text"] == text
    assert found["score"] == pytest.approx(first[i] * last[j], abs=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pad_token_id": 283}, "pad_token_id must be an id of the 283 rows"),
        (
            {"pad_token_id": -1},
            "pad_token_id must be an id of the 283 rows .*, got -1",
        ),
        ({"pad_token_id": None}, "pad_token_id must be an id of the 283 rows"),
        ({"pad_token_id": 3}, "pad_token_id = 3, but the padding token of the tokenizer is 1"),
        ({"max_position_embeddings": 2}, "max_position_embeddings must be more than 2"),
        ({"hidden_size": 13}, "hidden_size = 13, but .* has the shape"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, "roberta", **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"post_processor": {"cls": ["<s>", 3]}},
            "expected RobertaProcessing with '<s>' and '</s>'",
        ),
        ({"post_processor": {"type": "BertProcessing"}}, "special tokens with BertProcessing"),
        ({"model": {"byte_fallback": True}}, "byte_fallback is not supported"),
        ({"model": {"type": "Unigram"}}, "has the model Unigram"),
    ],
)
def test_another_tokenizer_is_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(with_json(write(tmp_path, "roberta"), **changes))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cls_token": "<cls>"}, "the vocabulary lacks the token '<cls>'"),
        ({"sep_token": 5}, "sep_token must be a text, got 5"),
        ({"mask_token": {"content": "<mask>", "rstrip": True}}, "rstrip of '<mask>' is not"),
        ({"add_bos_token": True}, "add_bos_token is not supported"),
    ],
)
def test_other_settings_of_the_tokenizer_are_refused(settings, message, tmp_path):
    folder = write(tmp_path, "roberta")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(folder)


def test_texts_that_would_have_to_be_lowercased_are_refused(tmp_path):
    from tests.zoo.pretrained.tiny_bert import as_sentence_encoder

    folder = as_sentence_encoder(write(tmp_path, "roberta"), do_lower_case=True)
    with pytest.raises(UserError, match="do_lower_case is not supported with a byte-level BPE"):
        zoo.from_pretrained(folder)
