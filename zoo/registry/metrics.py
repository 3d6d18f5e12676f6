"""The metrics of the zoo by name, as literal rows."""

from zoo.registry_rows import MetricRow

LABELS, LABEL_SETS, TAGS, VALUES = "labels", "label sets", "tags", "values"
TEXTS, CAPTIONS, TRANSCRIPTS = "texts", "captions", "transcripts"
ANSWERS = "answers in passages"
TOKENS, WINDOWS = "tokens", "windows"  # of windows, not which token is the most probable one

_LABELS = "zoo.metrics.labels"
_SETS = "zoo.metrics.label_sets"
_TAGS = "zoo.metrics.tags"
_VALUES = "zoo.metrics.values"
_TEXTS = "zoo.metrics.texts"
_TOKENS = "zoo.metrics.tokens"
_SPANS = "zoo.metrics.spans"

_TWO = "rows of at least two labels"
_TEXT = (TEXTS, CAPTIONS, TRANSCRIPTS)  # kinds of answers that are texts
_GIVEN = (TOKENS, WINDOWS)
_ONE = (TEXTS, TRANSCRIPTS)  # those with one reference

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
    MetricRow("log_loss", f"{_LABELS}:log_loss", (LABELS,)),
    MetricRow("calibration_error", f"{_LABELS}:calibration_error", (LABELS,)),
    MetricRow("coverage", f"{_LABELS}:coverage", (LABELS,)),
    MetricRow(
        "selective_accuracy",
        f"{_LABELS}:selective_accuracy",
        (LABELS,),
        needs="rows that get a label",
    ),
    MetricRow("micro_f1", f"{_SETS}:micro_f1", (LABEL_SETS,), default=(LABEL_SETS,)),
    MetricRow("macro_f1", f"{_SETS}:macro_f1", (LABEL_SETS,), default=(LABEL_SETS,)),
    MetricRow("accuracy", f"{_SETS}:accuracy", (LABEL_SETS,), default=(LABEL_SETS,)),
    MetricRow("f1_per_label", f"{_SETS}:f1_per_label", (LABEL_SETS,), default=(LABEL_SETS,)),
    MetricRow("precision_per_label", f"{_SETS}:precision_per_label", (LABEL_SETS,)),
    MetricRow("recall_per_label", f"{_SETS}:recall_per_label", (LABEL_SETS,)),
    MetricRow("accuracy", f"{_TAGS}:accuracy", (TAGS,), default=(TAGS,)),
    MetricRow("precision", f"{_TAGS}:precision", (TAGS,), default=(TAGS,)),
    MetricRow("recall", f"{_TAGS}:recall", (TAGS,), default=(TAGS,)),
    MetricRow("f1", f"{_TAGS}:f1", (TAGS,), default=(TAGS,)),
    MetricRow("r2", f"{_VALUES}:r2", (VALUES,), default=(VALUES,)),
    MetricRow("spearman", f"{_VALUES}:spearman", (VALUES,), default=(VALUES,)),
    MetricRow("pearson", f"{_VALUES}:pearson", (VALUES,), default=(VALUES,)),
    MetricRow("mae", f"{_VALUES}:mae", (VALUES,), default=(VALUES,)),
    MetricRow("rmse", f"{_VALUES}:rmse", (VALUES,), default=(VALUES,)),
    MetricRow("bleu", f"{_TEXTS}:bleu", _TEXT, default=(TEXTS, CAPTIONS)),
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
    MetricRow("loss", f"{_TOKENS}:loss", _GIVEN, default=_GIVEN),
    MetricRow("perplexity", f"{_TOKENS}:perplexity", _GIVEN, default=_GIVEN),
    MetricRow("token_accuracy", f"{_TOKENS}:accuracy", (TOKENS,)),
)
