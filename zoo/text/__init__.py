"""Text to ids and back: tokenizers that also run inside a SavedModel and a LiteRT file."""

from zoo.text.kinds import load_tokenizer, train_tokenizer
from zoo.text.tokenizer import Tokenizer

__all__ = ["Tokenizer", "load_tokenizer", "train_tokenizer"]
