"""Batching: examples to reproducible batches."""
