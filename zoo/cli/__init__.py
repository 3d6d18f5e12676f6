"""The command line `keras-attn`: a thin layer over `zoo` and `export`."""

from zoo.cli.app import app, main

__all__ = ["app", "main"]
