import sys

import jiwer
import keras
import numpy as np
import pytest
import sacrebleu
from keras import ops

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics import (
    BLEU,
    CharacterErrorRate,
    ChrF,
    MaskedAccuracy,
    Perplexity,
    TextScores,
    WordErrorRate,
)
from tests.oracles import losses as oracle

V = 11
REFERENCES = ["Ein Mann mit rotem Hut.", "Zwei Hunde laufen im Schnee.", "Die Straße ist naß!"]
PREDICTIONS = ["ein Mann mit einem roten Hut .", "Zwei Hunde rennen im Schnee.", "Straße naß!"]


def batches():
    """Batches of different sizes and lengths, padded differently."""
    random = np.random.default_rng(3)
    for size, length in [(3, 5), (2, 13), (5, 1)]:
        labels = random.integers(1, V, (size, length)).astype("int32")
        labels[0, length // 2 :] = 0
        logits = random.standard_normal((size, length, V)).astype("float32")
        logits[0, 0, labels[0, 0]] = 9.0
        yield labels, 2 * logits


def expected(metric, ignore_id=0):
    """The metric in float64 over all tokens of all batches at once."""
    total = count = 0.0
    for labels, logits in batches():
        weights = oracle.token_weights(labels, ignore_id)
        if isinstance(metric, Perplexity):
            values = oracle.token_crossentropy(labels, logits)
        else:
            values = logits.argmax(-1) == labels
        total, count = total + (weights * values).sum(), count + weights.sum()
    return np.exp(total / count) if isinstance(metric, Perplexity) else total / count


@pytest.mark.parametrize("ignore_id", [0, 4])
@pytest.mark.parametrize("kind", [Perplexity, MaskedAccuracy])
def test_streams_over_unequal_batches(kind, ignore_id):
    metric = kind(ignore_id=ignore_id)
    for _ in range(2):
        for labels, logits in batches():
            metric.update_state(labels, logits)
        np.testing.assert_allclose(float(metric.result()), expected(metric, ignore_id), rtol=1e-5)
        metric.reset_state()
        assert float(metric.result()) == 0.0


@pytest.mark.parametrize("kind", [Perplexity, MaskedAccuracy])
def test_sample_weight(kind):
    labels, logits = next(batches())
    weights = np.array([0.0, 2.0, 1.0], "float32")
    weighted, repeated = kind(), kind()
    weighted.update_state(labels, logits, weights)
    for row in [1, 1, 2]:
        repeated.update_state(labels[row : row + 1], logits[row : row + 1])
    np.testing.assert_allclose(float(weighted.result()), float(repeated.result()), rtol=1e-6)


@pytest.mark.parametrize("kind", [Perplexity, MaskedAccuracy])
def test_keras_implicit_mask(kind):
    class Masked(keras.layers.Layer):
        def compute_mask(self, inputs, previous_mask=None):
            return inputs[..., 0] > 0

        def call(self, inputs):
            return inputs

    labels, logits = next(batches())
    by_mask, by_label = kind(), kind()
    by_mask.update_state(labels, Masked()(ops.convert_to_tensor(logits)))
    by_label.update_state(np.where(logits[..., 0] > 0, labels, 0), logits)
    unmasked = kind()
    unmasked.update_state(labels, logits)
    np.testing.assert_allclose(float(by_mask.result()), float(by_label.result()), rtol=1e-6)
    assert abs(float(by_mask.result()) - float(unmasked.result())) > 1e-3


@pytest.mark.parametrize("kind", [Perplexity, MaskedAccuracy])
def test_ignore_id_outside_the_vocabulary(kind):
    labels, logits = next(batches())
    metric, usual = kind(ignore_id=-100), kind()
    metric.update_state(np.where(labels == 0, -100, labels), logits)
    usual.update_state(labels, logits)
    assert float(metric.result()) == float(usual.result())


def test_in_a_compiled_model_under_xla():
    model = keras.Sequential([keras.Input((None, V)), keras.layers.Activation("linear")])
    model.compile(
        loss=MaskedCrossentropy(), metrics=[Perplexity(), MaskedAccuracy()], jit_compile=True
    )
    labels, logits = next(batches())
    scores = model.evaluate(logits, labels, batch_size=2, verbose=0, return_dict=True)
    weights = oracle.token_weights(labels)
    nll = (weights * oracle.token_crossentropy(labels, logits)).sum() / weights.sum()
    hits = (weights * (logits.argmax(-1) == labels)).sum() / weights.sum()
    np.testing.assert_allclose(scores["perplexity"], np.exp(nll), rtol=1e-5)
    np.testing.assert_allclose(scores["masked_accuracy"], hits, rtol=1e-5)


@pytest.mark.parametrize("kind", [Perplexity, MaskedAccuracy])
def test_config_round_trip(kind):
    metric = kind(ignore_id=4, name="other")
    again = keras.metrics.deserialize(keras.metrics.serialize(metric))
    assert type(again) is kind
    assert again.get_config() == metric.get_config()
    assert (again.ignore_id, again.name) == (4, "other")


def test_accuracy_of_mismatched_shapes():
    with pytest.raises(ValueError, match="without its last axis"):
        MaskedAccuracy().update_state(np.ones((2, 3)), np.ones((2, 3)))


def test_bleu_equals_sacrebleu():
    bleu = BLEU()
    bleu.update_state(REFERENCES[:2], PREDICTIONS[:2])
    bleu.update_state(REFERENCES[2:], PREDICTIONS[2:])
    assert bleu.result() == sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES]).score
    assert 0 < bleu.result() < 100
    bleu.reset_state()
    assert bleu.result() == 0.0


