"""Reads presets of KerasHub as if they were Hugging Face checkpoints."""
