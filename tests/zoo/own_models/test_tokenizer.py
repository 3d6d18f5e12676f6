"""A tokenizer alone in a file."""

import numpy as np
import pytest

import export
import zoo
from export.worker import artifact
from tests.export.tensors import dynamic_tensors
from tests.zoo.text.programs.batches import as_bytes, as_rows, as_texts
from tests.zoo.text.texts import CORPUS
from zoo.errors import UserError
from zoo.text import train_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer("wordpiece", CORPUS, 113)


@pytest.mark.thorough
@pytest.mark.parametrize("sizes", [{}, {"length": 61, "text_size": 97}])
def test_texts_become_ids_and_texts_again(tokenizer, sizes, tmp_path):
    path = tmp_path / "tokenizer.tflite"
    assert export.litert(zoo.ExportableTokenizer(tokenizer, CORPUS), path, **sizes).passed
    assert bool(dynamic_tensors(path.read_bytes())) != bool(sizes)
    run = artifact.load(path).run
    for text in CORPUS[:5]:
        actual, lengths = as_bytes([text])
        size, room = sizes.get("text_size", len(actual[0])), sizes.get("length", 61)
        actual = np.pad(actual, [(0, 0), (0, size - len(actual[0]))])
        encoded = run("serving_default", {"text_bytes": actual, "text_lengths": lengths})
        rows = as_rows(encoded["token_ids"], encoded["counts"])
        assert rows == tokenizer.tokenize([text]).to_list()
        ids = np.pad(encoded["token_ids"], [(0, 0), (0, room)])[:, :room]
        written = run("decode", {"token_ids": ids, "counts": encoded["counts"]})
        expected = tokenizer.detokenize(rows).numpy().tolist()
        assert as_texts(written["text_bytes"], written["text_lengths"]) == expected


def test_it_has_no_metric(tokenizer):
    with pytest.raises(UserError, match="a tokenizer has no metric"):
        zoo.ExportableTokenizer(tokenizer).evaluate_artifact(None, "test.tsv")
