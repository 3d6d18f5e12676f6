import jiwer
import numpy as np
import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer
from scipy import stats
from sklearn import metrics as sklearn_metrics

from tests.scores import scores_of
from zoo.metrics import label_sets, texts, tokens, values
from zoo.metrics.label_sets import LabelSetPredictions
from zoo.metrics.measure import value_of
from zoo.metrics.tags import TagRows
from zoo.metrics.texts import TextRows
from zoo.metrics.tokens import TokenRows
from zoo.metrics.values import ValueRows
from zoo.registry import METRICS
from zoo.registry import metrics as kinds

REFERENCES = ["a man in a red hat", "the dog runs", "two birds fly south", "one"]
FOUND = ["a man in red hats", "the dog sits down", "two birds fly south", "once"]
TEXTS = TextRows([[text] for text in REFERENCES], FOUND)
SETS = (
    [["a", "b"], ["a"], [], ["c"], ["b", "c"]],
    [["a"], ["a", "c"], ["b"], ["c"], ["b", "c"]],
)
TAGS = (
    [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-PER", "O"]],
    [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-PER", "B-LOC"]],
)


def value_rows(columns):
    random = np.random.default_rng(0)
    y = random.integers(0, 5, (30, columns)) * 1.0
    return ValueRows(y, y + random.normal(size=(30, columns)), ["one", "two"][:columns])


def one(metric, rows, counts=None):
    (measure,) = metric(rows).values()
    return value_of(measure, len(rows)) if counts is None else measure(counts)


def test_metrics_measured_by_default():
    names = {
        kinds.LABEL_SETS: (
            LabelSetPredictions(*SETS, [*"abc"]),
            ["micro_f1", "macro_f1", "accuracy"],
        ),
        kinds.NODE_LABEL_SETS: (LabelSetPredictions(*SETS, [*"abc"]), ["micro_f1", "accuracy"]),
        kinds.TAGS: (TagRows(*TAGS), ["accuracy", "precision", "recall", "f1"]),
        kinds.VALUES: (value_rows(1), ["r2", "spearman", "pearson", "mae", "rmse"]),
        kinds.SIMILARITIES: (value_rows(1), ["spearman", "pearson"]),
        kinds.TEXTS: (TEXTS, ["bleu", "chrf", "exact_match"]),
        kinds.TRANSCRIPTS: (
            TEXTS,
            ["word_error_rate", "character_error_rate", "exact_match"],
        ),
    }
    for kind, (rows, expected) in names.items():
        assert [*scores_of(kind, rows)][: len(expected)] == expected, kind
    several = scores_of(kinds.VALUES, value_rows(2))
    assert several["r2"] == pytest.approx((several["one_r2"] + several["two_r2"]) / 2)


def test_tags_without_spans_have_an_accuracy_only():
    assert [*scores_of(kinds.TAGS, TagRows([["NOUN", "VERB"]], [["NOUN"] * 2]))] == ["accuracy"]


def test_sets_of_labels_equal_scikit_learn():
    rows = LabelSetPredictions(*SETS, ["a", "b", "c"])
    for average in ("micro", "macro"):
        want = sklearn_metrics.f1_score(rows.true, rows.predicted, average=average)
        assert one(getattr(label_sets, f"{average}_f1"), rows) == pytest.approx(want)
    precision, recall, f1, _ = sklearn_metrics.precision_recall_fscore_support(
        rows.true, rows.predicted, zero_division=0
    )
    for name, want in (("precision", precision), ("recall", recall), ("f1", f1)):
        measures = getattr(label_sets, f"{name}_per_label")(rows).values()
        assert [value_of(measure, 5) for measure in measures] == pytest.approx([*want])


@pytest.mark.parametrize("metric", [values.r2, values.pearson, values.spearman, values.rmse])
def test_values_of_resampled_rows_equal_scipy_and_scikit_learn(metric):
    rows = value_rows(1)
    counts = np.random.default_rng(1).multinomial(30, [1 / 30] * 30, size=4)
    oracles = {
        values.r2: sklearn_metrics.r2_score,
        values.pearson: lambda y, p: stats.pearsonr(y, p).statistic,
        values.spearman: lambda y, p: stats.spearmanr(y, p).statistic,
        values.rmse: sklearn_metrics.root_mean_squared_error,
    }
    places = [np.repeat(np.arange(30), each) for each in counts]
    want = [
        oracles[metric](rows.references[place, 0], rows.predictions[place, 0]) for place in places
    ]
    np.testing.assert_allclose(one(metric, rows, counts.astype(float)), want, atol=1e-11)


def test_rates_of_resampled_texts_equal_jiwer():
    counts = np.array([[2.0, 0, 1, 1], [0, 3, 0, 1]])
    for metric, oracle in (
        (texts.word_error_rate, jiwer.wer),
        (texts.character_error_rate, jiwer.cer),
    ):
        for found, each in zip(one(metric, TEXTS, counts), counts.astype(int), strict=True):
            places = np.repeat(np.arange(4), each)
            pairs = [[side[i] for i in places] for side in (REFERENCES, FOUND)]
            assert found == pytest.approx(oracle(*pairs))


def test_scores_of_several_references_equal_sacrebleu():
    streams = [REFERENCES, ["a man with a red hat", None, "birds fly", None]]
    rows = TextRows(
        [[t for t in each if t is not None] for each in zip(*streams, strict=True)], FOUND
    )
    assert one(texts.bleu, rows) == pytest.approx(sacrebleu.corpus_bleu(FOUND, streams).score)
    assert one(texts.chrf, rows) == pytest.approx(sacrebleu.corpus_chrf(FOUND, streams).score)
    assert one(texts.ter, rows) == pytest.approx(sacrebleu.corpus_ter(FOUND, streams).score)


def test_rouge_equals_that_of_rouge_score():
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    scores = [scorer.score(*pair) for pair in zip(REFERENCES, FOUND, strict=True)]
    for metric, name in (
        (texts.rouge_1, "rouge1"),
        (texts.rouge_2, "rouge2"),
        (texts.rouge_l, "rougeL"),
    ):
        want = np.mean([score[name].fmeasure for score in scores])
        assert one(metric, TEXTS) == pytest.approx(want)


def test_token_f1_counts_words_as_often_as_they_occur():
    rows = TextRows([["a a b"], ["", "x"], ["one"]], ["a b b", "", "two"])
    (measure,) = texts.token_f1(rows).values()
    assert measure(np.eye(3)).tolist() == pytest.approx([2 / 3, 1, 0])


def test_loss_counts_tokens_and_not_rows():
    rows = TokenRows(np.array([2.0, 9.0]), np.array([1, 3]), np.array([1, 0]))
    assert one(tokens.loss, rows) == 11 / 4
    assert one(tokens.perplexity, rows) == pytest.approx(np.exp(11 / 4))
    assert one(tokens.loss, rows, np.array([[2.0, 0], [1, 2]])).tolist() == [2, 20 / 7]
    assert one(tokens.accuracy, rows) == 0.25


def test_names_differ_within_a_kind_and_none_is_another_of_some_metric():
    for kind in {kind for row in METRICS for kind in row.kinds}:
        names = [n for row in METRICS if kind in row.kinds for n in (row.name, row.also) if n]
        assert len(names) == len({*names})


def test_metrics_measured_by_default_fit():
    assert all({*row.default} <= {*row.kinds} for row in METRICS)
