"""What is masked has no say, and what is asked beside the output does not change it."""

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import SIZES, Case

GARBAGE = 9.0  # added to what must not matter
ALIGNED = {"dropout": False, "aligned": True}  # the layers of these checks


def spread(keep: np.ndarray, axes: str, output_axes: str, shape: tuple[int, ...]) -> np.ndarray:
    """`keep`, whose axes are letters of the output's, broadcast to the output's shape."""
    where = [keep.shape[axes.index(a)] if a in axes else 1 for a in output_axes]
    return np.broadcast_to(keep.reshape(where), shape)


def masked_positions(case: Case) -> None:
    """Changing what is masked changes nothing; changing the rest does."""
    assert case.masks, "name the masks and what they mask, or say why there are none"
    layer, x = harness.made(case, **ALIGNED).layer, harness.example(case)
    before = harness.run(case, layer, x)
    overflow_is_masked(case, x)
    for mask, inputs in case.masks.items():
        axes, keep = case.inputs[mask].axes, x[mask]
        for name in inputs:
            tensor = case.inputs[name]
            if len(axes) == 2:
                changed = garbage(x[name], tensor, ~keep, axes[-1])
                unchanged_by(case, layer, x, before, name, changed, mask)
            else:
                for position in range(keep.shape[-1]):
                    at = np.broadcast_to(np.arange(keep.shape[-1]) == position, keep[:, 0].shape)
                    changed = garbage(x[name], tensor, at, axes[-1])
                    unchanged_by(case, layer, x, before, name, changed, mask, position)
        moving = {
            n: garbage(
                x[n], case.inputs[n], keep if len(axes) == 2 else np.ones_like(keep[:, 0]), axes[-1]
            )
            for n in inputs
        }
        after = harness.run(case, layer, x | moving)
        assert any(not np.allclose(after[n], before[n], atol=1e-4) for n in before), (
            f"what {mask} leaves in has no influence: a vacuous check"
        )


def overflow_is_masked(case: Case, x) -> None:
    """Masked positions whose products overflow float16 leave no infinity and no NaN."""
    with harness.policy("mixed_float16"):
        layers = [made.layer for made in harness.variants(case, **ALIGNED).values()]
    for layer in layers:
        before = harness.run(case, layer, x)
        for mask, inputs in case.masks.items():
            for name in inputs:
                if len(case.inputs[mask].axes) == 2 and case.inputs[name].kind == "float":
                    at = np.expand_dims(~x[mask], list(range(2, x[name].ndim)))
                    huge = np.where(at, np.sign(x[name]) * np.float32(1e4), x[name])
                    unchanged_by(case, layer, x, before, name, huge, mask)


def garbage(value: np.ndarray, tensor, at: np.ndarray, letter: str) -> np.ndarray:
    """A changed input at the rows and positions of axis `letter` that `at` (B, positions) names."""
    axis = tensor.axes.index(letter)
    at = np.expand_dims(at, [i for i in range(1, value.ndim) if i != axis])
    if tensor.kind == "ids":
        return np.where(at, (value + 1) % SIZES.get(tensor.below, tensor.below), value)
    # Not the same in each feature, which a softmax would not see.
    return np.where(at, value - GARBAGE * np.arange(1, value.shape[-1] + 1, dtype="float32"), value)


def unchanged_by(case, layer, x, before, name, changed, mask, position=None) -> None:
    """Every output that may not see the change is as before."""
    after = harness.run(case, layer, x | {name: changed})
    axes, keep = case.inputs[mask].axes, x[mask]
    for output, output_axes in case.outputs.items():
        if position is None:  # a masked position's own output may change
            blind, letters = (keep, axes) if axes[-1] in output_axes else (np.array(True), "")
        else:
            blind, letters = ~keep[..., position], axes[:-1]
            if axes[-1] in letters:
                blind[:, position] = False
            lost = tuple(i for i, a in enumerate(letters) if a not in output_axes)
            blind, letters = blind.all(lost), "".join(a for a in letters if a in output_axes)
        where = spread(blind, letters, output_axes, before[output].shape)
        np.testing.assert_allclose(
            after[output][where], before[output][where], rtol=0, atol=1e-6,
            err_msg=f"{output}, {name} changed where {mask} is False",
        )  # fmt: skip


