"""What every kind of tokenizer promises, in TensorFlow."""

import functools
import json
import re
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.errors import UserError
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.special_tokens import SPECIALS
from zoo.text.tokenizers import TRAINABLE

LEARNED = [kind for kind in TRAINABLE if kind != "bytes"]  # bytes have a file of their own
ALPHABET = sorted(set("".join(CORPUS)) - set(" \t\n"))
kinds = pytest.mark.parametrize("kind", LEARNED)
# Words and byte-level BPE have files of their own, too: the former restore no unknown words, the
# latter every byte.
restoring = pytest.mark.parametrize(
    "kind", [kind for kind in LEARNED if kind not in ("words", "cased-words", "byte-bpe")]
)


@functools.cache
def trained(kind):
    return train_tokenizer(kind, CORPUS, 113)


def round_trip(tokenizer, texts):
    return [text.decode() for text in tokenizer.detokenize(tokenizer.tokenize(texts)).numpy()]


def one_space(text):
    return re.sub("[\t-\r ]+", " ", text).strip(" ")


@pytest.mark.thorough
@restoring
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text([*ALPHABET, " ", " ", "\t", "\n", "\r"]), min_size=1, max_size=7))
def test_text_over_the_alphabet_comes_back(kind, texts):
    ids = trained(kind).tokenize(texts)
    assert round_trip(trained(kind), texts) == [one_space(text) for text in texts]
    assert not np.any(ids.flat_values.numpy() == 1)


@pytest.mark.thorough
@kinds
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=5))
def test_no_text_crashes_or_gives_a_special_other_than_unknown(kind, texts):
    tokenizer = trained(kind)
    ids = tokenizer.tokenize(texts).flat_values.numpy()
    assert np.all((ids == 1) | (ids > 3)) and np.all(ids < tokenizer.vocabulary_size)
    assert len(round_trip(tokenizer, texts)) == len(texts)


@restoring
def test_hostile_texts(kind):
    tokenizer = trained(kind)
    ids = tokenizer.tokenize(HOSTILE)
    assert ids.dtype == tf.int32
    assert ids[0].shape[0] == ids[1].shape[0] == 0
    assert round_trip(tokenizer, ["  A   man \n in\ta hat "]) == ["A man in a hat"]
    assert not set(ids.flat_values.numpy()) & {0, 2, 3}


@pytest.mark.parametrize("kind", [kind for kind in LEARNED if kind != "byte-bpe"])
def test_invalid_utf8_is_unknown(kind):
    ids = trained(kind).tokenize(tf.constant([b"\xff", b"a\xed\xa0\x80 dog", b"\xf0\x9f"]))
    assert all(1 in row for row in ids.to_list())


@kinds
def test_a_text_does_not_depend_on_its_neighbours(kind):
    tokenizer = trained(kind)
    together = tokenizer.tokenize(CORPUS + HOSTILE).to_list()
    assert together == [tokenizer.tokenize([text]).to_list()[0] for text in CORPUS + HOSTILE]


@pytest.mark.thorough
@kinds
def test_in_tf_data_and_in_a_saved_model(kind, tmp_path):
    tokenizer = trained(kind)
    expected = tokenizer.tokenize(CORPUS + HOSTILE)
    data = tf.data.Dataset.from_tensor_slices(CORPUS + HOSTILE).batch(4).map(tokenizer.tokenize)
    assert [row for batch in data for row in batch.to_list()] == expected.to_list()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def there_and_back(texts):
        ids = tokenizer.tokenize(texts).to_tensor()
        return {"ids": ids, "texts": tokenizer.detokenize(ids)}

    module = tf.Module()
    module.there_and_back = there_and_back
    tf.saved_model.save(module, str(tmp_path))
    result = tf.saved_model.load(str(tmp_path)).there_and_back(CORPUS + HOSTILE)
    np.testing.assert_array_equal(result["ids"], expected.to_tensor())
    np.testing.assert_array_equal(result["texts"], tokenizer.detokenize(expected))


