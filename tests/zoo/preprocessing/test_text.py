"""Texts to padded ids: by hand, in tf.data, in training, and what is counted on the way."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zoo.preprocessing.vocabularies import OF_BART, OF_GPT2, TEXTS, TOKENIZERS
from zoo.data.batching.token_columns import token_column
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.preprocessing.prompts import PromptPreprocessor
from zoo.preprocessing.text import TextPreprocessor
from zoo.preprocessing.text_probes import ODD_TEXTS
from zoo.text import train_tokenizer
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

SECONDS = ["two", "", "one one one two", "", "three", "é"]
every_vocabulary = pytest.mark.parametrize("name", TOKENIZERS)
every_form = pytest.mark.parametrize(
    ("start", "pairs"), [(False, False), (True, False), (False, True), (True, True)]
)


def test_the_vocabularies_are_what_they_are_called():
    assert TOKENIZERS["pad 1"].special_tokens == OF_BART
    assert TOKENIZERS["pad -1"].special_tokens == OF_GPT2


def inputs_of(texts, seconds, pairs):
    return {"text": texts, "second": seconds} if pairs else {"text": texts}


def by_hand(tokenizer, texts, seconds, max_length, start, pairs):
    """Each row without padding, written as one reads the description."""
    special = tokenizer.special_tokens
    rows = []
    for text, second in zip(texts, seconds, strict=True):
        ids = tokenizer.tokenize([text]).to_list()[0]
        if pairs:
            ids = [*ids, special.end, *tokenizer.tokenize([second]).to_list()[0]]
        before = [special.start] if start else []
        rows.append([*before, *ids[: max_length - 1 - start], special.end])
    return rows


def padded(rows, pad, width):
    return [[*row, *[pad] * (width - len(row))] for row in rows]


@pytest.mark.quick(2)
@every_vocabulary
@every_form
@pytest.mark.parametrize("max_length", [3, 7, 53])
def test_texts_end_with_the_end_token_and_are_padded(name, start, pairs, max_length):
    tokenizer = TOKENIZERS[name]
    preprocessor = TextPreprocessor(tokenizer, max_length, pairs, start)
    actual = preprocessor(**inputs_of(TEXTS, SECONDS, pairs))["token_ids"].numpy()
    rows = by_hand(tokenizer, TEXTS, SECONDS, max_length, start, pairs)
    assert actual.dtype == np.int32 and actual.shape[1] <= max_length
    assert actual.tolist() == padded(rows, tokenizer.special_tokens.pad, actual.shape[1])


texts = st.lists(st.text("one twthré", max_size=13), min_size=1, max_size=5)


@settings(max_examples=30, deadline=None)
@given(texts, st.sampled_from(sorted(TOKENIZERS)), st.integers(3, 11), st.booleans())
def test_any_texts(rows, name, max_length, start):
    tokenizer = TOKENIZERS[name]
    actual = TextPreprocessor(tokenizer, max_length, start=start)(text=rows)["token_ids"].numpy()
    expected = by_hand(tokenizer, rows, rows, max_length, start, False)
    assert actual.tolist() == padded(expected, tokenizer.special_tokens.pad, actual.shape[1])


@settings(max_examples=30, deadline=None)
@given(texts, st.sampled_from(sorted(TOKENIZERS)), st.integers(1, 11))
def test_prompts_keep_their_ends_and_are_never_empty(rows, name, max_length):
    tokenizer = TOKENIZERS[name]
    special = tokenizer.special_tokens
    actual = PromptPreprocessor(tokenizer, max_length)(text=rows)["token_ids"].numpy()
    whole = tokenizer.tokenize(rows).to_list()
    expected = [ids[-max_length:] or [special.end] for ids in whole]
    assert actual.dtype == np.int32
    assert actual.tolist() == padded(expected, special.pad, actual.shape[1])


KINDS = {
    "texts": lambda tokenizer: TextPreprocessor(tokenizer, 7),
    "pairs": lambda tokenizer: TextPreprocessor(tokenizer, 7, pairs=True, start=True),
    "prompts": lambda tokenizer: PromptPreprocessor(tokenizer, 5),
}


@pytest.mark.quick(2)
@every_vocabulary
@pytest.mark.parametrize("kind", KINDS)
def test_a_pipeline_serving_and_training_give_the_same_ids(name, kind):
    """In tf.data, in Python and as a column to train on; whatever the neighbours are."""
    preprocessor = KINDS[kind](TOKENIZERS[name])
    inputs = inputs_of(TEXTS, SECONDS, preprocessor.pairs)
    pad = preprocessor.tokenizer.special_tokens.pad
    served = preprocessor(**inputs)["token_ids"].numpy()
    np.testing.assert_array_equal(preprocessor.read(inputs)["token_ids"], served)
    data = tf.data.Dataset.from_tensor_slices(inputs).batch(2)
    spec = preprocessor.features["token_ids"].tensorflow
    row = 0
    for batch in data.map(lambda columns: preprocessor(**columns)["token_ids"]):
        assert spec.is_compatible_with(batch)
        for ids in batch.numpy():
            assert [i for i in ids if i != pad] == [i for i in served[row] if i != pad]
            row += 1
    assert row == len(TEXTS)
    column, _ = token_column(preprocessor, inputs)
    trained = column.batch(np.arange(len(TEXTS)), len(TEXTS), served.shape[1:])
    np.testing.assert_array_equal(trained, served)


@every_vocabulary
def test_what_is_counted(name):
    tokenizer = TOKENIZERS[name]
    lengths = [len(ids) for ids in tokenizer.tokenize(TEXTS).to_list()]
    _, actual = TextPreprocessor(tokenizer, 4, what="sources").measure({"text": TEXTS})
    assert actual["sources truncated to 4 tokens"] == sum(length > 3 for length in lengths)
    assert actual["texts without tokens"] == lengths.count(0)
    assert actual["unknown tokens"] == (1 if name in ("words", "characters") else 0)
    _, actual = PromptPreprocessor(tokenizer, 3).measure({"text": TEXTS})
    assert actual["prompts truncated to the last 3 tokens"] == sum(n > 3 for n in lengths)
    # The start and the end token count.
    exact = TextPreprocessor(tokenizer, max(lengths) + 2, start=True)
    assert exact.measure({"text": TEXTS})[1][exact.truncated] == 0
    shorter = TextPreprocessor(tokenizer, max(lengths) + 1, start=True)
    assert shorter.measure({"text": TEXTS})[1][shorter.truncated] == 1


def test_masks_that_are_truncated_are_counted():
    pieces = ["a", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[", "mask", "]"]
    preprocessor = TextPreprocessor(BertWordPieceTokenizer(pieces), 5, start=True)
    features, actual = preprocessor.measure({"text": ["a [MASK] a [MASK] [MASK]", "[MASK]"]})
    assert features["token_ids"].tolist() == [[3, 0, 5, 0, 4], [3, 5, 4, 1, 1]]
    assert describe(actual) == ["1 text truncated to 5 tokens", "2 masks truncated"]


def test_pairs_are_joined_by_the_end_token_and_have_two_segments():
    """As Devlin et al. 2019 give them to the model."""
    tokenizer = TOKENIZERS["words"]
    one, two = (tokenizer.tokenize([text]).to_list()[0] for text in ("one", "two"))
    actual = TextPreprocessor(tokenizer, 20, pairs=True)(text=["one"], second=["two"])
    assert actual["token_ids"].numpy().tolist() == [[*one, 3, *two, 3]]


@every_vocabulary
def test_ids_become_text_without_special_tokens(name):
    preprocessor = TextPreprocessor(TOKENIZERS[name], 53, start=name == "pad 1")
    ids = preprocessor(text=TEXTS[:4])["token_ids"]
    assert [text.decode() for text in preprocessor.detokenize(ids).numpy()] == TEXTS[:4]
    pieces = preprocessor.pieces(ids[1].numpy())
    special = TOKENIZERS[name].special_tokens
    assert pieces[-1] == TOKENIZERS[name].vocabulary[special.end]
    assert len(pieces) == (ids[1].numpy() != special.pad).sum()


def test_what_follows_a_prompt_keeps_its_space():
    tokenizer = TOKENIZERS["words"]
    ids = tokenizer.tokenize(["two"]).to_tensor()
    assert PromptPreprocessor(tokenizer, 5).detokenize(ids).numpy()[0] == b" two"
    assert TextPreprocessor(tokenizer, 5).detokenize(ids).numpy()[0] == b"two"


@pytest.mark.parametrize("pairs", [False, True])
def test_probes_are_examples_odd_texts_and_a_long_one(pairs):
    preprocessor = TextPreprocessor(TOKENIZERS["words"], 7, pairs)
    examples = {"text": ["one two"] * 9, "second": ["two"] * 9}
    for known in (examples, {}):
        many, one = preprocessor.probes(known)
        assert set(many) == set(one) == set(preprocessor.inputs)
        assert len(one["text"]) == 1 and set(ODD_TEXTS) <= set(many["text"])
        assert preprocessor.read({k: list(v) for k, v in many.items()})["token_ids"].shape[1] <= 7
    (_, actual) = preprocessor.measure(
        {k: list(v) for k, v in preprocessor.probes(examples)[0].items()}
    )
    assert actual[preprocessor.truncated] >= 1


def test_what_litert_cannot_do():
    with pytest.raises(UserError, match="LiteRT cannot join two texts: export a task for pairs"):
        TextPreprocessor(TOKENIZERS["words"], 5, pairs=True).check_litert()
    TextPreprocessor(TOKENIZERS["words"], 5).check_litert()
    with pytest.raises(UserError, match="LiteRT cannot split text into bytes"):
        PromptPreprocessor(train_tokenizer("bytes", [], 300), 5).check_litert()
