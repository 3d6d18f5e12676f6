"""Preprocessing: raw inputs to features, the same in training, prediction and artifacts."""
