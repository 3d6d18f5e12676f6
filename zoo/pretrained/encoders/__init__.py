"""Checkpoints of encoders, BERT and its relatives: what they share, and one file a family."""
