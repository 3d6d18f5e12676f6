"""A decoder under the prefix mask: against NumPy float64, against GPT, and as a translator."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles import blocks
from tests.oracles.position import sinusoidal
from tests.variants import thoroughly_but
from tests.zoo.models.families import batch, make, run, shared
from tests.zoo.models.test_transformer import of_layer
from zoo.decoding.generate import generate
from zoo.models.gpt import GPT
from zoo.models.prefix import moved
from zoo.text.special_tokens import END, PAD, START

POSITIONS = ["learned", "rotary", "alibi", "sinusoidal", "none"]
every_position = pytest.mark.parametrize("position", POSITIONS)
decodes_with_positions = thoroughly_but("learned", POSITIONS, "position")


def trapezoid(source, target):
    """Row by row, as one would draw it."""
    mask = np.zeros((source + target, source + target), bool)
    for t in range(source + target):
        mask[t, : max(source, t + 1)] = True
    return mask


def of_row(inputs, row):
    """The real tokens of a row, without padding."""
    return [inputs[f"{side}_ids"][row][inputs[f"{side}_mask"][row]] for side in SIDES]


SIDES = ("source", "target")


@pytest.mark.parametrize("pre_norm", [True, False])
@every_position
def test_logits_are_those_of_the_formulas(position, pre_norm):
    model, inputs = make("prefix_gpt", num_layers=2, position=position, pre_norm=pre_norm), batch()
    (table,), logits = of_layer(model, "embedding"), run(model, inputs)
    in_heads = (position, {}) if position in ("rotary", "alibi") else None
    how = {"activation": "gelu_tanh", "pre_norm": pre_norm, "position": in_heads}
    for row in range(3):
        source, target = of_row(inputs, row)
        x = table[np.concatenate([source, target])][None]
        if position == "learned":
            x = x + of_layer(model, "positions")[0][: x.shape[1]]
        if position == "sinusoidal":
            x = x + sinusoidal(x.shape[1], 8)
        mask = trapezoid(len(source), len(target))[None]
        for i in range(2):
            x = blocks.encoder_block(of_layer(model, f"block_{i}"), x, mask, **how)
        x = blocks.layer_norm(x, *of_layer(model, "norm")) if pre_norm else x
        expected = (x @ table.T)[0, len(source) :]
        np.testing.assert_allclose(logits[row, : len(target)], expected, atol=2e-5)


@every_position
def test_behind_a_source_of_one_token_it_is_gpt(position):
    """One position sees nothing later than itself, however it looks."""
    model = shared("prefix_gpt", position=position, num_layers=2)
    gpt = GPT.from_config(model.backbone.get_config())
    layers, own = ([(w.path.split("/")[0], w.shape) for w in m.weights] for m in (gpt, model))
    assert own == layers
    gpt.set_weights(model.get_weights())
    inputs = batch(source=1)
    ids = np.concatenate([inputs["source_ids"], inputs["target_ids"]], axis=1)
    mask = np.concatenate([inputs["source_mask"], inputs["target_mask"]], axis=1)
    expected = run(gpt, {"token_ids": ids, "padding_mask": mask})[:, 1:]
    real = inputs["target_mask"]
    np.testing.assert_allclose(run(model, inputs)[real], expected[real], atol=5e-6)
    assert np.abs(run(model, batch(source=2)) - run(model, inputs)).max() > 1e-2


def greedy(model, source, count):
    """One token after the other, each from a pass over all of them."""
    ids, total = [START], 0.0
    for _ in range(count):
        x = {"source_ids": source[None], "target_ids": np.array([ids], "int32")}
        masks = {f"{side}_mask": np.ones(x[f"{side}_ids"].shape, bool) for side in SIDES}
        logits = run(model, x | masks)[0, -1].astype("float64")
        logits[[PAD, START]] = -np.inf
        log_p = logits - np.log(np.exp(logits).sum())
        ids.append(int(log_p.argmax()))
        total += log_p.max()
        if ids[-1] == END:
            break
    return ids[1:], total


def sources(ids):
    ids = ops.convert_to_tensor(ids)
    return {"source_ids": ids, "source_mask": ops.not_equal(ids, PAD)}


@decodes_with_positions
def test_sources_of_unequal_lengths_are_written_for_as_if_alone(position):
    model, x = shared("prefix_gpt", position=position, num_layers=2), batch()
    tokens, lengths, scores = numpy(generate(model, sources(x["source_ids"]), 6))
    for row in range(3):
        expected, total = greedy(model, of_row(x, row)[0], 6)
        assert list(tokens[row, 0, : lengths[row, 0]]) == expected
        np.testing.assert_allclose(scores[row, 0], total, atol=2e-5)
    assert np.diff(np.sort(scores[:, 0])).min() > 1e-2


@pytest.mark.thorough
@decodes_with_positions
def test_beams_of_unequal_sources_are_those_of_each_alone(position):
    model, x = shared("prefix_gpt", position=position, num_layers=2), batch()
    further = sources(np.pad(x["source_ids"], [(0, 0), (0, 4)]))
    together = numpy(generate(model, further, 5, beams=3, length_penalty=0.7))
    for row in range(3):
        own = sources(of_row(x, row)[0][None])
        alone = numpy(generate(model, own, 5, beams=3, length_penalty=0.7))
        for one, all_ in zip(alone, together, strict=True):
            np.testing.assert_allclose(one[0], all_[row], rtol=1e-4, atol=1e-5)
    assert (np.diff(together.scores, axis=1) < 0).all()


def numpy(nest):
    return keras.tree.map_structure(ops.convert_to_numpy, nest)


@every_position
def test_maps_are_of_the_source_as_it_was_given(position):
    model, inputs = shared("prefix_gpt", position=position, num_layers=2), batch()
    actual = numpy(model.attention_maps(tensors(inputs)))
    for row in range(3):
        source, target = of_row(inputs, row)
        own = {f"{side}_ids": ids[None] for side, ids in zip(SIDES, (source, target), strict=True)}
        own |= {f"{side}_mask": np.ones_like(own[f"{side}_ids"], bool) for side in SIDES}
        alone = numpy(model.attention_maps(tensors(own)))
        own = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
        for part, (rows, columns) in own.items():
            maps, (expected,) = actual[part][-1][row, :, : len(rows)], alone[part][-1]
            np.testing.assert_allclose(maps[..., : len(columns)], expected, atol=5e-6)
            assert not maps[..., len(columns) :].any() and np.ptp(expected) > 0.02
    whole = actual["cross"][-1].sum(-1) + actual["decoder"][-1].sum(-1)
    np.testing.assert_allclose(whole.swapaxes(1, 2)[inputs["target_mask"]], 1, atol=1e-5)


def tensors(inputs):
    return keras.tree.map_structure(ops.convert_to_tensor, inputs)


def test_source_and_target_share_the_positions():
    model = shared("prefix_gpt", max_sequence_length=12)
    assert (model.max_sequence_length, model.positions_of(7, 5)) == (12, 12)
    assert shared("bart").positions_of(7, 5) == 7
    # Padding may reach further than the positions.
    wide = {key: np.pad(value, [(0, 0), (0, 30)]) for key, value in batch().items()}
    mask = batch()["target_mask"]
    actual = run(model, wide)[:, :5][mask]
    np.testing.assert_allclose(actual, run(model, batch())[mask], atol=5e-6)


def test_rows_are_moved_around():
    x = np.arange(2 * 3 * 5).reshape(2, 3, 5)
    expected = np.stack([np.roll(x[0], 2, axis=-1), np.roll(x[1], -1, axis=-1)])
    actual = moved(ops.convert_to_tensor(x), ops.convert_to_tensor([2, -1], "int32"))
    np.testing.assert_array_equal(ops.convert_to_numpy(actual), expected)