@kinds
def test_no_texts_at_all(kind):
    tokenizer = trained(kind)
    ids = tokenizer.tokenize([])
    assert ids.to_list() == []
    assert tokenizer.detokenize(ids.to_tensor()).shape == (0,)


@kinds
def test_specials_are_silent_wherever_they_stand(kind):
    tokenizer = trained(kind)
    ids = tokenizer.tokenize(["a red hat"]).to_list()[0]
    rows = [[2, *ids, 3, 0], [1, 2, *ids, 0], [*ids, 3, 0, 0], [0, 0, 0, *ids]]
    assert set(tokenizer.detokenize(np.array(rows)).numpy()) == {b"a red hat"}


@restoring
def test_a_large_batch_of_long_rows(kind):
    tokenizer = trained(kind)
    texts = ["the dog with a mannhundstehenweithaushutehouse " * 7] * 211
    assert set(round_trip(tokenizer, texts)) == {texts[0].strip()}


@restoring
def test_a_word_of_4096_bytes_is_split(kind):
    assert round_trip(trained(kind), ["dog" * 1365]) == ["dog" * 1365]


@kinds
def test_save_and_load(kind, tmp_path):
    tokenizer = trained(kind)
    tokenizer.save(tmp_path / "tokenizer")
    loaded = load_tokenizer(tmp_path / "tokenizer")
    assert type(loaded) is type(tokenizer)
    assert loaded.facts() == tokenizer.facts()
    texts = CORPUS + HOSTILE
    assert loaded.tokenize(texts).to_list() == tokenizer.tokenize(texts).to_list()


@pytest.mark.long
def test_training_is_deterministic_across_processes():
    code = (
        "import json, sys; from zoo.text import train_tokenizer;"
        "from zoo.text.tokenizers import TRAINABLE;"
        "texts = json.loads(sys.argv[1]);"
        "print(json.dumps({kind: train_tokenizer(kind, texts, 113).facts() for kind in TRAINABLE}))"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, json.dumps(CORPUS)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    learned = json.loads(result.stdout.splitlines()[-1])
    assert learned.pop("bytes")
    assert learned == {kind: trained(kind).facts() for kind in LEARNED}


@restoring
def test_vocabulary(kind):
    vocabulary = trained(kind).vocabulary
    assert tuple(vocabulary[:4]) == SPECIALS
    assert len(set(vocabulary)) == len(vocabulary) == trained(kind).vocabulary_size


@kinds
def test_texts_are_read_once_and_may_hold_nothing_but_some(kind):
    texts = iter(["", "  \n", *CORPUS])
    assert train_tokenizer(kind, texts, 113).facts() == trained(kind).facts()


@kinds
@pytest.mark.parametrize("texts", [[], ["", " \t"]])
def test_nothing_to_learn_from(kind, texts):
    with pytest.raises(UserError):
        train_tokenizer(kind, texts, 113)


@kinds
def test_training_texts_with_control_characters(kind):
    tokenizer = train_tokenizer(
        kind, [*CORPUS, "nul\x00byte \x00", "a\x1cb \x7f", "\ufeffman", "▁"], 131
    )
    assert round_trip(tokenizer, ["a red hat"]) == ["a red hat"]


def test_unknown_kind_and_senseless_size():
    with pytest.raises(
        UserError, match="'letters'.*sentencepiece, characters, byte-bpe, bytes, words"
    ):
        train_tokenizer("letters", CORPUS, 113)
    with pytest.raises(UserError, match="at least 5, got 4"):
        train_tokenizer("wordpiece", CORPUS, 4)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"kind": "letters"}', '{"kind": "wordpiece", "vocabulary": ["a"]}']
)
def test_a_broken_file_is_named(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(UserError, match="tokenizer.json"):
        load_tokenizer(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="tokenizer.json does not exist"):
        load_tokenizer(tmp_path)


def test_the_litert_join_refuses_to_run_in_tensorflow():
    with pytest.raises(ValueError, match="traced"):
        trained("wordpiece").detokenize_for_litert(tf.constant([[4, 5]]))
