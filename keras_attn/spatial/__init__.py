"""Layers and functions that resample images by a learned grid."""
