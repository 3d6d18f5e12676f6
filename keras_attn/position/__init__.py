"""Positional encodings for sequences."""
