"""Checkpoints that find answers give what their weights say, and are written as they were read."""

import json

import numpy as np
import pytest
from keras import ops
from safetensors.numpy import load_file, save_file

import zoo
from tests.zoo.pretrained.features import inputs_of
from tests.zoo.pretrained.tiny_bert import WIDTH, drawn, write
from tests.zoo.test_cli import run

ARCHITECTURE = "BertForQuestionAnswering"
SIZES = {"max_length": 15, "max_question_length": 5, "stride": 5, "max_answer_length": 4}
PAIRS = [("A man?", "a red hat, über dogs! 你b in a red man."), ("Dog runs", "hat")]


def softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def oracle(task, question, passage):
    """The best span over all windows, from hidden states and weights in float64."""
    kernel, bias = drawn("qa_outputs.weight", (2, WIDTH)), drawn("qa_outputs.bias", (2,))
    windows = np.asarray(task.preprocessor(question=[question], passage=[passage])["token_ids"])[0]
    features, _ = task.preprocessor.measure({"question": [question], "passage": [passage]})
    best, nothing = (0.0, "", 0, 0), 1.0
    for number, ids in enumerate(windows):
        ids = ids[ids != 0]
        hidden = task.model.backbone(inputs_of(task, ids[None]))["sequence"]
        logits = ops.convert_to_numpy(hidden)[0].astype("float64") @ kernel.T + bias
        ends = np.flatnonzero(ids == task.special_tokens.end)
        inside = [*range(ends[0] + 1, ends[1])]
        first, last = (
            dict(zip([0, *inside], softmax(x[[0, *inside]]), strict=True)) for x in logits.T
        )
        nothing = min(nothing, first[0] * last[0])
        for i in inside:
            for j in inside:
                if i <= j < i + SIZES["max_answer_length"] and first[i] * last[j] > best[0]:
                    begin = features["word_begins"][0, number, i]
                    end = features["word_ends"][0, number, j]
                    text = passage.encode()[begin:end].decode()
                    start = len(passage.encode()[:begin].decode())
                    best = (first[i] * last[j], text, start, start + len(text))
    return best, nothing


@pytest.mark.parametrize("no_answer", [False, True])
def test_answers_are_those_of_the_weights(no_answer, tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "x", ARCHITECTURE), no_answer=no_answer, **SIZES)
    assert task.name == "question-answering"
    for pair, found in zip(PAIRS, task.predict(PAIRS), strict=True):
        (score, text, start, end), nothing = oracle(task, *pair)
        if no_answer and nothing > score:
            assert found == {
                "text": "",
                "score": pytest.approx(nothing, abs=1e-5),
                "start": 0,
                "end": 0,
            }
        else:
            assert found["text"] == text and (found["start"], found["end"]) == (start, end)
            assert found["score"] == pytest.approx(score, abs=1e-5)


def test_written_checkpoints_have_the_same_tensors(tmp_path):
    read = write(tmp_path / "read", ARCHITECTURE)
    task = zoo.from_pretrained(read, **SIZES)
    written = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((written / "config.json").read_text())
    assert config["architectures"] == [ARCHITECTURE]
    before, after = (load_file(each / "model.safetensors") for each in (read, written))
    assert before.keys() == after.keys() and "qa_outputs.weight" in after
    for name, array in before.items():
        kept = array[: SIZES["max_length"]] if "position" in name else array
        np.testing.assert_array_equal(after[name], kept, err_msg=name)
    assert zoo.from_pretrained(written, **SIZES).predict(PAIRS) == task.predict(PAIRS)


def test_an_encoder_gets_a_new_head(tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "x"), "question-answering", **SIZES)
    task.adapt([("A man?", "a red hat", "red")])
    assert task.model.output["logits"].shape == (None, None, 2)
    word = task.model.backbone.embedding.weights[0]
    np.testing.assert_array_equal(word, drawn("embeddings.word_embeddings.weight", word.shape))


def test_an_import_says_whether_there_may_be_no_answer(tmp_path):
    checkpoint = write(tmp_path / "x", ARCHITECTURE, max_position_embeddings=256)
    tensors = load_file(checkpoint / "model.safetensors")
    positions = "bert.embeddings.position_embeddings.weight"
    tensors[positions] = np.resize(tensors[positions], (256, WIDTH))
    save_file(tensors, checkpoint / "model.safetensors")
    for name, options in (("always", []), ("none", ["--no-answer"])):
        made = run("import", checkpoint, *options, "--out", tmp_path / name)
        assert made.exit_code == 0, made.output
        assert bool(zoo.load(tmp_path / name).settings.no_answer) is (name == "none")


def test_only_question_answering_may_have_no_answer(tmp_path):
    refused = run("import", write(tmp_path / "x"), "--no-answer", "--out", tmp_path / "run")
    assert refused.exit_code == 2 and "no_answer" in refused.stderr
    assert not (tmp_path / "run").exists()
