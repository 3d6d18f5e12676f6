"""Pretraining examples from plain text: masked tokens, sentence pairs, corrupted passages."""
