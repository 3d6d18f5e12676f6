"""Models for sequences, and the tasks that train them on people's own files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoo.catalog import create_model, list_models
    from zoo.pretrained.load import from_pretrained
    from zoo.pretrained.save import to_pretrained
    from zoo.tasks.causal_lm import CausalLM
    from zoo.tasks.denoising import Denoising
    from zoo.tasks.load import load
    from zoo.tasks.masked_lm import MaskedLM
    from zoo.tasks.multi_task import MultiTask
    from zoo.tasks.text_classifier import TextClassifier
    from zoo.tasks.text_embedder import TextEmbedder
    from zoo.tasks.text_to_text import TextToText
    from zoo.tasks.token_tagger import TokenTagger

__all__ = [
    "CausalLM",
    "Denoising",
    "MaskedLM",
    "MultiTask",
    "TextClassifier",
    "TextEmbedder",
    "TextToText",
    "TokenTagger",
    "create_model",
    "from_pretrained",
    "list_models",
    "load",
    "to_pretrained",
]

# Where each name lives, imported on first use: `--help` answers without TensorFlow.
_HOMES = {
    "CausalLM": "zoo.tasks.causal_lm",
    "Denoising": "zoo.tasks.denoising",
    "MaskedLM": "zoo.tasks.masked_lm",
    "MultiTask": "zoo.tasks.multi_task",
    "TextClassifier": "zoo.tasks.text_classifier",
    "TextEmbedder": "zoo.tasks.text_embedder",
    "TextToText": "zoo.tasks.text_to_text",
    "TokenTagger": "zoo.tasks.token_tagger",
    "create_model": "zoo.catalog",
    "from_pretrained": "zoo.pretrained.load",
    "list_models": "zoo.catalog",
    "load": "zoo.tasks.load",
    "to_pretrained": "zoo.pretrained.save",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