def test_options_reach_sacrebleu():
    scores = {}
    shorter = BLEU(max_ngram_order=2)
    shorter.update_state(REFERENCES, PREDICTIONS)
    theirs = sacrebleu.metrics.BLEU(max_ngram_order=2).corpus_score(PREDICTIONS, [REFERENCES])
    assert shorter.result() == theirs.score
    for tokenize, lowercase in [("13a", False), ("13a", True), ("char", True)]:
        bleu = BLEU(tokenize=tokenize, lowercase=lowercase)
        bleu.update_state(REFERENCES, PREDICTIONS)
        scores[tokenize, lowercase] = bleu.result()
        assert bleu.result() == pytest.approx(
            sacrebleu.corpus_bleu(
                PREDICTIONS, [REFERENCES], tokenize=tokenize, lowercase=lowercase
            ).score
        )
    assert len(set(scores.values())) == 3


@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"word_order": 2}])
def test_chrf_equals_sacrebleu(options):
    chrf = ChrF(**options)
    chrf.update_state(REFERENCES, PREDICTIONS)
    expected = sacrebleu.metrics.CHRF(**options).corpus_score(PREDICTIONS, [REFERENCES]).score
    assert chrf.result() == expected
    assert 0 < expected < 100


def test_several_references():
    other = ["Ein Mann mit einem roten Hut.", "Zwei Hunde rennen durch den Schnee."]
    more = [[REFERENCES[0], other[0]], [REFERENCES[1], other[1]], REFERENCES[2]]
    for metric in (BLEU(), ChrF()):
        metric.update_state(REFERENCES, PREDICTIONS)
        with_one = metric.result()
        metric.reset_state()
        metric.update_state(more, PREDICTIONS)
        assert metric.result() > with_one
    streams = [REFERENCES, [*other, None]]
    assert metric.result() == sacrebleu.corpus_chrf(PREDICTIONS, streams).score


@pytest.mark.parametrize(
    ("references", "predictions", "message"),
    [
        (["a"], ["a", "b"], "the same length; received 1 and 2"),
        ("a", ["a"], "references must be a list of Python strings; received str"),
        (["a"], [b"a"], "must hold Python strings"),
        ([[]], ["a"], "at least one text"),
    ],
)
def test_bad_texts(references, predictions, message):
    with pytest.raises(ValueError, match=message):
        BLEU().update_state(references, predictions)


def test_unknown_tokenize_lists_the_choices():
    with pytest.raises(ValueError, match="tokenize must be one of none, zh, 13a"):
        BLEU(tokenize="13b")


def test_sentence_mean_of_bleu():
    mean, corpus = BLEU(sentence_mean=True), BLEU()
    pairs = list(zip(REFERENCES, PREDICTIONS, strict=True))
    for metric in (mean, corpus):
        metric.update_state(REFERENCES, PREDICTIONS)
    each = [sacrebleu.sentence_bleu(p, [r]).score for r, p in pairs]
    np.testing.assert_allclose(mean.result(), np.mean(each), rtol=1e-12)
    assert abs(mean.result() - corpus.result()) > 1
    mean.reset_state()
    mean.update_state(["a b"], ["a b"])  # too short to have any four words
    assert mean.result() == pytest.approx(100.0)


