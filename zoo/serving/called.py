"""The protocol of models that are called by their signatures: artifacts, and served ones."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

SERVING_DEFAULT = "serving_default"
Facts = Mapping[str, Mapping[str, Any]]  # of tensors by name: "dtype", "shape" and more


class CalledModel(Protocol):
    """A model that was exported, and what is known about it.

    Attributes:
        name: What it is called in messages.
        signatures: By name of the signature, the facts of its "inputs" and "outputs".
        config: The description of its task; empty if it is not known.
        beside: The text files that lie beside it, such as a tokenizer: their content by name.
        takes_requests: Whether each call is a request to a server, which limits its tokens.
    """

    @property
    def name(self) -> str: ...
    @property
    def signatures(self) -> Mapping[str, Mapping[str, Facts]]: ...
    @property
    def config(self) -> Mapping[str, Any]: ...
    @property
    def beside(self) -> Mapping[str, str]: ...
    @property
    def takes_requests(self) -> bool: ...

    def run(self, signature: str, inputs: Mapping[str, Any], /) -> "dict[str, np.ndarray]":
        """Calls a signature with arrays by name; texts are arrays of strings.

        Raises:
            UserError: If it does not answer.
        """
