"""What of artifacts the contract has not: every decoder, rules, beams and attention in a file."""

import numpy as np
import pytest

import export
import zoo
from export.worker.artifact import load
from tests.zoo.tasks.small_task import LIMIT, make_pairs
from tests.zoo.tasks.stand_in import scramble
from zoo.demo.artifacts import ask_litert, ask_saved_model

pytestmark = pytest.mark.thorough

PAIRS = make_pairs()
TEXTS = [source for source, _ in PAIRS[:7]] + ["", "one five nine"]
# The contract exports `transformer`.
FAMILIES = {
    "attention_seq2seq": {"embedding_dim": 16, "units": 24},
    "rnn_seq2seq": {"embedding_dim": 16, "units": 24, "num_layers": 2},
    "conv_s2s": {"embedding_dim": 16, "layers": [[24, 3], [16, 2]], "output_dim": 16},
    "bart": {
        "hidden_dim": 16,
        "num_layers": 2,
        "num_heads": 2,
        "intermediate_dim": 24,
        "max_sequence_length": LIMIT,
    },
    "prefix_gpt": {"hidden_dim": 16, "num_layers": 2, "num_heads": 2, "intermediate_dim": 24},
}
TRANSFORMER = {"hidden_dim": 16, "num_layers": 2, "num_heads": 2, "intermediate_dim": 24}
RULES = {"no_repeat_ngram": 1, "min_new_tokens": 3, "bad_words": ["5"], "max_new_tokens": 4}


def made(family, **sizes):
    options = {"dropout": 0.0, "vocabulary_size": 60, "max_source_length": LIMIT}
    task = zoo.TextToText(family, "tiny", max_target_length=5, **options, **sizes)
    task.adapt(PAIRS)
    scramble(task.model, scale=0.5)
    assert len(set(task.predict(TEXTS))) > 1
    return task


@pytest.fixture(scope="module", params=FAMILIES)
def task(request):
    return made(request.param, **FAMILIES[request.param])


@pytest.mark.long
def test_a_litert_file_writes_what_the_task_writes(task, tmp_path):
    """A SavedModel is traced and checked before it becomes one: what runs here runs there."""
    rules = RULES if task.settings.model == "bart" else {}
    if rules:
        assert task.predict(TEXTS, **rules) != task.predict(TEXTS)
    export.litert(task, tmp_path / "model.tflite", text="strings", **rules)
    assert ask_litert(tmp_path / "model.tflite", TEXTS) == task.predict(TEXTS, **rules)
    check_scores(task, load(tmp_path / "model.tflite", strings=True))


def check_scores(task, artifact):
    """An artifact scores targets as the model does; here each is that of the text after it."""
    ids = task.preprocessor(text=TEXTS)["token_ids"].numpy()
    features = {"source_ids": ids, "target_ids": np.roll(ids, 1, axis=0)[:, :5]}
    expected, actual = task.program("score")(features), artifact.run("score", features)
    log_p = actual["log_probabilities"]
    np.testing.assert_allclose(log_p, expected["log_probabilities"], rtol=1e-4, atol=1e-5)
    assert ((log_p < 0) == (features["target_ids"] != task.special_tokens.pad)).all()


def test_attention_is_one_map_a_layer_that_attends(task):
    assert len(task.attention(TEXTS[0])) == (
        {"attention_seq2seq": 1, "rnn_seq2seq": 0}.get(task.settings.model, 2)
    )


@pytest.fixture(scope="module")
def transformer():
    return made("transformer", **TRANSFORMER)


@pytest.mark.long
def test_a_file_of_half_precision_searches_with_beams(transformer, tmp_path):
    task, path = transformer, tmp_path / "model.tflite"
    report = export.litert(task, path, quantize="float16", beams=3)
    assert [row["file"] for row in report.files] == ["float32", "float16"]
    assert all(row["size_mb"] > 0 and row["latency_ms"] > 0 for row in report.files)
    artifact = load(path)
    assert set(artifact.signatures) == {"serving_default", "attention", "score"}
    ids = task.preprocessor(text=TEXTS)["token_ids"].numpy()
    actual = artifact.run("serving_default", {"token_ids": ids})
    assert actual["beam_ids"].shape == (len(TEXTS), 3, task.max_new_tokens)
    np.testing.assert_array_equal(actual["beam_ids"][:, 0], actual["token_ids"])
    assert (np.diff(actual["beam_scores"], axis=1) <= 0).all()
    wanted = task.generate_ids(ids, beams=3)
    # Half precision may turn a near tie.
    assert (actual["token_ids"] == wanted).all(axis=1).mean() > 0.8
    check_attention(task, artifact, ids, atol=1e-2)


def check_attention(task, artifact, ids, atol):
    """The maps that an artifact gives are those of the model, given what it wrote."""
    actual = artifact.run("attention", {"token_ids": ids})
    written = actual.pop("token_ids")
    special = task.special_tokens
    read = np.pad(written[:, :-1], ((0, 0), (1, 0)), constant_values=special.first_read)
    inputs = {"source_ids": ids, "target_ids": read}
    inputs |= {"source_mask": ids != special.pad, "target_mask": read != special.pad}
    expected = task.model.attention_maps(inputs)
    assert set(actual) == {
        f"{part}_{i}" for part in ("encoder", "decoder", "cross") for i in (0, 1)
    }
    for part, layers in expected.items():
        shown = (ids if part == "encoder" else written) != special.pad
        for layer, weights in enumerate(layers):
            name = f"{part}_{layer}"
            rows = shown[:, None, :, None] * weights.numpy()
            np.testing.assert_allclose(actual[name], rows, atol=atol, err_msg=name)


@pytest.mark.long
def test_a_saved_model_searches_with_beams_and_rules(transformer, tmp_path):
    task = transformer
    rules = {**RULES, "no_repeat_ngram": 2, "beams": 3, "length_penalty": 0.7}
    export.saved_model(task, tmp_path / "served", **rules)
    assert ask_saved_model(tmp_path / "served" / "1", TEXTS) == task.predict(TEXTS, **rules)
    artifact = load(tmp_path / "served" / "1", strings=True)
    ids = task.preprocessor(text=TEXTS)["token_ids"].numpy()
    actual = artifact.run("tokens", {"token_ids": ids})
    written = artifact.run("serving_default", {"text": np.array(TEXTS, object)})
    assert written["beam_texts"].shape == written["beam_scores"].shape == (len(TEXTS), 3)
    np.testing.assert_array_equal(written["beam_texts"][:, 0], written["text"])
    np.testing.assert_array_equal(written["beam_scores"][:, 0], written["score"])
    np.testing.assert_array_equal(written["beam_scores"], actual["beam_scores"])
    for row, candidates in enumerate(task.candidates(TEXTS, **rules)):
        scores = [each.score for each in candidates]
        np.testing.assert_allclose(actual["beam_scores"][row], scores, rtol=1e-3, atol=1e-4)
        texts = task.preprocessor.detokenize(actual["beam_ids"][row]).numpy()
        assert [text.decode() for text in texts] == [each.text for each in candidates]
        assert written["beam_texts"][row].tolist() == texts.tolist()
    check_attention(task, artifact, ids, atol=1e-4)
    check_scores(task, artifact)
