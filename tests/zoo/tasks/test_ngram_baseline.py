"""The n-gram model that language models are compared with."""

from collections import Counter

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.tasks.baselines.ngrams import FEW, LONG, SHORT, NgramModel
from zoo.tasks.baselines.saved_arrays import FILE
from zoo.tasks.recipes import causal_lm


def witten_bell(train, stream, order, size):
    """The log-probabilities by the formula, from dictionaries of tuples."""
    grams = [
        Counter(zip(*(train[i:] for i in range(n)), strict=False)) for n in range(1, order + 1)
    ]
    log_p = []
    for position in range(1, len(stream)):
        p = 1 / size
        for n, counts in enumerate(grams):
            if n > position:
                break
            after = tuple(stream[position - n : position + 1])
            before = after[:-1]
            same = {gram: count for gram, count in counts.items() if gram[:-1] == before}
            if same:
                p = (counts[after] + len(same) * p) / (sum(same.values()) + len(same))
        log_p.append(np.log(p))
    return np.array(log_p)


@pytest.mark.parametrize(("size", "order"), [(5, LONG), (FEW + 1, SHORT)])
def test_probabilities_are_those_of_the_formula(size, order, tmp_path):
    random = np.random.default_rng(0)
    train, stream = random.integers(0, 5, 300), random.integers(0, 5, 60)
    model = NgramModel.fit(train, size)
    expected = witten_bell(train.tolist(), stream.tolist(), order, size)
    np.testing.assert_allclose(model.log_probabilities(stream), expected, rtol=1e-12)
    model.save(tmp_path)
    again = NgramModel.load(tmp_path)
    np.testing.assert_array_equal(again.log_probabilities(stream), model.log_probabilities(stream))


def test_probabilities_of_all_tokens_sum_to_one():
    train = np.random.default_rng(1).integers(0, 7, 200)
    model = NgramModel.fit(train, 9)  # two of which never occur
    context = train[50:60]
    each = [model.log_probabilities(np.append(context, token))[-1] for token in range(9)]
    assert np.exp(each).sum() == pytest.approx(1, abs=1e-12)


def test_streams_shorter_than_an_n_gram(tmp_path):
    model = NgramModel.fit(np.array([3, 4]), 5)
    np.testing.assert_allclose(
        model.log_probabilities(np.array([3, 4, 4])), witten_bell([3, 4], [3, 4, 4], 2, 5)
    )
    np.savez(tmp_path / FILE, vocabulary_size=5, order=1, grams_0_0=np.zeros(2))
    with pytest.raises(UserError, match="is damaged"):
        NgramModel.load(tmp_path)


def test_a_language_model_is_evaluated_beside_it(tmp_path, monkeypatch):
    texts = ["a fine day in may", "a dull day in june"] * 3
    task = zoo.CausalLM(hidden_dim=8, num_heads=2, num_layers=1, intermediate_dim=8, max_length=16)
    task.fit(texts, epochs=1, xla=False, verbose=False)
    task.save(tmp_path)
    tokenizer = task.tokenizer
    end = tokenizer.special_tokens.end
    rows = [tokenizer.tokenize([text])[0].numpy().tolist() for text in texts]
    stream = [end, *(token for row in rows for token in [*row, end])]
    log_p = witten_bell(stream, stream, LONG, tokenizer.vocabulary_size)
    for each in (task, zoo.load(tmp_path)):
        scores = each.evaluate(texts)
        assert scores["ngram_loss"] == pytest.approx(-log_p.mean())
        assert scores["ngram_perplexity"] == pytest.approx(np.exp(-log_p.mean()))
    monkeypatch.setattr(causal_lm, "TOKENS", 40)
    monkeypatch.setattr(causal_lm, "PARTS", 4)
    assert task.evaluate(texts)["ngram_loss"] != pytest.approx(-log_p.mean())
