"""The names of activations, in Hugging Face's library and in the zoo."""

from zoo.errors import UserError

# Where two names stand for one function, the first is written.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}


def activation(name: str) -> str:
    """The zoo's name of a Hugging Face activation.

    Raises:
        UserError: If the zoo does not have it.
    """
    if name not in ACTIVATIONS:
        raise UserError(f"the activation {name!r} is not supported; only {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


def their_activation(name: str) -> str:
    """Hugging Face's name of an activation.

    Raises:
        UserError: If Hugging Face's library does not have it.
    """
    for theirs, ours in ACTIVATIONS.items():
        if ours == name:
            return theirs
    raise UserError(f"Hugging Face's models have no activation {name!r}")
