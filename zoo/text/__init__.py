"""Tokenizers, which also run inside SavedModels and LiteRT models."""

from zoo.text.tokenizer import Tokenizer
from zoo.text.tokenizers import load_tokenizer, train_tokenizer

__all__ = ["Tokenizer", "load_tokenizer", "train_tokenizer"]
