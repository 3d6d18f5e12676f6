"""The configs of models, from the arguments of their constructors."""

from typing import Any

import keras
import numpy as np

from zoo.models.option_groups import OptionGroup, parameters


def config_of(model: type, values: dict[str, Any]) -> dict[str, Any]:
    """The config of a model, for `get_config`: the arguments of its constructor.

    A constructor begins with `self._config = config_of(MyModel, locals())`. So an option that is
    added to the signature is saved with the model. `name`, and an argument that is a model, such as
    a backbone, are left to `get_config`.

    Args:
        model: The class whose constructor it is.
        values: The arguments by name, as `locals()` has them at the start of the constructor. Other
            names are ignored.

    Returns:
        The arguments as JSON has them: tuples and arrays as lists, the options of groups one by
        one, and the dtype policy by its name.

    Raises:
        TypeError: If an option of a group is given outside of it.

    Example:
        >>> class Tiny:
        ...     def __init__(self, size, scales=(1, 2), dtype=None, name="tiny"):
        ...         self._config = config_of(Tiny, locals())
        >>> Tiny(3)._config
        {'size': 3, 'scales': [1, 2], 'dtype': None}
    """
    names = parameters(model)
    for group in [each for each in values.values() if isinstance(each, OptionGroup)]:
        for name in vars(group).keys() & values.get("kwargs", {}).keys():
            kind = type(group).__name__
            raise TypeError(f"{model.__name__} takes {name!r} in its options: {kind}({name}=...).")
        values = {**values, **vars(group)}
    config = {
        name: _plain(values[name])
        for name in names
        if name != "name" and not isinstance(values[name], keras.Model)
    }
    if config.get("dtype") is not None:
        config["dtype"] = keras.dtype_policies.get(values["dtype"]).name
    return config


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
