"""The inputs of a traced function that its outputs depend on."""

from collections.abc import Iterable
from typing import Any


def needed_states(function: Any, states: Iterable[str]) -> list[str]:
    """The states that a step needs: those that its other outputs depend on, now or in later steps.

    Args:
        function: The concrete function of a step, with inputs and outputs by name.
        states: Names of inputs, of which outputs of the same name are the next values.

    Example:
        >>> import tensorflow as tf
        >>> def step(a, b, c):
        ...     return {"sum": a + 1, "a": a + b, "c": c + a}
        >>> spec = tf.TensorSpec([], tf.int32)
        >>> traced = tf.function(step).get_concrete_function(spec, spec, spec)
        >>> needed_states(traced, ["a", "b", "c"])
        ['a', 'b']
    """
    names = list(states)
    outputs = function.structured_outputs
    needed: set[str] = set()
    roots = [x.op for name, x in outputs.items() if name not in names]
    while roots:
        names_needed = {operation.name for operation in _ancestors(roots)} & {*names} - needed
        needed |= names_needed
        roots = [outputs[name].op for name in names_needed if name in outputs]
    return [name for name in names if name in needed]


def _ancestors(roots: Iterable[Any]) -> list[Any]:
    """Operations, and those that they depend on."""
    ancestors: dict[str, Any] = {}
    todo = list(roots)
    while todo:
        operation = todo.pop()
        if operation.name not in ancestors:
            ancestors[operation.name] = operation
            todo += [x.op for x in operation.inputs] + list(operation.control_inputs)
    return list(ancestors.values())
