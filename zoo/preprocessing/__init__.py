"""Preprocessing: raw inputs to features, alike in training, prediction and artifacts."""
