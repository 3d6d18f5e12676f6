"""Baselines: simple models, which every model of a task should outperform."""
