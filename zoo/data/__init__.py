"""Data: readers turn the user's files into examples, batching turns examples into batches."""
