"""Data sets larger than memory: tokenized once, and read from the disk in random order."""
