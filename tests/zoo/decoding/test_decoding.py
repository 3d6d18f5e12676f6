"""Greedy and beam search against searches in plain Python over a decoder of seven tokens."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.zoo.decoding import toy as oracle
from tests.zoo.decoding.toy import END, PAD, START, Toy, inputs_of
from zoo.decoding.generate import generate
from zoo.text.special_tokens import SpecialTokens

SOURCES = np.array([[4, 5, 3, 0], [6, 3, 0, 0], [1, 4, 4, 3], [1, 3, 0, 0], [5, 6, 6, 3]], "int32")


def numbers(actual):
    return keras.tree.map_structure(ops.convert_to_numpy, actual)


def search(toy, sources, longest, **options):
    return numbers(generate(toy, inputs_of(sources), longest, **options))


def outputs(actual, row):
    """The outputs of a row as tuples without padding."""
    return [
        tuple(ids[:n]) for ids, n in zip(actual.token_ids[row], actual.lengths[row], strict=True)
    ]


def well_formed(actual, beams, longest):
    """Shapes, dtypes, order, and what may stand where in each output."""
    assert actual.token_ids.shape == (len(SOURCES), beams, longest)
    assert actual.lengths.shape == actual.scores.shape == (len(SOURCES), beams)
    assert actual.token_ids.dtype == actual.lengths.dtype == np.int32
    assert actual.scores.dtype == np.float32
    assert (np.diff(actual.scores, axis=1) <= 0).all()
    for row in range(len(SOURCES)):
        for ids, length in zip(actual.token_ids[row], actual.lengths[row], strict=True):
            written = list(ids[:length])
            assert length >= 1 and (ids[length:] == PAD).all()
            assert PAD not in written and START not in written and END not in written[:-1]
            assert written[-1] == END or length == longest
        assert len(set(outputs(actual, row))) == beams


@pytest.mark.parametrize("end", [-2.0, 0.0, 2.0])
def test_greedy_takes_the_most_probable_token_at_each_step(end):
    toy = Toy(end)
    actual = search(toy, SOURCES, 6)
    well_formed(actual, 1, 6)
    for row, source in enumerate(SOURCES):
        expected = oracle.greedy(toy, source, 6)
        assert outputs(actual, row) == [tuple(expected)]
        np.testing.assert_allclose(actual.scores[row, 0], toy.total(source, expected), atol=1e-5)


def test_rows_end_on_their_own():
    lengths = search(Toy(1.0), SOURCES, 9).lengths[:, 0]
    assert lengths.min() < 4 and len(set(lengths)) > 2  # the toy is not vacuous
    np.testing.assert_array_equal(
        lengths, [len(oracle.greedy(Toy(1.0), source, 9)) for source in SOURCES]
    )


@pytest.mark.parametrize("beams", [1, 3])
def test_a_decoder_that_never_ends_is_stopped(beams):
    actual = search(Toy(-50.0), SOURCES, 5, beams=beams)
    assert (actual.lengths == 5).all() and END not in actual.token_ids


@pytest.mark.parametrize("beams", [1, 3])
def test_a_decoder_that_ends_at_once_does_no_further_step(beams):
    class Counting(Toy):
        steps = 0

        def step(self, tokens, state):
            if keras.backend.backend() == "tensorflow":  # elsewhere a step is traced, not run
                Counting.steps += 1
            return super().step(tokens, state)

    actual = search(Counting(60.0), SOURCES, 9, beams=beams)
    assert (actual.token_ids[:, 0] == [END] + 8 * [PAD]).all()
    assert Counting.steps <= beams  # a list of three outputs takes more than one step to fill


# As many beams as there are prefixes: nothing is pruned before its time.
@pytest.mark.parametrize(("longest", "beams"), [(1, 5), (3, 64)])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 1.7])
def test_beams_enough_find_the_best_of_all_outputs(longest, beams, length_penalty):
    toy = Toy()
    actual = search(toy, SOURCES, longest, beams=beams, length_penalty=length_penalty)
    well_formed(actual, beams, longest)
    for row, source in enumerate(SOURCES):
        best = oracle.best_of_all(toy, source, longest, length_penalty)[:beams]
        assert outputs(actual, row) == [output for _, output in best]
        np.testing.assert_allclose(actual.scores[row], [s for s, _ in best], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("beams", [2, 5])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, -0.5])
@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_a_narrow_search_keeps_the_beams_it_is_said_to_keep(beams, length_penalty, end):
    toy = Toy(end)
    actual = search(toy, SOURCES, 7, beams=beams, length_penalty=length_penalty)
    well_formed(actual, beams, 7)
    for row, source in enumerate(SOURCES):
        expected = oracle.beam_search(toy, source, 7, beams, length_penalty)
        assert outputs(actual, row) == [output for _, output in expected]
        np.testing.assert_allclose(
            actual.scores[row], [s for s, _ in expected], rtol=1e-4, atol=1e-5
        )


def test_a_search_may_find_what_greed_misses():
    toy = Toy()
    greedy = search(toy, SOURCES, 7).scores[:, 0]
    beams = search(toy, SOURCES, 7, beams=5, length_penalty=0.0).scores[:, 0]
    assert (beams > greedy + 0.01).any()


def test_the_length_penalty_favours_longer_outputs():
    lengths = [
        search(Toy(1.0), SOURCES, 8, beams=5, length_penalty=p).lengths[:, 0].sum()
        for p in (0.0, 1.0)
    ]
    assert lengths[0] < lengths[1]


@pytest.mark.parametrize(
    "options", [{}, {"beams": 3}, {"temperature": 1.3, "seed": 7}, {"no_repeat_ngram": 2}]
)
def test_nothing_follows_a_source_without_tokens(options):
    """Padding, a start and an end are no tokens; an unknown word is one."""
    empty = np.array([[3, 0, 0, 0], [0, 0, 0, 0], [2, 3, 0, 0], [2, 0, 0, 0]], "int32")
    mixed = np.concatenate([SOURCES, empty])
    actual, others = search(Toy(), mixed, 7, **options), search(Toy(), SOURCES, 7, **options)
    for whole, part in zip(actual, others, strict=True):
        np.testing.assert_allclose(whole[: len(SOURCES)], part, rtol=1e-5)
    assert (actual.lengths[: len(SOURCES)] > 0).all()
    assert (actual.token_ids[len(SOURCES) :] == 0).all()
    assert (actual.lengths[len(SOURCES) :] == 0).all()
    assert (actual.scores[len(SOURCES) :, 0] == 0).all()
    alone = search(Toy(), empty, 7, **options)
    assert (alone.lengths == 0).all() and (alone.token_ids == 0).all()


@pytest.mark.parametrize(("longest", "outputs_in_all"), [(1, 5), (2, 21)])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_beams_without_an_output_left_to_find_are_empty(longest, outputs_in_all, length_penalty):
    """One token has five choices: of seven beams two find nothing."""
    actual = search(
        Toy(), SOURCES, longest, beams=outputs_in_all + 2, length_penalty=length_penalty
    )
    real, empty = np.split(np.arange(outputs_in_all + 2), [outputs_in_all])
    assert (actual.lengths[:, real] >= 1).all() and (actual.scores[:, real] > -100).all()
    assert START not in actual.token_ids
    for row in range(len(SOURCES)):
        assert len(set(outputs(actual, row))) == outputs_in_all + 1  # and the empty one
    assert (actual.lengths[:, empty] == 0).all() and (actual.token_ids[:, empty] == PAD).all()
    assert (actual.scores[:, empty] <= -1e8).all()


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{"beams": 3}, {}], ids=str)
def test_neither_neighbours_nor_padding_matter(options):
    toy = Toy()
    batch = search(toy, SOURCES, 7, **options)
    further = search(toy, np.pad(SOURCES, [(0, 0), (0, 3)]), 7, **options)
    for row, source in enumerate(SOURCES):
        alone = search(toy, source[source != PAD][None], 7, **options)
        for actual, at in ((alone, 0), (further, row)):
            assert outputs(actual, at) == outputs(batch, row)
            np.testing.assert_allclose(actual.scores[at], batch.scores[row], atol=1e-5)


class Renamed(Toy):
    """The same decoder under other ids, and without a token for padding: that is -1."""

    names = np.array([-1, 4, 2, 0, 5, 1, 3])  # by the toy's own ids
    special_tokens = SpecialTokens(pad=-1, unknown=4, start=2, end=0)
    own = np.argsort(names).astype("int32")

    def encode(self, inputs):
        return super().encode(
            {**inputs, "source_ids": ops.take(self.own, inputs["source_ids"] + 1)}
        )

    def step(self, tokens, state):
        logits, state = super().step(ops.take(self.own, tokens + 1), state)
        return ops.take(logits, self.own[1:], axis=-1), state


@pytest.mark.parametrize(
    "options", [{}, {"beams": 3}, {"beams": 3, "early_stopping": True}, {"temperature": 1.0}]
)
def test_other_ids_are_other_names_for_the_same_tokens(options):
    expected = search(Toy(1.0), SOURCES, 7, seed=5, **options)
    how = {"seed": 5, "special_tokens": Renamed.special_tokens, **options}
    sources = inputs_of(Renamed.names[SOURCES].astype("int32"), pad=-1)
    actual = numbers(generate(Renamed(1.0), sources, 7, **how))
    assert (expected.lengths < 7).any()
    np.testing.assert_array_equal(actual.token_ids, Renamed.names[expected.token_ids])
    np.testing.assert_array_equal(actual.lengths, expected.lengths)
    np.testing.assert_allclose(actual.scores, expected.scores, rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("length_penalty", [0.0, 1.7])
def test_the_first_outputs_that_end_are_taken(length_penalty):
    toy = Toy(1.0)
    how = {"beams": 3, "length_penalty": length_penalty}
    actual = search(toy, SOURCES, 7, early_stopping=True, **how)
    for row, source in enumerate(SOURCES):
        first = oracle.beam_search(toy, source, 7, 3, length_penalty, early_stopping=True)
        assert outputs(actual, row) == [output for _, output in first]
    patient = search(toy, SOURCES, 7, **how)
    assert (patient.scores[:, 0] >= actual.scores[:, 0] - 1e-6).all()


@pytest.mark.parametrize("length_penalty", [-0.5, 0.0, 1.5])
def test_a_search_that_never_stops_early_misses_no_better_output(length_penalty):
    toy = Toy(0.5)
    how = {"beams": 2, "length_penalty": length_penalty}
    actual = search(toy, SOURCES, 7, early_stopping="never", **how)
    for row, source in enumerate(SOURCES):
        last = oracle.beam_search(toy, source, 7, 2, length_penalty, early_stopping="never")
        assert outputs(actual, row) == [output for _, output in last]
    sooner = search(toy, SOURCES, 7, **how)
    gain = actual.scores[:, -1] - sooner.scores[:, -1]
    assert (gain >= -1e-6).all()
    # Only where long outputs are preferred can one that is still running overtake.
    assert (gain.max() > 1e-3) == (length_penalty == 1.5)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="traces a TensorFlow graph")
@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{"beams": 3}, {"temperature": 1.0, "seed": 5}, {}], ids=str)
def test_a_graph_for_all_sizes_finds_the_same(options):
    import tensorflow as tf

    toy = Toy()
    # A seed gives other numbers in a graph than outside of it, so both sides are graphs.
    fixed = tf.function(lambda ids: generate(toy, inputs_of(ids), 7, **options), autograph=False)
    free = tf.function(
        lambda ids: generate(toy, inputs_of(ids), 7, **options),
        input_signature=[tf.TensorSpec([None, None], tf.int32)],
        autograph=False,
    )
    for sources in (SOURCES, SOURCES[:2]):
        expected, actual = numbers(fixed(tf.constant(sources))), numbers(free(tf.constant(sources)))
        np.testing.assert_array_equal(actual.token_ids, expected.token_ids)
        if "temperature" not in options:
            eager = search(toy, sources, 7, **options)
            np.testing.assert_array_equal(actual.token_ids, eager.token_ids)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1; received 0"),
        ({"beams": 0}, "beams must be at least 1; received 0"),
        ({"temperature": -0.5}, "temperature must be at least 0; received -0.5"),
        ({"top_k": -1}, "top_k must be at least 0; received -1"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1; received 0.0"),
        ({"top_p": 1.5}, "top_p must be above 0 and at most 1; received 1.5"),
        ({"early_stopping": "late"}, """must be True, False or "never"; received 'late'"""),
        ({"temperature": 1.0, "beams": 2}, "needs beams=1; received 2"),
    ],
)
def test_arguments_out_of_range_name_themselves(options, message):
    with pytest.raises(ValueError, match=message):
        generate(Toy(), inputs_of(SOURCES), **{"max_new_tokens": 3, **options})
