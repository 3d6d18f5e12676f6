"""Configuration and files keep everything."""

import inspect
import json
import tempfile
from pathlib import Path
from typing import Any

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import Case


def parameters(cls: type) -> dict[str, inspect.Parameter]:
    """The `__init__` arguments of a class, less self and **kwargs, and less those of Keras."""
    if cls.__init__ is keras.layers.Layer.__init__:
        return {}
    actual = list(inspect.signature(cls.__init__).parameters.values())[1:]
    return {p.name: p for p in actual if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}


def plain(value: Any) -> Any:
    """A value as a file would hold it, so that layers and initializers compare."""
    serialized = keras.saving.serialize_keras_object(value)
    return json.loads(json.dumps(serialized, sort_keys=True, default=str))


def config_round_trip(case: Case) -> None:
    """Every argument survives `get_config` and `from_config` at a value that is no default."""
    proven = set()
    sets = [*map(case.arguments_of, ("", *case.variants)), case.arguments() | case.config_only]
    for arguments in sets:
        config = case.layer(**arguments).get_config()
        clone = case.layer.from_config(plain(config))
        assert plain(clone.get_config()) == plain(config)
        proven |= {name for name in arguments if survives(case.layer, name, arguments, config)}
    missing = set() if case.title else set(parameters(case.layer)) - proven
    assert not missing, (
        f"{case.name}: the case gives {', '.join(sorted(missing))} no value but the default"
    )


def survives(cls: type, name: str, arguments: dict[str, Any], config: dict[str, Any]) -> bool:
    """Whether the argument is set to other than its default; fails if the config loses it."""
    parameter = parameters(cls)[name]
    required = parameter.default is parameter.empty
    if not required and plain(arguments[name]) == plain(parameter.default):
        return False
    assert name in config, f"get_config of {cls.__name__} forgets {name}"
    if required:
        return True
    others = {k: v for k, v in arguments.items() if k != name}
    try:
        without = cls(**others)
    except ValueError:  # the others require it
        return True
    assert plain(without.get_config().get(name)) != plain(config[name]), (
        f"get_config of {cls.__name__} says the same whatever {name} is"
    )
    return True


def keras_file(case: Case) -> None:
    """Saved as `.keras` and loaded again, a model gives the very same outputs."""
    x = harness.example(case)
    for made in harness.variants(case).values():
        model = harness.functional(case, made.layer)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.keras"
            model.save(path)
            loaded = keras.models.load_model(path)
        before, after = (harness.run(case, m, x, harness.apply) for m in (model, loaded))
        for name, value in before.items():
            np.testing.assert_array_equal(after[name], value, err_msg=name)
