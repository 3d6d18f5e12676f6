"""A vocabulary of BERT is read from `tokenizer.json` as from `vocab.txt`, or refused by name."""

import json

import pytest

import zoo
from tests.zoo.pretrained.features import ids_of
from tests.zoo.pretrained.tiny_bert import VOCABULARY, as_json, write
from zoo.errors import UserError

TEXTS = ["A man in a red hat.", "Über dogs!", "", "zebra 你b"]


@pytest.mark.parametrize("kind", ["WordPiece", None])  # the first files do not name it
def test_both_forms_are_read(kind, tmp_path):
    before = zoo.from_pretrained(write(tmp_path))
    after = zoo.from_pretrained(as_json(tmp_path, model={"type": kind}))
    assert after.tokenizer.facts() == before.tokenizer.facts()
    ids = ids_of(before, TEXTS)
    assert ids_of(after, TEXTS).tolist() == ids.tolist()


def test_ids_are_those_of_hugging_face(tmp_path):
    from tokenizers import Tokenizer

    how = {"lowercase": False, "strip_accents": True, "handle_chinese_chars": False}
    task = zoo.from_pretrained(as_json(write(tmp_path), normalizer=how))
    theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts = ["a über Hat", "ein Übel, 你b", *TEXTS]
    actual = task.tokenizer.tokenize(texts).to_list()
    assert actual == [theirs.encode(text).ids for text in texts]
    assert actual[0] == [VOCABULARY.index(piece) for piece in ("a", "uber", "[UNK]")]


def changed(folder, change):
    """A checkpoint whose `tokenizer.json` a function has changed."""
    file = as_json(write(folder)) / "tokenizer.json"
    whole = json.loads(file.read_text("utf-8"))
    change(whole)
    file.write_text(json.dumps(whole), "utf-8")
    return folder


def added(content, number, special=True):
    return lambda whole: whole["added_tokens"].append(
        {"content": content, "id": number, "special": special}
    )


def test_marks_may_be_added(tmp_path):
    task = zoo.from_pretrained(changed(tmp_path, added("[E1]", len(VOCABULARY))))
    spare = ["[unused-row-29]", "[unused-row-30]"]
    assert task.tokenizer.vocabulary == [*VOCABULARY, "[E1]", *spare]


@pytest.mark.parametrize("lowercase", [True, False])
def test_what_stands_beside_a_tokenizer_goes_first(lowercase, tmp_path):
    """Hugging Face's library reads it so too."""
    folder = as_json(write(tmp_path), normalizer={"lowercase": not lowercase})
    config = {"do_lower_case": lowercase, "strip_accents": True, "tokenize_chinese_chars": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    facts = zoo.from_pretrained(folder).tokenizer.facts()
    assert (facts["lowercase"], facts["strip_accents"]) == (lowercase, True)
    assert facts["split_chinese"] is False


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "tokenizer_config.json",
            {"tokenizer_class": "BertJapaneseTokenizer"},
            "the tokenizer BertJapaneseTokenizer is not supported; expected BertTokenizer",
        ),
        (
            "added_tokens.json",
            {"covid": 29},
            "the added token 'covid' is not supported, since it is not a special token",
        ),
        (
            "tokenizer_config.json",
            {"added_tokens_decoder": {"29": {"content": "covid", "special": False}}},
            "the added token 'covid' is not supported, since it is not a special token",
        ),
        ("vocab.txt", [*VOCABULARY, "dog"], "vocab.txt contains the token 'dog' twice"),
        (
            "vocab.txt",
            [*VOCABULARY, "x" * 300],
            f".+: token {len(VOCABULARY)} of the vocabulary has 300 bytes; expected at most 256",
        ),
    ],
)
def test_other_vocabularies_in_several_files_are_refused(name, content, message, tmp_path):
    folder = write(tmp_path)
    text = "\n".join(content) if isinstance(content, list) else json.dumps(content)
    (folder / name).write_text(text, "utf-8")
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (added("[E1]", len(VOCABULARY) + 1), "the ids of the vocabulary are not 0, 1, 2, ..."),
        (added("[E1]", 7), "the ids of the vocabulary are not 0, 1, 2, ..."),
        (added("[MASK]", len(VOCABULARY)), "the ids of the vocabulary are not 0, 1, 2, ..."),
        (lambda whole: whole["model"]["vocab"].pop("dog"), "the ids of the vocabulary are not 0"),
        (lambda whole: whole["model"]["vocab"].update(dog=7), "the ids of the vocabulary are not"),
        (
            added("covid", len(VOCABULARY), special=False),
            "the added token 'covid' is not supported, since it is not a special token",
        ),
        (lambda whole: whole["model"].update(type="BPE"), "the model BPE and the normalizer Bert"),
        (
            lambda whole: whole["model"].update(type="Unigram", unk_id=1, vocab=[]),
            "the steps BertNormalizer, BertPreTokenizer are not supported; expected Precompiled",
        ),
        (
            lambda whole: whole.update(normalizer=None),
            "the model WordPiece and the normalizer None; expected",
        ),
        (
            lambda whole: whole.update(model=None),
            "the model None and the normalizer BertNormalizer; expected",
        ),
        (
            lambda whole: whole["normalizer"].update(type="Sequence"),
            "the model WordPiece and the normalizer Sequence; expected",
        ),
        (
            lambda whole: whole["model"].update(continuing_subword_prefix="@@"),
            "the model's continuing_subword_prefix = '@@' is not supported; expected '##'",
        ),
        (
            lambda whole: whole["model"].update(max_input_chars_per_word=50),
            "the model's max_input_chars_per_word = 50 is not supported; expected 100",
        ),
        (
            lambda whole: whole["normalizer"].update(clean_text=False),
            "the normalizer's clean_text = False is not supported; expected True",
        ),
        (
            lambda whole: whole["pre_tokenizer"].update(type="Whitespace"),
            "the pre_tokenizer's type = 'Whitespace' is not supported; expected 'BertPreTokenizer'",
        ),
    ],
)
def test_other_vocabularies_are_refused(change, message, tmp_path):
    with pytest.raises(UserError) as error:
        zoo.from_pretrained(changed(tmp_path, change))
    assert message in str(error.value)


def test_line_ends_of_windows_are_no_part_of_pieces(tmp_path):
    before = zoo.from_pretrained(write(tmp_path))
    file = tmp_path / "vocab.txt"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    after = zoo.from_pretrained(tmp_path)
    assert after.tokenizer.vocabulary == before.tokenizer.vocabulary
    assert ids_of(after, TEXTS).tolist() == ids_of(before, TEXTS).tolist()
