"""Gated convolutions over sequences."""
