"""Recurrent cells, and the layers that run them over a sequence."""
