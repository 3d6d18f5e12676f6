"""The batches and the rate of a training that is not told, by the size of its data and model."""

import pytest

import zoo

SMALL = {"num_layers": 1, "num_heads": 2, "intermediate_dim": 16, "dropout": 0.0}


@pytest.fixture(scope="module")
def continued():
    task = zoo.CausalLM("gpt", "tiny", max_length=10, **SMALL)
    task.adapt(["some text."])
    return task


@pytest.mark.parametrize(("tokens", "size"), [(50, 8), (10_260, 16), (20_500, 32), (99_999, 32)])
def test_a_small_text_is_read_in_small_batches(continued, tokens, size):
    examples = continued.read(["a" * tokens])
    assert continued.batches(examples, continued.Training()).batch_size == size
    assert continued.batches(examples, continued.Training(batch_size=5)).batch_size == 5


@pytest.mark.parametrize(("pairs", "tokens"), [(40, 512), (900, 512), (3000, 2048), (9999, 4096)])
def test_few_pairs_are_read_in_small_batches(pairs, tokens):
    texts = [("a b c d e f g " * 10, "b c d") for _ in range(pairs)]
    task = zoo.TextToText(
        "transformer", "tiny", tokenizer="characters", hidden_dim=8, **SMALL, max_source_length=70
    )
    task.adapt(texts[:9])
    examples = task.read(texts)
    (bucket,) = task.batches(examples, task.Training()).buckets
    (given,) = task.batches(examples, task.Training(batch_tokens=tokens)).buckets
    assert bucket.batch_size == given.batch_size
    assert bucket.batch_size <= tokens // 70


@pytest.mark.parametrize(("width", "rate"), [(8, 3e-3), (128, 3e-3), (200, 2e-3), (800, 5e-4)])
def test_wide_language_models_learn_at_a_lower_rate(width, rate):
    task = zoo.CausalLM("gpt", "tiny", max_length=10, **{**SMALL, "hidden_dim": width})
    task.adapt(["some text."])
    of = task.parts.recipe.default_learning_rate
    assert of(task.fitted, pretrained=False) == pytest.approx(rate)
    assert of(task.fitted, pretrained=True) == 1e-3
