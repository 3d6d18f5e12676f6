"""Blocks that encoders and decoders are stacked from."""
