"""A variant of each Transformer model in every format, with the model's own answers."""

import pytest

import export
import zoo
from tests.zoo.tasks import test_text_classifier as classifier
from tests.zoo.tasks.small_task import LIMIT, make_pairs
from tests.zoo.tasks.small_task import fit as fit_pairs
from tests.zoo.tasks.test_causal_lm import TEXT
from tests.zoo.tasks.test_causal_lm import fit as fit_text

SIZES = {
    "num_layers": 1,
    "hidden_dim": 32,
    "num_heads": 2,
    "intermediate_dim": 48,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
VARIANTS = {
    "gpt": {"aggregate": "mean", "score": "general", "position": "shaw", "max_distance": 4},
    "bert": {"tie_key_value": True, "score": "cosine", "position": "rotary"},
    "transformer": {
        "aggregate": "concat",
        "normalizer": "entmax15",
        "position": "none",
        "tie_embeddings": False,
        "use_bias": True,
    },
    "bart": {"score": "additive", "position": "alibi", "use_bias": False, "head_diversity": 0.1},
    "prefix_gpt": {"tie_key_value": True, "normalizer": "sigmoid", "position": "sinusoidal"},
}


def trained(name):
    options = {**SIZES, **VARIANTS[name]}
    if name == "bert":
        return classifier.make_task("bert", **options)
    if name == "gpt":
        task = zoo.CausalLM(name, "tiny", max_length=29, max_new_tokens=5, **options)
        task.adapt([TEXT])
        fit_text(task, 6)
        return task
    lengths = {"vocabulary_size": 60, "max_source_length": LIMIT, "max_target_length": 5}
    task = zoo.TextToText(name, "tiny", **lengths, **options)
    task.adapt(make_pairs())
    fit_pairs(task, 12)
    return task


@pytest.fixture(scope="module", params=VARIANTS)
def task(request):
    return trained(request.param)


FORMATS = {
    "LiteRT": lambda task, folder: export.litert(task, folder / "model.tflite"),
    "int8": lambda task, folder: export.litert(task, folder / "int8.tflite", quantize="int8"),
    "SavedModel": lambda task, folder: export.saved_model(task, folder / "saved_model"),
    "ONNX": lambda task, folder: export.onnx(task, folder / "onnx"),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", FORMATS)
def test_its_artifacts_are_verified(task, kind, tmp_path):
    assert FORMATS[kind](task, tmp_path).passed
