"""Spatial transformers: resampling images on a learned grid."""
