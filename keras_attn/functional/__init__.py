"""Tensor functions without weights, shared by the layers."""
