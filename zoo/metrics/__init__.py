"""The metrics of answers, as functions of how often each row counts, so that rows are resampled."""