def fully_masked(case: Case) -> None:
    """A row without any position: zeros where the layer says so, finite everywhere, as the
    formula has it, also in half precision and with large inputs."""
    assert case.masks, "name the masks and what they mask, or say why there are none"
    for dtype in ("float32", "float16", "bfloat16"):
        with harness.policy(dtype):
            made = harness.made(case, **ALIGNED)
            for mask in case.masks:
                fully_masked_by(case, made, mask, dtype)


def fully_masked_by(case: Case, made: harness.Made, mask: str, dtype: str) -> None:
    layer, x = made.layer, harness.example(case, masking="all")
    if "B" not in "".join(case.outputs.values()):
        empty: tuple = (slice(None),)  # the batch has one number in all
    else:
        empty = (0, 1) if case.inputs[mask].axes[1:-1] else (0,)  # one query, or one sequence
    x[mask][empty] = False
    outputs = harness.run(case, layer, x)
    large = {k: v * 30 if v.dtype.kind == "f" else v for k, v in x.items()}
    for actual in (outputs, harness.run(case, layer, large)):
        for name, value in actual.items():
            assert np.isfinite(value).all(), f"{name} in {dtype}: not finite"
    for name in case.zero_when_masked.get(mask, ()):
        where = tuple(
            empty[case.inputs[mask].axes.index(a)]
            if a in case.inputs[mask].axes[: len(empty)]
            else slice(None)
            for a in case.outputs[name]
        )
        assert not outputs[name][where].any(), f"{name} in {dtype}: not zero"
    if dtype == "float32":
        expected = harness.oracle(case, harness.weights_of(layer), x, made.arguments)
        harness.close(outputs, expected, 1e-5, f"{case.name} fully masked by {mask}")


class Carrier(keras.layers.Layer):
    """Gives its input Keras's implicit mask, as Embedding and Masking do, and no other value."""

    def __init__(self, keep):
        super().__init__()
        self.keep = keras.ops.convert_to_tensor(keep)
        self.supports_masking = True

    def call(self, x):
        return keras.ops.copy(x)

    def compute_mask(self, x, previous_mask=None):
        return self.keep


def implicit_masks(case: Case) -> None:
    """Keras's implicit mask does what the explicit one does, loses to it, and is passed on."""
    assert case.implicit, "name the inputs that carry a mask, or say why there are none"
    layer = harness.made(case, **ALIGNED).layer
    for mask, carrier in case.implicit.items():
        x = harness.example(case)
        keep = x.get(mask, np.arange(SIZES["T"]) % 2 == np.arange(SIZES["B"])[:, None] % 2)
        bare = {k: v for k, v in x.items() if k not in case.implicit}
        carried = harness.tensors(bare)
        carried[carrier] = Carrier(keep)(carried[carrier])
        outputs = harness.flat(case, case.call(layer, carried))
        unmasked, implicit = harness.run(case, layer, bare), to_arrays(outputs)
        if mask == case.passes_on:
            passed = keras.src.backend.get_keras_mask(next(iter(outputs.values())))
            assert passed is not None, f"the output does not carry {mask} on"
            np.testing.assert_array_equal(keras.ops.convert_to_numpy(passed), keep)
        if mask not in x:  # no argument takes a mask, and none may have an effect
            harness.close(implicit, unmasked, 1e-7, f"a mask carried by {carrier}")
            continue
        explicit = harness.run(case, layer, bare | {mask: keep})
        harness.close(implicit, explicit, 1e-6, f"{mask} carried by {carrier}")
        assert any(not np.allclose(unmasked[n], explicit[n]) for n in explicit), "a vacuous check"
        everything = carried | {mask: keras.ops.convert_to_tensor(np.ones_like(keep))}
        actual = to_arrays(harness.flat(case, case.call(layer, everything)))
        expected = implicit if case.masks_join else unmasked
        harness.close(actual, expected, 1e-6, f"an explicit {mask} beside one on {carrier}")


