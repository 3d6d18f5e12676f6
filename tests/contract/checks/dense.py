"""An export refuses ragged and sparse tensors, and says which argument is one."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import pytest

from tests.contract.cases import CASES
from tests.contract.recorder import arguments, leaves, replaced


class Csr:
    """A sparse matrix as SciPy has them, which NumPy does not read as an array."""

    shape, dtype, ndim = (2, 3), np.dtype("float32"), 2


def not_dense() -> Iterator[Any]:
    """A tensor of each kind that is not dense on this backend."""
    yield keras.KerasTensor((None, None, 2), ragged=True)
    yield Csr()
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        rows = [[[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]  # of the lengths 1 and 3
        yield tf.ragged.constant(rows, ragged_rank=1)
        yield tf.sparse.from_dense(np.ones((2, 3, 2), "float32"))
        yield tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 1]), tf.constant([5, 3]))
    else:
        from jax.experimental.sparse import BCOO

        yield BCOO.fromdense(np.ones((2, 3, 2), "float32"))


def only_dense(thing: Any) -> None:
    """Each tensor argument of the layer's call, of the loss, of the metric or of the function."""
    for wrong in not_dense():
        for call, given, title in calls(thing, wrong):
            form = (
                rf"{re.escape(title)} must be a dense tensor \(pad ragged rows, and pass a mask\); "
                rf"received an? (ragged KerasTensor|{type(wrong).__name__})\."
            )
            with pytest.raises(ValueError, match=rf"\A{form}\Z"):
                call(**given)


def calls(thing: Any, wrong: Any) -> Iterator[tuple[Callable, dict[str, Any], str]]:
    """What to call, the arguments among which one is wrong, and what a message calls that one."""
    if inspect.isclass(thing) and issubclass(thing, keras.layers.Layer):
        case = CASES[thing.__name__]
        layer = thing(**case.arguments())
        given = arguments(case, thing(**case.arguments()))
        for title, path, _ in leaves(given, masks=True):
            yield layer, replaced(given, path, wrong), title
        for name in inspect.signature(layer.call).parameters:  # what the case does not give
            yield layer, given | {name: wrong}, name
        return
    made = thing
    if inspect.isclass(thing):
        made = thing(**CASES[thing.__name__].arguments()) if thing.__name__ in CASES else thing()
    call = getattr(made, "update_state", made)
    for name, parameter in inspect.signature(call).parameters.items():
        if parameter.annotation not in (int, float, bool):
            yield call, {name: wrong}, name