def edits(reference, prediction):
    """Levenshtein's distance, by his table."""
    table = np.arange(len(prediction) + 1)
    for i, a in enumerate(reference, 1):
        row = [i]
        for j, b in enumerate(prediction, 1):
            row.append(min(table[j] + 1, row[-1] + 1, table[j - 1] + (a != b)))
        table = row
    return table[-1]


RATES = [(WordErrorRate, jiwer.wer, str.split), (CharacterErrorRate, jiwer.cer, list)]


@pytest.mark.parametrize(("kind", "peer", "cut"), RATES)
def test_error_rates_equal_jiwer_and_the_formula(kind, peer, cut):
    rate, mean = kind(), kind(sentence_mean=True)
    for metric in (rate, mean):
        assert metric.result() == 0.0
        metric.update_state(REFERENCES[:2], PREDICTIONS[:2])
        metric.update_state(REFERENCES[2:], PREDICTIONS[2:])
    assert rate.result() == peer(REFERENCES, PREDICTIONS)
    pairs = [(cut(r), cut(p)) for r, p in zip(REFERENCES, PREDICTIONS, strict=True)]
    errors, sizes = np.array([(edits(*pair), len(pair[0])) for pair in pairs]).T
    np.testing.assert_allclose(rate.result(), errors.sum() / sizes.sum(), rtol=1e-12)
    np.testing.assert_allclose(mean.result(), (errors / sizes).mean(), rtol=1e-12)
    assert abs(rate.result() - mean.result()) > 1e-3
    rate.reset_state()
    rate.update_state(REFERENCES, REFERENCES)
    assert rate.result() == 0.0


@pytest.mark.parametrize(("kind", "peer", "cut"), RATES)
def test_error_rates_of_empty_texts(kind, peer, cut):
    rate = kind()
    rate.update_state(["", "a b"], ["c d", ""])
    assert rate.result() == (len(cut("c d")) + len(cut("a b"))) / len(cut("a b"))
    rate.reset_state()
    rate.update_state([""], ["a b"])
    assert rate.result() == len(cut("a b"))  # nothing to divide by
    rate.reset_state()
    rate.update_state([""], [""])
    assert rate.result() == 0.0


@pytest.mark.parametrize("kind", [WordErrorRate, CharacterErrorRate])
def test_error_rates_take_one_reference(kind):
    with pytest.raises(ValueError, match="references must have one text for each prediction"):
        kind().update_state([["a", "b"]], ["a"])
    with pytest.raises(ValueError, match="references must be a list of Python strings"):
        kind().update_state("a", ["a"])


def test_without_jiwer(monkeypatch):
    monkeypatch.setitem(sys.modules, "jiwer", None)
    with pytest.raises(ImportError, match=r"pip install 'keras-attn\[metrics\]'"):
        WordErrorRate()


def test_text_scores_are_in_the_history_and_can_stop_the_training():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    asked = []

    def predict(given):
        assert given is model
        asked.append(REFERENCES[: len(asked)] + PREDICTIONS[len(asked) :])
        return asked[-1]

    scores = TextScores([BLEU(), CharacterErrorRate()], predict, REFERENCES)
    worse = keras.callbacks.EarlyStopping("val_cer", mode="max")
    history = model.fit(
        np.ones((4, 3)), np.ones((4, 1)), epochs=7, verbose=0, callbacks=[scores, worse]
    ).history
    assert len(asked) == 2, "the error rate fell, and more of it was asked for"
    expected = [sacrebleu.corpus_bleu(texts, [REFERENCES]).score for texts in asked]
    np.testing.assert_allclose(history["val_bleu"], expected)
    np.testing.assert_allclose(history["val_cer"], [jiwer.cer(REFERENCES, t) for t in asked])
    assert history["val_cer"][0] > history["val_cer"][1] > 0


@pytest.mark.parametrize("metrics", [[], ["wer", "wer"]])
def test_text_scores_need_names_that_differ(metrics):
    with pytest.raises(ValueError, match="metrics must have one or more distinct names; rec"):
        TextScores([WordErrorRate(name=name) for name in metrics], lambda model: [], [])
