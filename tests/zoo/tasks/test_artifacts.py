"""From text to text in a file: each family that the demo and the README do not export."""

import pytest

import export
import zoo
from tests.zoo.tasks.small_task import LIMIT, fit, make_pairs
from zoo.demo.artifacts import ask_litert

pytestmark = pytest.mark.thorough

PAIRS = make_pairs()
TEXTS = [source for source, _ in PAIRS[:7]] + ["", "one five nine"]
FAMILIES = {
    "rnn_seq2seq": {"width": 16, "units": 24, "num_layers": 2},
    "conv_s2s": {"width": 16, "layers": [[24, 3], [16, 2]], "output_width": 16},
    "bart": {"width": 16, "num_layers": 2, "num_heads": 2, "hidden_width": 24, "max_length": LIMIT},
    "prefix_gpt": {"width": 16, "num_layers": 2, "num_heads": 2, "hidden_width": 24},
}


@pytest.fixture(scope="module", params=FAMILIES)
def task(request):
    options = {"dropout": 0.0, "vocabulary_size": 60, "max_source_length": LIMIT}
    task = zoo.TextToText(
        request.param, "tiny", max_target_length=5, **options, **FAMILIES[request.param]
    )
    task.adapt(PAIRS)
    history = fit(task, 6)
    assert history.history["loss"][-1] < 0.8 * history.history["loss"][0]
    assert len(set(task.predict(TEXTS))) > 1
    return task


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
