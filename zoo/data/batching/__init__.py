"""Batching: examples to batches that are the same whenever they are read."""
