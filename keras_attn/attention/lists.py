"""The call convention of Keras's attention layers: a list of query, value and key."""

from typing import Any

from keras_attn.articles import with_article

NAMES = ("mask", "training", "return_attention_scores", "use_causal_mask")


def unpacked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict]:
    """Returns the arguments of `call` for those of a call on a list, or as they are.

    Args:
        args: Arguments by position: a list `[query, value]` or `[query, value, key]`, and then
            those of Keras's layer in its order; or query, value and so on.
        kwargs: Arguments by name; `inputs` is Keras's name of the list, and `mask` is the list
            `[query_mask, value_mask]`.

    Raises:
        ValueError: If there is no value, or a list has another length.

    Example:
        >>> unpacked((["q", "v"],), {"mask": ["m", None]})
        (('q', 'v'), {'query_mask': 'm', 'value_mask': None})
    """
    kwargs = dict(kwargs)
    if "inputs" in kwargs:
        args = (kwargs.pop("inputs"), *args)
    first: Any = args[0] if args else kwargs.get("query")
    is_list = isinstance(first, (list, tuple))
    if len(first) not in (2, 3) if is_list else len(args) < 2 and "value" not in kwargs:
        raise ValueError(
            "the layer must be called on a list of length 2 or 3, [query, value] or "
            f"[query, value, key], or on query and value; received {_what(first)}."
        )
    if not is_list:
        return args, kwargs
    kwargs |= dict(zip(NAMES, args[1:], strict=False))
    masks = kwargs.pop("mask", None)
    if masks is not None:
        if not isinstance(masks, (list, tuple)) or len(masks) not in (2, 3):
            raise ValueError(
                "the layer mask must be a list of length 2 or 3, [query_mask, value_mask]; "
                f"received {_what(masks)}."
            )
        kwargs |= dict(zip(("query_mask", "value_mask"), masks, strict=False))
    return tuple(first), kwargs


def _what(x: Any) -> str:
    is_list = isinstance(x, (list, tuple))
    return f"a list of length {len(x)}" if is_list else with_article(type(x).__name__)
