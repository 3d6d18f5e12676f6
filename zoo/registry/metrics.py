"""The metrics of the zoo by name, as literal rows."""

from zoo.registry_rows import MetricRow

LABELS, LABEL_SETS, TAGS, VALUES = "labels", "label sets", "tags", "values"
NODE_LABEL_SETS = "label sets of nodes"
TEXTS, CAPTIONS, TRANSCRIPTS = "texts", "captions", "transcripts"
ANSWERS = "answers in passages"
RANKINGS, RETRIEVED, SIMILARITIES = "rankings", "retrieved texts", "similarities"
FORECASTS = "forecasts"
TOKENS, WINDOWS = "tokens of texts", "windows"  # of windows, not which is the most probable token
MASKED, PASSAGES, RESTORED = "masked tokens", "tokens of passages", "restored tokens"
PREFERENCES = "pairs of answers"
NEXT_TEXTS = "next texts"  # whether a text follows another one

_LABELS = "zoo.metrics.labels"
_SETS = "zoo.metrics.label_sets"
_TAGS = "zoo.metrics.tags"
_VALUES = "zoo.metrics.values"
_TEXTS = "zoo.metrics.texts"
_TOKENS = "zoo.metrics.tokens"
_SPANS = "zoo.metrics.spans"
_RANKINGS = "zoo.metrics.rankings"
_RETRIEVAL = "zoo.metrics.retrieval"
_FORECASTS = "zoo.metrics.forecasts"
_PREFERENCES = "zoo.metrics.preferences"

_TWO = "rows of at least two labels"
_PROBABILITIES = "a probability of each label"
_SPANS_OF_TAGS = "tags that mark spans, such as B-PER and I-PER"
_QUERIES = "queries with relevant passages and others"
_SEASON = "series that change before the forecast"
_SETS_KINDS = (LABEL_SETS, NODE_LABEL_SETS)
_NUMBERS = (VALUES, SIMILARITIES)
_TEXT = (TEXTS, CAPTIONS, TRANSCRIPTS)  # kinds of answers that are texts
_ONE = (TEXTS, TRANSCRIPTS)  # those with one reference
_MAIN_TOKENS = (WINDOWS, MASKED, PASSAGES)  # the answers of a task, not only a part of them
_GIVEN = (TOKENS, *_MAIN_TOKENS)

