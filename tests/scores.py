"""The metrics that are measured by default, of answers that tests make up."""

import numpy as np

from zoo.metrics.forecasts import ForecastRows
from zoo.metrics.label_sets import LabelSetPredictions
from zoo.metrics.labels import LabelPredictions
from zoo.metrics.rankings import RankingRows
from zoo.metrics.spans import AnswerRows
from zoo.metrics.tags import TagRows
from zoo.metrics.texts import TextRows
from zoo.metrics.values import ValueRows
from zoo.registry import metrics as kinds
from zoo.tasks.measuring import default_values


def scores_of(kind, rows):
    return default_values({kind: lambda: rows})


def score_texts(references, predictions):
    return scores_of(kinds.TEXTS, TextRows([[text] for text in references], predictions))


def score_transcripts(references, predictions):
    return scores_of(kinds.TRANSCRIPTS, TextRows([[text] for text in references], predictions))


def score_captions(references, predictions):
    return scores_of(kinds.CAPTIONS, TextRows(references, predictions))


def score_labels(references, predictions):
    return scores_of(
        kinds.LABELS, LabelPredictions(references, predictions, sorted(set(references)))
    )


def score_label_sets(references, predictions, labels):
    return scores_of(kinds.LABEL_SETS, LabelSetPredictions(references, predictions, labels))


def score_tags(references, predictions):
    return scores_of(kinds.TAGS, TagRows(references, predictions))


def score_answers(references, predictions):
    return scores_of(kinds.ANSWERS, AnswerRows(references, predictions))


def score_columns(references, predictions, names):
    return scores_of(kinds.VALUES, ValueRows(references, predictions, names))


def score_values(references, predictions):
    return score_columns(np.asarray(references)[:, None], np.asarray(predictions)[:, None], [""])


def score_likeness(references, predictions):
    rows = ValueRows(np.asarray(references)[:, None], np.asarray(predictions)[:, None], [""])
    return scores_of(kinds.SIMILARITIES, rows)


def score_ranking(queries, gains, scores):
    return scores_of(kinds.RANKINGS, RankingRows(queries, gains, scores))


def score_forecasts(true, forecasts, quantiles, errors, targets=()):
    return scores_of(kinds.FORECASTS, ForecastRows(true, forecasts, quantiles, errors, targets))
