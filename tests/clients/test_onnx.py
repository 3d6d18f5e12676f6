"""Tokenizers in ONNX Runtime alone: the ids and texts of the live tokenizer."""

import numpy as np
import onnxruntime
import pytest

import export
import zoo
from tests.zoo.text.programs.test_tokenizers import MADE
from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.preprocessing.byte_texts import as_bytes

TEXTS = [*CORPUS, *(text for text in HOSTILE if len(text) < 500)]
QUICK = {"bert"}  # the one with most operators


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.thorough if kind in QUICK else pytest.mark.long)
        for kind in MADE
    ],
)
def test_a_tokenizer(tmp_path, kind):
    tokenizer = MADE[kind]()
    export.onnx(zoo.ExportableTokenizer(tokenizer), tmp_path / "tokenizer")
    expected = tokenizer.tokenize(TEXTS).to_list()
    encode, decode = (
        loaded(tmp_path / "tokenizer" / f"{name}.onnx") for name in ("serving_default", "decode")
    )

    actual = encode(as_bytes({"text": TEXTS}))
    assert rows(actual["token_ids"], actual["counts"]) == expected
    back = decode({name: actual[name] for name in ("token_ids", "counts")})
    texts = [bytes(row) for row in rows(back["text_bytes"], back["text_lengths"])]
    decoded = [tokenizer.detokenize(np.array([ids], np.int32)) for ids in expected]
    assert texts == [text.numpy()[0] for text in decoded]
    for text, ids in zip(TEXTS, expected, strict=True):
        alone = encode(as_bytes({"text": [text]}))
        assert rows(alone["token_ids"], alone["counts"]) == [ids], text


def loaded(path):
    """What calls a file."""
    session = onnxruntime.InferenceSession(path)
    names = [output.name for output in session.get_outputs()]

    def call(inputs):
        given = {name: np.asarray(x, np.int32) for name, x in inputs.items()}
        return dict(zip(names, session.run(names, given), strict=True))

    return call


def rows(values, counts):
    return [row[:count].tolist() for row, count in zip(values, counts, strict=True)]
