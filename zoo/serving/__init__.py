"""Serving: builds the signatures of tasks that `export` exports."""
