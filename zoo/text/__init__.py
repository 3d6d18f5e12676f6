"""Tokenizers, which also run inside SavedModels and LiteRT models."""

from typing import TYPE_CHECKING, Any

from zoo.registry_rows import resolve

if TYPE_CHECKING:
    from zoo.text.tokenizer import Tokenizer
    from zoo.text.tokenizers import load_tokenizer, train_tokenizer

__all__ = ["Tokenizer", "load_tokenizer", "train_tokenizer"]

# Imported when they are needed, as TensorFlow is: the modules beside them do without.
_PATHS = {
    "Tokenizer": "zoo.text.tokenizer:Tokenizer",
    "load_tokenizer": "zoo.text.tokenizers:load_tokenizer",
    "train_tokenizer": "zoo.text.tokenizers:train_tokenizer",
}


def __getattr__(name: str) -> Any:
    if name not in _PATHS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return resolve(_PATHS[name])
