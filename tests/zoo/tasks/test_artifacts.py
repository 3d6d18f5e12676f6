"""From text to text in a file: each family that the demo and the README do not export.

And of the two that they do, what they do not ask of them: ids alone, half precision, beams.
"""

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from zoo.tasks.serving import maps_of

import export
import zoo
from tests.zoo.tasks.small_task import LIMIT, fit, make_pairs
from zoo.demo.artifacts import ask_litert

pytestmark = pytest.mark.thorough

PAIRS = make_pairs()
TEXTS = [source for source, _ in PAIRS[:7]] + ["", "one five nine"]
FAMILIES = {
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
SHOWN = {
    "transformer": {"hidden_dim": 16, "num_layers": 2, "num_heads": 2, "intermediate_dim": 24},
    "attention_seq2seq": {"embedding_dim": 16, "units": 24},
}


def trained(family):
    options = {"dropout": 0.0, "vocabulary_size": 60, "max_source_length": LIMIT}
    sizes = (FAMILIES | SHOWN)[family]
    task = zoo.TextToText(family, "tiny", max_target_length=5, **options, **sizes)
    task.adapt(PAIRS)
    history = fit(task, 6)
    first, *_, last = history.history["loss"]
    assert last < max(0.8 * first, 0.4)
    assert len(set(task.predict(TEXTS))) > 1
    return task


@pytest.fixture(scope="module", params=FAMILIES)
def task(request):
    return trained(request.param)


def test_a_litert_file_writes_what_the_task_writes(task, tmp_path):
    """A SavedModel is traced and checked before it becomes one: what runs here runs there."""
    rules: dict = {}
    if task.settings["model"] == "bart":
        rules = {"no_repeat_ngram": 1, "min_new_tokens": 3, "bad_words": ["5"]}
        assert task.predict(TEXTS, **rules) != task.predict(TEXTS)
    export.litert(task, tmp_path / "model.tflite", strings=True, **rules)
    assert ask_litert(tmp_path / "model.tflite", TEXTS) == task.predict(TEXTS, **rules)


def test_attention_is_one_map_a_layer_that_attends(task):
    maps = task.attention(TEXTS[0])
    assert len(maps) == (2 if task.model.attends else 0)


@pytest.mark.parametrize("family", SHOWN)
def test_a_litert_file_of_ids_searches_with_beams_and_shows_where_it_looked(family, tmp_path):
    task, path = trained(family), tmp_path / "model.tflite"
    report = export.litert(task, path, quantize="float16", beams=3)
    assert [row["file"] for row in report.files] == ["float32", "float16"]
    assert all(row["size_mb"] > 0 and row["latency_ms"] > 0 for row in report.files)
    file = Interpreter(str(path))
    assert set(file.get_signature_list()) == {"serving_default", "attention"}
    ids = task.codec.encode(TEXTS).numpy()
    found = file.get_signature_runner("serving_default")(token_ids=ids)
    assert found["beam_ids"].shape == (len(TEXTS), 3, task.max_new_tokens)
    np.testing.assert_array_equal(found["beam_ids"][:, 0], found["token_ids"])
    assert (np.diff(found["beam_scores"], axis=1) <= 0).all()
    wanted = task.generate_ids(ids, beams=3)
    # Half precision may turn a near tie.
    assert (found["token_ids"][:, : wanted.shape[1]] == wanted).all(axis=1).mean() > 0.8
    row = file.get_signature_runner("attention")(token_ids=ids[:1])
    expected = maps_of(task.model, ids[:1], row["token_ids"], task.tokenizer.special_tokens)
    assert len(expected) == len(row) - 1 > 0
    for name, weights in expected.items():
        np.testing.assert_allclose(row[name], weights, atol=5e-3, err_msg=name)
