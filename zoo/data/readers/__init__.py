"""Readers: the user's files and lists to examples, one at a time."""
