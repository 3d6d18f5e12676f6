"""The metrics that are better when they are lower; all others are better when they are higher."""

LOWER_IS_BETTER = (
    *("loss", "perplexity", "bits_per_byte", "word_error_rate", "character_error_rate"),
    *("mae", "mase", "rmse", "crps", "pinball_loss", "ter", "log_loss", "calibration_error"),
)