METRICS = (
    MetricRow("accuracy", f"{_LABELS}:accuracy", (LABELS,), default=(LABELS,)),
    MetricRow("macro_f1", f"{_LABELS}:macro_f1", (LABELS,), default=(LABELS,)),
    MetricRow("micro_f1", f"{_LABELS}:micro_f1", (LABELS,)),
    MetricRow("weighted_f1", f"{_LABELS}:weighted_f1", (LABELS,)),
    MetricRow("balanced_accuracy", f"{_LABELS}:balanced_accuracy", (LABELS,)),
    MetricRow("precision_per_label", f"{_LABELS}:precision_per_label", (LABELS,)),
    MetricRow("recall_per_label", f"{_LABELS}:recall_per_label", (LABELS,)),
    MetricRow("f1_per_label", f"{_LABELS}:f1_per_label", (LABELS,)),
    MetricRow("matthews", f"{_LABELS}:matthews", (LABELS,), needs=_TWO),
    MetricRow("roc_auc", f"{_LABELS}:roc_auc", (LABELS,), needs=_TWO),
    MetricRow("log_loss", f"{_LABELS}:log_loss", (LABELS,), needs=_PROBABILITIES),
    MetricRow("calibration_error", f"{_LABELS}:calibration_error", (LABELS,), needs=_PROBABILITIES),
    MetricRow("coverage", f"{_LABELS}:coverage", (LABELS,)),
    MetricRow(
        "selective_accuracy",
        f"{_LABELS}:selective_accuracy",
        (LABELS,),
        needs="rows that get a label",
    ),
    MetricRow("micro_f1", f"{_SETS}:micro_f1", _SETS_KINDS, default=_SETS_KINDS),
    MetricRow("macro_f1", f"{_SETS}:macro_f1", _SETS_KINDS, default=(LABEL_SETS,)),
    MetricRow("accuracy", f"{_SETS}:accuracy", _SETS_KINDS, default=_SETS_KINDS),
    MetricRow("f1_per_label", f"{_SETS}:f1_per_label", _SETS_KINDS, default=(LABEL_SETS,)),
    MetricRow("precision_per_label", f"{_SETS}:precision_per_label", _SETS_KINDS),
    MetricRow("recall_per_label", f"{_SETS}:recall_per_label", _SETS_KINDS),
    MetricRow("accuracy", f"{_TAGS}:accuracy", (TAGS,), default=(TAGS,)),
    MetricRow("precision", f"{_TAGS}:precision", (TAGS,), default=(TAGS,), needs=_SPANS_OF_TAGS),
    MetricRow("recall", f"{_TAGS}:recall", (TAGS,), default=(TAGS,), needs=_SPANS_OF_TAGS),
    MetricRow("f1", f"{_TAGS}:f1", (TAGS,), default=(TAGS,), needs=_SPANS_OF_TAGS),
    MetricRow("r2", f"{_VALUES}:r2", (VALUES,), default=(VALUES,)),
    MetricRow("spearman", f"{_VALUES}:spearman", _NUMBERS, default=_NUMBERS),
    MetricRow("pearson", f"{_VALUES}:pearson", _NUMBERS, default=_NUMBERS),
    MetricRow("mae", f"{_VALUES}:mae", (VALUES,), default=(VALUES,)),
    MetricRow("rmse", f"{_VALUES}:rmse", (VALUES,), default=(VALUES,)),
    MetricRow(
        "ndcg_at_10", f"{_RANKINGS}:ndcg_at_10", (RANKINGS,), default=(RANKINGS,), needs=_QUERIES
    ),
    MetricRow("mrr", f"{_RANKINGS}:mrr", (RANKINGS,), default=(RANKINGS,), needs=_QUERIES),
    MetricRow("recall_at_1", f"{_RANKINGS}:recall_at_1", (RANKINGS,), needs=_QUERIES),
    MetricRow(
        "recall_at_10",
        f"{_RANKINGS}:recall_at_10",
        (RANKINGS,),
        default=(RANKINGS,),
        needs=_QUERIES,
    ),
    MetricRow(
        "map",
        f"{_RANKINGS}:mean_average_precision",
        (RANKINGS,),
        default=(RANKINGS,),
        needs=_QUERIES,
    ),
    MetricRow("recall_at_1", f"{_RETRIEVAL}:recall_at_1", (RETRIEVED,), default=(RETRIEVED,)),
    MetricRow("mrr", f"{_RETRIEVAL}:mrr", (RETRIEVED,), default=(RETRIEVED,)),
    MetricRow("recall_at_5", f"{_RETRIEVAL}:recall_at_5", (RETRIEVED,)),
    MetricRow("recall_at_10", f"{_RETRIEVAL}:recall_at_10", (RETRIEVED,)),
    MetricRow("mae", f"{_FORECASTS}:mae", (FORECASTS,), default=(FORECASTS,)),
    MetricRow("crps", f"{_FORECASTS}:crps", (FORECASTS,), default=(FORECASTS,)),
    MetricRow("mase", f"{_FORECASTS}:mase", (FORECASTS,), default=(FORECASTS,), needs=_SEASON),
    MetricRow(
        "coverage",
        f"{_FORECASTS}:coverage",
        (FORECASTS,),
        default=(FORECASTS,),
        needs="a forecaster with several quantiles",
    ),
    MetricRow(
        "mae_per_target",
        f"{_FORECASTS}:mae_per_target",
        (FORECASTS,),
        default=(FORECASTS,),
        needs="2 to 20 targets",
    ),
    MetricRow("rmse", f"{_FORECASTS}:rmse", (FORECASTS,)),
    MetricRow("pinball_loss", f"{_FORECASTS}:pinball_loss", (FORECASTS,)),
    MetricRow("bleu", f"{_TEXTS}:bleu", _TEXT, default=(TEXTS,)),
    MetricRow("bleu_1", f"{_TEXTS}:bleu_1", (CAPTIONS,), default=(CAPTIONS,)),
    MetricRow("bleu_2", f"{_TEXTS}:bleu_2", (CAPTIONS,), default=(CAPTIONS,)),
    MetricRow("bleu_3", f"{_TEXTS}:bleu_3", (CAPTIONS,), default=(CAPTIONS,)),
    MetricRow("bleu_4", f"{_TEXTS}:bleu_4", (CAPTIONS,), default=(CAPTIONS,)),
    MetricRow("cider", f"{_TEXTS}:consensus", (CAPTIONS,), default=(CAPTIONS,)),
    MetricRow("chrf", f"{_TEXTS}:chrf", _TEXT, default=(TEXTS,)),
    MetricRow("ter", f"{_TEXTS}:ter", _TEXT),
    MetricRow("rouge_1", f"{_TEXTS}:rouge_1", _TEXT),
    MetricRow("rouge_2", f"{_TEXTS}:rouge_2", _TEXT),
    MetricRow("rouge_l", f"{_TEXTS}:rouge_l", _TEXT),
    MetricRow(
        "word_error_rate",
        f"{_TEXTS}:word_error_rate",
        _ONE,
        default=(TRANSCRIPTS,),
        also="wer",
    ),
    MetricRow(
        "character_error_rate",
        f"{_TEXTS}:character_error_rate",
        _ONE,
        default=(TRANSCRIPTS,),
        also="cer",
    ),
    MetricRow("exact_match", f"{_TEXTS}:exact_match", _TEXT, default=_ONE),
    MetricRow("token_f1", f"{_TEXTS}:token_f1", _TEXT),
    MetricRow("exact_match", f"{_SPANS}:exact_match", (ANSWERS,), default=(ANSWERS,)),
    MetricRow("f1", f"{_SPANS}:f1", (ANSWERS,), default=(ANSWERS,)),
    MetricRow("loss", f"{_TOKENS}:loss", _GIVEN, default=_MAIN_TOKENS),
    MetricRow("perplexity", f"{_TOKENS}:perplexity", _GIVEN, default=_MAIN_TOKENS),
    MetricRow("bits_per_byte", f"{_TOKENS}:bits_per_byte", (WINDOWS,), default=(WINDOWS,)),
    MetricRow("token_accuracy", f"{_TOKENS}:token_accuracy", (TOKENS,)),
    MetricRow("accuracy", f"{_TOKENS}:accuracy", (MASKED, PASSAGES), default=(MASKED, PASSAGES)),
    MetricRow("restored", f"{_TOKENS}:restored", (RESTORED,), default=(RESTORED,)),
    MetricRow(
        "preference_accuracy",
        f"{_PREFERENCES}:preference_accuracy",
        (PREFERENCES,),
        default=(PREFERENCES,),
    ),
    MetricRow(
        "preference_margin",
        f"{_PREFERENCES}:preference_margin",
        (PREFERENCES,),
        default=(PREFERENCES,),
    ),
    MetricRow("nsp_accuracy", f"{_LABELS}:nsp_accuracy", (NEXT_TEXTS,), default=(NEXT_TEXTS,)),
)
