"""Graphs: one, a collection of them, and the files that they are read from."""
