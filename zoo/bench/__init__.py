"""Measurements of the installed machine: layers beside their peers, and a step of each model."""
