"""The names of activations in Hugging Face's library and in the zoo."""

from zoo.errors import UserError

# If two names stand for the same function, checkpoints are written with the first.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}


def activation(name: str) -> str:
    """Converts Hugging Face's name of an activation to the zoo's.

    Raises:
        UserError: If the zoo does not have the activation.
    """
    if not isinstance(name, str) or name not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        raise UserError(f"the activation {name!r} is not supported; expected one of {known}")
    return ACTIVATIONS[name]


def their_activation(name: str) -> str:
    """Converts the zoo's name of an activation to Hugging Face's.

    Raises:
        UserError: If Hugging Face's library does not have the activation.
    """
    for theirs, ours in ACTIVATIONS.items():
        if ours == name:
            return theirs
    raise UserError(f"Hugging Face's models have no activation {name!r}")
