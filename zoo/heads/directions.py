"""The metrics that are better when they are lower; all others are better when they are higher."""

OF = "_of_"  # before the name of a part, such as one target; without NumPy, which metrics import

LOWER_IS_BETTER = (
    *("loss", "perplexity", "bits_per_byte", "word_error_rate", "character_error_rate"),
    *("mae", "mase", "rmse", "crps", "pinball_loss", "ter", "log_loss", "calibration_error"),
)


def is_lower_better(metric: str) -> bool:
    """Whether a metric is better when it is lower.

    Args:
        metric: Its name, which may be after that of a task, or before that of a part.

    Example:
        >>> [is_lower_better(name) for name in ("mae_of_price", "films_log_loss", "f1", "loss_f1")]
        [True, True, False, False]
    """
    name = f"_{metric.partition(OF)[0]}"
    return any(name.endswith(f"_{each}") for each in LOWER_IS_BETTER)
