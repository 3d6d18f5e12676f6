"""Readers of recordings with their transcripts."""
