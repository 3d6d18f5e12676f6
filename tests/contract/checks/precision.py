"""Under mixed precision, what needs float32 is computed in it."""

import keras

from tests.contract import harness
from tests.contract.case import Case

# Rounding the inputs, the weights and each product to the dtype costs this much, in outputs of
# the order of one.
TOLERANCE = {"float16": 1e-2, "bfloat16": 8e-2}
# Operations that lose too much in half precision: exponentials and logarithms (softmax, losses),
# sines (positions), running sums and orders (sparse normalizers).
DELICATE = {"Exp", "Expm1", "Log", "Log1p", "Softmax", "LogSoftmax", "Sin", "Cos", "Cumsum"}


def mixed_precision(case: Case) -> None:
    """The outputs are in the compute dtype and near the formula, also on hard inputs."""
    examples = [harness.example(case)]
    if case.hard_sizes or case.hard_scales:
        hard = harness.example(case, case.hard_sizes)
        examples.append(hard | {name: hard[name] * s for name, s in case.hard_scales.items()})
    for half, tolerance in TOLERANCE.items():
        with harness.policy(f"mixed_{half}"):
            layers = harness.variants(case)
        for variant, made in layers.items():
            for x in examples:
                x = {k: round_to(v, half) if v.dtype.kind == "f" else v for k, v in x.items()}
                weights = harness.weights_of(made.layer)
                expected = harness.oracle(case, weights, x, made.arguments)
                outputs = harness.outputs(case, made.layer, x)
                for name, value in outputs.items():
                    actual = harness.dtype_of(value)
                    assert actual == case.dtype_under(half), f"{name} is {actual} in mixed_{half}"
                actual = {name: harness.to_numpy(value) for name, value in outputs.items()}
                most = tolerance * case.rounded_again
                harness.close(actual, expected, most, f"{case.name} {variant} mixed_{half}")


def round_to(value, dtype: str):
    """What is left of an array when it is given to a layer that computes in `dtype`."""
    return keras.ops.convert_to_numpy(
        keras.ops.cast(keras.ops.cast(keras.ops.convert_to_tensor(value), dtype), "float32")
    )


def float32_inside(case: Case) -> None:
    """No delicate operation of the traced layer takes half precision."""
    import tensorflow as tf

    x = harness.tensors(harness.example(case))
    with harness.policy("mixed_float16"):
        layers = [made.layer for made in harness.variants(case).values()]
    call = tf.function(lambda x: [case.call(layer, x) for layer in layers], autograph=False)
    graph = call.get_concrete_function(x).graph.as_graph_def()
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    actual = {
        node.op
        for node in nodes
        if node.op in DELICATE and tf.as_dtype(node.attr["T"].type) == tf.float16
    }
    assert not actual, f"{', '.join(sorted(actual))} computed in float16"