def to_arrays(outputs: dict) -> dict[str, np.ndarray]:
    return {name: harness.to_numpy(value) for name, value in outputs.items()}


def causal(case: Case) -> None:
    """No output sees a later position, and each one's own future does matter to the last."""
    assert case.causal is not None, "say how the layer is causal, or why it is not"
    mode, x = case.causal, harness.example(case, {"S": SIZES["T"]}, masking="all")
    layer = harness.make(case, case.aligned | mode.arguments, mode.call)
    before = harness.run(case, layer, x, mode.call)
    timed = {name: axes for name, axes in case.outputs.items() if "T" in axes}
    assert timed, "no output has a time axis"
    for now in range(SIZES["T"] - 1):
        changed = dict(x)
        for name in mode.inputs or case.inputs:
            tensor = case.inputs[name]
            if tensor.kind == "float" and tensor.axes[1] in "TS":
                future = np.broadcast_to(np.arange(SIZES["T"]) > now, x[name].shape[:2])
                changed[name] = garbage(x[name], tensor, future, tensor.axes[1])
        after = harness.run(case, layer, changed, mode.call)
        for name, axes in timed.items():
            old, new = (np.moveaxis(v[name], axes.index("T"), 0) for v in (before, after))
            np.testing.assert_allclose(new[: now + 1], old[: now + 1], rtol=0, atol=1e-6)
            assert not np.allclose(new[now + 1 :], old[now + 1 :], atol=1e-4), "a vacuous check"


def maps(case: Case) -> None:
    """Asking for the attention maps changes no output, and they have the shape they say."""
    assert case.maps is not None, "say how the layer gives its maps, or why it has none"
    layer, x = harness.make(case, case.maps.arguments), harness.example(case)
    plain = harness.run(case, layer, x)
    axes = case.maps_axes.split()
    actual = keras.tree.flatten(case.maps.call(layer, harness.tensors(x)))
    outputs, weights = actual[: -len(axes)], actual[-len(axes) :]
    actual = dict(zip(plain, map(harness.to_numpy, outputs), strict=True))
    harness.close(actual, plain, 1e-6, f"{case.name} asked for its maps")
    shapes = [tuple(SIZES[letter] for letter in each) for each in axes]
    assert [tuple(each.shape) for each in weights] == shapes


def longer_neighbours(case: Case) -> None:
    """Each sequence alone, at its own length, gives what it gives in a padded batch, however
    far the batch is padded."""
    letters = {case.inputs[mask].axes[-1] for mask in case.masks}
    assert letters, "name the masks and what they mask, or say why there are none"
    layer = harness.made(case, **ALIGNED).layer
    x = harness.example(case, masking="padding")
    batch = harness.run(case, layer, x)
    for letter in letters:
        further = {n: lengthen(v, case.inputs[n], letter, 4) for n, v in x.items()}
        padded = harness.run(case, layer, further)
        own = harness.lengths(letter, SIZES)
        for row, length in enumerate(own):
            alone = {
                name: cut(value[row : row + 1], case.inputs[name].axes, letter, length)
                for name, value in x.items()
            }
            single = harness.run(case, layer, alone)
            for name, axes in case.outputs.items():
                for other in (batch, padded):
                    expected = cut(other[name][row : row + 1], axes, letter, length)
                    np.testing.assert_allclose(
                        single[name], expected, rtol=0, atol=1e-5, err_msg=f"{name} row {row}"
                    )


def lengthen(value: np.ndarray, tensor, letter: str, by: int) -> np.ndarray:
    """Garbage at the end of an axis; False where a mask is lengthened."""
    for axis, actual in enumerate(tensor.axes):
        if actual == letter:
            widths = [(0, by if i == axis else 0) for i in range(value.ndim)]
            fill = {"float": GARBAGE, "ids": 1, "mask": False}[tensor.kind]
            value = np.pad(value, widths, constant_values=fill)
    return value


def cut(value: np.ndarray, axes: str, letter: str, length: int) -> np.ndarray:
    for axis, actual in enumerate(axes):
        if actual == letter:
            value = value.take(range(length), axis)
    return value
