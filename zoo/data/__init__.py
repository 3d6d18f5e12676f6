"""Data: readers convert the user's files to examples, batching converts examples to batches."""
