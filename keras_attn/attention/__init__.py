"""Attention layers: scores, normalizers and the layers that use them."""
