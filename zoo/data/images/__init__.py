"""Readers of images with labels."""
