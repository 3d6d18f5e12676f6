"""Presets of KerasHub, read as if they were Hugging Face checkpoints."""
