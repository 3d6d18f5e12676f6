"""Readers of data sets, from files or from memory."""
