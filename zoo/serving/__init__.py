"""Serving: the signatures that a task shows to `export`, built once for all tasks."""
