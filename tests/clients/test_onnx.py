"""Converted to ONNX by tf2onnx, tokenizers and classifiers give the same in ONNX Runtime."""

import subprocess
import sys

import numpy as np
import onnxruntime
import pytest

import export
import zoo
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.text.programs.test_tokenizers import MADE
from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.preprocessing.byte_texts import as_bytes

TEXTS = [*CORPUS, *(text for text in HOSTILE if len(text) < 500)]
QUICK = {"bert", "gpt2"}  # the two with most operators


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.thorough if kind in QUICK else pytest.mark.long)
        for kind in MADE
    ],
)
def test_a_tokenizer(tmp_path, kind):
    tokenizer = MADE[kind]()
    export.saved_model(zoo.ExportableTokenizer(tokenizer), tmp_path / "saved")
    expected = tokenizer.tokenize(TEXTS).to_list()
    encode, decode = (converted(tmp_path, name) for name in ("serving_default", "decode"))

    found = encode(as_bytes({"text": TEXTS}))
    assert rows(found["token_ids"], found["counts"]) == expected
    back = decode({name: found[name] for name in ("token_ids", "counts")})
    texts = [bytes(row) for row in rows(back["text_bytes"], back["text_lengths"])]
    decoded = [tokenizer.detokenize(np.array([ids], np.int32)) for ids in expected]
    assert texts == [text.numpy()[0] for text in decoded]
    for text, ids in zip(TEXTS, expected, strict=True):
        alone = encode(as_bytes({"text": [text]}))
        assert rows(alone["token_ids"], alone["counts"]) == [ids], text


@pytest.mark.thorough
def test_a_classifier(tmp_path):
    subject = Subject(CASES["text_classifier"], tmp_path / "subject")
    texts, predictions = subject.case.texts, subject.predictions
    export.saved_model(subject.served, tmp_path / "saved", text="bytes")
    # An output has a name of its own in ONNX.
    names = ["--rename-inputs", "input_bytes,input_lengths"]
    classify = converted(tmp_path, "serving_default", *names)
    sizes = as_bytes({"text": texts})
    found = classify({f"input_{name.removeprefix('text_')}": x for name, x in sizes.items()})
    labels = [bytes(row).decode() for row in rows(found["text_bytes"], found["text_lengths"])]
    assert labels == predictions
    expected = subject.served.predict_proba(texts)
    np.testing.assert_allclose(found["scores"], expected, rtol=0, atol=1e-5)


def converted(folder, signature, *more):
    """What calls a signature in ONNX Runtime."""
    path = folder / f"{signature}.onnx"
    options = ["--saved-model", folder / "saved" / "1", "--signature_def", signature, *more]
    command = [sys.executable, "-m", "tf2onnx.convert", *options, "--output", path, "--opset", "18"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    session = onnxruntime.InferenceSession(path)
    names = [output.name for output in session.get_outputs()]

    def call(inputs):
        given = {name: np.asarray(x, np.int32) for name, x in inputs.items()}
        return dict(zip(names, session.run(names, given), strict=True))

    return call


def rows(values, counts):
    return [row[:count].tolist() for row, count in zip(values, counts, strict=True)]
