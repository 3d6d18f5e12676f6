"""Text to ids and back: tokenizers that also run inside a SavedModel and a LiteRT file."""

from zoo.text.tokenizer import Tokenizer
from zoo.text.tokenizers import load_tokenizer, train_tokenizer

__all__ = ["Tokenizer", "load_tokenizer", "train_tokenizer"]
