"""The parts that the presets of KerasHub's BERT, GPT-2 and BART have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from zoo.pretrained.keras_hub.stored import Tensors


@dataclass(frozen=True)
class Family:
    """How presets with one class of backbone correspond to Hugging Face checkpoints.

    Args:
        architectures: The name of the architecture that corresponds to each class of a task. The
            key None is for presets of a backbone, without a task.
        tokenizer: Name of the class of the tokenizer.
        sizes: The key in a checkpoint's `config.json` for each argument of the backbone.
        config: Further values of `config.json`.
        special_tokens: The keys in `config.json` for ids of tokens, and the tokens.
        layers: The classes, as in weights files, of the layers whose number is `num_layers`.
        tensors: Function from the number of layers to the tensors of the checkpoint.
        lengths: The setting of the task for each maximum length of the preprocessor.
        heads: The options of our model for the head of each class of a task, if there are any.
    """

    architectures: Mapping[str | None, str]
    tokenizer: str
    sizes: Mapping[str, tuple[str, ...]]
    config: Mapping[str, Any]
    special_tokens: Mapping[str, str]
    layers: tuple[str, ...]
    tensors: Callable[[int], Tensors]
    lengths: Mapping[str, str]
    heads: Mapping[str | None, Mapping[str, Any]] = field(default_factory=dict)
