"""The layer computes its formula, as the Keras layer it replaces does, on unknown shapes too."""

import keras

from tests.contract import harness
from tests.contract.case import SIZES, UNKNOWN_AXES, Case


def equals_oracle(case: Case) -> None:
    """The float64 formula to 1e-5, for the case and each variant."""
    x = harness.example(case)
    for name, made in harness.variants(case).items():
        weights = harness.weights_of(made.layer)
        expected = harness.oracle(case, weights, x, made.arguments)
        harness.close(harness.run(case, made.layer, x), expected, 1e-5, f"{case.name} {name}")


def equals_keras(case: Case) -> None:
    """The Keras layer's own weights, in its order, give the Keras layer's outputs."""
    assert case.keras is not None, "name the Keras layer, or say why there is none"
    x = {k: v for k, v in harness.example(case).items() if k in (case.keras_inputs or case.inputs)}
    arguments = case.keras_arguments() if callable(case.keras_arguments) else case.keras_arguments
    theirs, ours = case.keras(), harness.make(case, arguments, inputs=x)
    call = case.keras_call or case.call
    call(theirs, harness.tensors(x))
    assert [w.shape for w in ours.weights] == [w.shape for w in theirs.weights]
    theirs.set_weights([harness.jitter(i, w.shape) for i, w in enumerate(theirs.weights)])
    ours.set_weights(theirs.get_weights())
    inputs = harness.tensors(x)
    computed, expected = (
        dict(enumerate(map(harness.to_numpy, keras.tree.flatten(run(layer, inputs)))))
        for run, layer in ((case.call, ours), (call, theirs))
    )
    harness.close(computed, expected, 1e-5, f"{case.name} with the weights of {theirs.name}")


def symbolic(case: Case) -> None:
    """A symbolic call knows every shape and dtype; the traced model runs at any size."""
    layer = harness.made(case).layer
    untouched = case.layer(**case.arguments())
    model = harness.functional(case, untouched)
    if isinstance(layer, keras.layers.Layer):
        untouched.set_weights(layer.get_weights())
    for name, axes in case.outputs.items():
        shape = tuple(None if a in UNKNOWN_AXES else SIZES[a] for a in axes)
        assert model.output[name].shape == shape, (
            f"{name} has symbolic shape {model.output[name].shape}, expected {shape}"
        )
    for sizes in ({}, {"B": 2, "T": 8, "S": 4, "N": 13, "E": 41}):
        x = harness.example(case, sizes)
        outputs = harness.outputs(case, model, x, harness.apply)
        computed = {name: harness.to_numpy(value) for name, value in outputs.items()}
        harness.close(computed, harness.run(case, layer, x), 1e-6, f"{case.name} at {sizes}")
        for name, value in outputs.items():
            declared = model.output[name].dtype
            actual = harness.dtype_of(value)
            assert declared == actual, f"{name} is declared {declared}, and is {actual}"
