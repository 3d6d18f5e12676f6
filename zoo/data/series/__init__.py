"""Time series: their times, tables, windows and scales."""
