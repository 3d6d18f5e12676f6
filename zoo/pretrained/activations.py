"""What a feed-forward network may have between its layers, by Hugging Face's names and by ours."""

from zoo.errors import UserError

# Of several names of one function the first is written.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}


def activation(name: str) -> str:
    """Our name.

    Raises:
        UserError: If there is none.
    """
    if name not in ACTIVATIONS:
        raise UserError(f"the activation {name!r} is not supported; only {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


def their_activation(name: str) -> str:
    """Hugging Face's name.

    Raises:
        UserError: If there is none.
    """
    for theirs, ours in ACTIVATIONS.items():
        if ours == name:
            return theirs
    raise UserError(f"Hugging Face's models have no activation {name!r}")
