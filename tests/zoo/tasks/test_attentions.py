"""A model of each attention: trained, generated from, exported and verified."""

import numpy as np
import pytest

import export
import zoo
from tests.zoo.models.families import run
from tests.zoo.models.test_transformer_options import of_attention
from tests.zoo.tasks.small_task import LIMIT, make_pairs
from tests.zoo.tasks.small_task import fit as fit_pairs
from tests.zoo.tasks.test_causal_lm import TEXT, fit, ids_of
from zoo.models.transformer_options import ATTENTIONS

OPTIONS = {
    "num_layers": 2,
    "hidden_dim": 32,
    "num_heads": 2,
    "intermediate_dim": 48,
    "dropout": 0.0,
    "activation": "swiglu",
    "normalization": "rms",
}
PAIRS = make_pairs()
PROMPTS = ["the cat sat on", "the horse sat on the m", "the"]


@pytest.fixture(scope="module", params=ATTENTIONS)
def trained(request):
    settings = {"max_length": 29, "max_new_tokens": 9}
    task = zoo.CausalLM("gpt", "tiny", **settings, **OPTIONS, **of_attention(request.param))
    task.adapt([TEXT])
    return task, fit(task, 6).history["loss"]


def continued(task, text, count):
    """The most likely continuation, with the whole text computed anew for each token."""
    ids = [i for i in ids_of(task, text)[0].tolist() if i != task.special_tokens.pad]
    start = len(ids)
    for _ in range(count):
        row = np.array([ids], "int32")
        logits = run(task.model, {"token_ids": row, "padding_mask": np.ones(row.shape, bool)})
        logits[0, -1, list(task.special_tokens.suppressed)] = -np.inf
        ids.append(int(logits[0, -1].argmax()))
    return ids[start:]


@pytest.mark.thorough
def test_it_learns_and_generates_what_uncached_decoding_does(trained):
    task, losses = trained
    assert losses[-1] < 0.4 * losses[0]
    actual = task.generate_ids(np.asarray(ids_of(task, PROMPTS[0])), 7)
    assert np.asarray(actual)[0].tolist()[:7] == continued(task, PROMPTS[0], 7)


@pytest.mark.thorough(1)
def test_its_artifacts_are_verified(trained, tmp_path):
    task, _ = trained
    assert export.litert(task, tmp_path / "model.tflite").passed
    assert export.litert(task, tmp_path / "int8.tflite", quantize="int8").passed
    assert export.saved_model(task, tmp_path / "saved_model").passed


TRANSFORMER = {"hidden_dim": 16, "num_layers": 2, "num_heads": 2, "intermediate_dim": 24}
RECURRENT = {"embedding_dim": 16, "units": 24}
WRITERS = {
    "bart-local": ("bart", {**TRANSFORMER, "attention": "local", "window": 3}),
    "bart-linear": ("bart", {**TRANSFORMER, "attention": "linear", "normalization": "rms"}),
    "bart-random_feature": ("bart", {**TRANSFORMER, "attention": "random_feature"}),
    "prefix_gpt-rms": ("prefix_gpt", {**TRANSFORMER, "normalization": "rms"}),
    "attention_seq2seq-multi_head": (
        "attention_seq2seq",
        {**RECURRENT, "attention": "multi_head", "normalizer": "entmax15"},
    ),
    "attention_seq2seq-linear": ("attention_seq2seq", {**RECURRENT, "attention": "linear"}),
    "attention_seq2seq-copy": ("attention_seq2seq", {**RECURRENT, "copy": True}),
    "attention_seq2seq-random_feature": (
        "attention_seq2seq",
        {**RECURRENT, "attention": "random_feature", "order": "luong"},
    ),
}


@pytest.fixture(scope="module", params=WRITERS)
def writer(request):
    name, sizes = WRITERS[request.param]
    options = {"dropout": 0.0, "vocabulary_size": 60, "max_source_length": LIMIT}
    task = zoo.TextToText(name, "tiny", max_target_length=9, **options, **sizes)
    task.adapt(PAIRS)
    return task, fit_pairs(task, 12, learning_rate=0.01).history["loss"]


@pytest.mark.thorough(4)
def test_a_writer_learns(writer):
    _, losses = writer
    assert losses[-1] < 0.7 * losses[0]


@pytest.mark.long
def test_the_artifacts_of_a_writer_are_verified(writer, tmp_path):
    task, _ = writer
    assert export.litert(task, tmp_path / "model.tflite").passed
    assert export.litert(task, tmp_path / "int8.tflite", quantize="int8").passed
    assert export.saved_model(task, tmp_path / "saved_model").passed
