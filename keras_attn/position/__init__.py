"""Layers that tell a network where in a sequence it is."""
