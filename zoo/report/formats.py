"""Names and values of metrics as the report shows them."""

# Words in the names of metrics.
SPELLED = {
    **{word: word.upper() for word in ("bleu", "wer", "cer", "f1", "mae", "mase", "rmse", "crps")},
    "chrf": "chrF",
    "cider": "CIDEr",
    "r2": "R²",
}

# What metrics are that have a unit, or that their name does not explain.
MEANINGS = {
    "mae": "the mean absolute error, in the unit of the values",
    "rmse": "the root of the mean squared error, in the unit of the values",
    "crps": "the error of all quantiles, in the unit of the values",
    "mase": "the error divided by that of repeating the last season: below 1, it is better",
}


def spell(name: str) -> str:
    """The display name of a metric.

    Example:
        >>> [spell(name) for name in ("exact_match", "bleu_4", "linear_mase")]
        ['exact match', 'BLEU 4', 'linear MASE']
    """
    return " ".join(SPELLED.get(word, word) for word in name.split("_"))


def rounded(name: str, value: float) -> str:
    """Formats the value of a metric with an appropriate number of digits.

    Example:
        >>> rounded("nsp_accuracy", 0.9871), rounded("bleu", 31.4159), rounded("loss", 0.01234)
        ('98.7 %', '31.4', '0.0123')
    """
    if name.endswith(("exact_match", "accuracy", "restored")) and 0 <= value <= 1:
        return f"{100 * value:.1f} %"
    if name.startswith(("bleu", "chrf", "cider")):
        return f"{value:.1f}"
    return f"{value:.3g}"
