"""Sampling: what is drawn, how often, and what never."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles.hashing import hash_of
from tests.zoo.decoding.toy import END, INNER, PAD, START, VOCABULARY, Toy, inputs_of
from zoo.decoding.generate import generate
from zoo.decoding.rng import row_seeds, uniform
from zoo.decoding.sampling import draw

SOURCE = np.array([4, 5, 3], "int32")
ROWS = 4000
# The 0.999 quantile of chi-square by its degrees of freedom.
CRITICAL = {1: 10.83, 2: 13.82, 3: 16.27, 4: 18.47}


def sampled(rows=ROWS, longest=1, source=SOURCE, **options):
    sources = inputs_of(np.tile(source, (rows, 1)))
    options = {"temperature": 1.0, "seed": 11, **options}
    actual = generate(Toy(), sources, longest, **options)
    return keras.tree.map_structure(ops.convert_to_numpy, actual)


def probabilities(temperature=1.0, prefix=()):
    shares = np.exp(Toy().log_p(SOURCE, list(prefix)) / temperature)
    return shares / shares.sum()


def agree(counts, shares):
    """Pearson's test; what has no probability must not occur at all."""
    possible = shares > 0
    assert counts[~possible].sum() == 0
    expected = counts.sum() * shares[possible]
    assert (expected > 5).all()  # else the test means nothing
    statistic = ((counts[possible] - expected) ** 2 / expected).sum()
    assert statistic < CRITICAL[possible.sum() - 1], statistic


def counts_of(tokens):
    return np.bincount(tokens, minlength=VOCABULARY)


@pytest.mark.parametrize("temperature", [0.7, 1.0, 2.0])
def test_tokens_come_as_often_as_the_model_says(temperature):
    first = sampled(temperature=temperature).token_ids[:, 0, 0]
    agree(counts_of(first), probabilities(temperature))
    assert {PAD, START}.isdisjoint(first)


def test_later_tokens_depend_on_what_was_drawn_before():
    ids = sampled(longest=2).token_ids[:, 0]
    first = np.bincount(ids[:, 0]).argmax()
    if first == END:
        first = counts_of(ids[ids[:, 0] != END, 0]).argmax()
    followers = ids[ids[:, 0] == first, 1]
    assert len(followers) > 200
    agree(counts_of(followers), probabilities(prefix=[first]))


def test_the_score_is_the_log_probability_of_the_output():
    actual = sampled(rows=7, longest=5)
    for ids, length, score in zip(actual.token_ids, actual.lengths, actual.scores, strict=True):
        np.testing.assert_allclose(
            score[0], Toy().total(SOURCE, list(ids[0, : length[0]])), rtol=1e-4
        )
    assert len(set(actual.lengths[:, 0])) > 1


def test_rows_end_on_their_own():
    actual = sampled(rows=50, longest=6)
    for ids, length in zip(actual.token_ids[:, 0], actual.lengths[:, 0], strict=True):
        assert (ids[length:] == PAD).all() and END not in ids[: length - 1]
        assert ids[length - 1] == END or length == 6
    assert {PAD, START}.isdisjoint(actual.token_ids[:, 0, 0])


@pytest.mark.parametrize("top_k", [1, 2, 4])
def test_top_k_draws_from_so_many(top_k):
    shares = probabilities()
    shares[shares < np.sort(shares)[-top_k]] = 0
    counts = counts_of(sampled(top_k=top_k).token_ids[:, 0, 0])
    if top_k == 1:
        assert counts[shares.argmax()] == ROWS
    else:
        agree(counts, shares / shares.sum())


def test_top_k_beyond_the_vocabulary_draws_from_all():
    np.testing.assert_array_equal(
        sampled(rows=100, top_k=1000).token_ids, sampled(rows=100).token_ids
    )


@pytest.mark.parametrize("kept", [1, 2, 3, 4])
def test_top_p_draws_from_the_fewest_that_hold_the_share(kept):
    shares = probabilities()
    order = np.argsort(-shares)
    top_p = shares[order[:kept]].sum() - 0.01  # so that without the last of them it is missed
    assert shares[order[: kept - 1]].sum() < top_p
    expected = np.where(np.isin(np.arange(VOCABULARY), order[:kept]), shares, 0)
    counts = counts_of(sampled(top_p=top_p).token_ids[:, 0, 0])
    if kept == 1:
        assert counts[order[0]] == ROWS
    else:
        agree(counts, expected / expected.sum())


def test_the_share_of_top_p_is_of_what_top_k_left():
    """Of shares 0.4 0.3 0.2 0.1, two hold 0.7; of the best three, renormalized, 0.78."""
    logits = np.log(np.tile([0.1, 0.4, 0.2, 0.3], (ROWS, 1))).astype("float32")
    u = (np.arange(ROWS, dtype="float32")[:, None] + 0.5) / ROWS

    def support(**options):
        return set(ops.convert_to_numpy(draw(ops.convert_to_tensor(logits), u, **options)))

    assert support(top_p=0.75) == {1, 3, 2}
    assert support(top_p=0.75, top_k=3) == {1, 3}


@pytest.mark.parametrize("u", [0.0, 0.5, np.nextafter(np.float32(1), np.float32(0))])
@pytest.mark.parametrize("options", [{}, {"top_k": 2}, {"top_p": 0.5}], ids=str)
def test_no_chance_draws_what_is_impossible(u, options):
    logits = np.array([[-1e9, 0.5, -1e9, -0.5, -np.inf, 0.1]], "float32")
    token = draw(ops.convert_to_tensor(logits), np.full((1, 1), u, "float32"), **options)
    assert int(token[0]) in (1, 3, 5)


@pytest.mark.parametrize("temperature", [1e-3, 1e-20])
def test_no_temperature_is_greed(temperature):
    sources = inputs_of(np.array([[4, 5, 3], [6, 3, 0], [1, 4, 3]], "int32"))
    cold = generate(Toy(), sources, 7, temperature=temperature, seed=3)
    greedy = generate(Toy(), sources, 7)
    np.testing.assert_array_equal(*map(ops.convert_to_numpy, (cold.token_ids, greedy.token_ids)))
    np.testing.assert_allclose(
        *map(ops.convert_to_numpy, (cold.scores, greedy.scores)), rtol=1e-6, atol=5e-6
    )


def test_a_seed_fixes_what_is_drawn():
    first, same, other = (sampled(rows=20, longest=5, seed=seed).token_ids for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()
    drawn = [sampled(rows=20, longest=5, seed=None).token_ids for _ in range(2)]
    assert (drawn[0] != drawn[1]).any()


def test_chance_is_a_hash_of_the_seed_the_row_and_the_step():
    """Whole words of 24 bits, and the same on every backend."""
    rows = np.array([5, 0, 3, 70001])
    for seed in (0, 7, -1, 2**31, 2**32 - 1, np.int64(11), np.uint8(5)):
        seeds = row_seeds(seed, rows)
        for step in (0, 1, 97):
            actual = ops.convert_to_numpy(uniform(seeds, step))
            words = hash_of(np.full(4, step), (np.full(4, int(seed) % 2**32), rows))
            np.testing.assert_array_equal(actual, (words[:, None] >> 8) / 2.0**24)
    assert ops.convert_to_numpy(row_seeds(2**32 + 3, rows)).tolist() == [[3, row] for row in rows]


def test_rows_of_one_seed_are_drawn_the_same_wherever_they_stand():
    together = sampled(rows=9, longest=5).token_ids
    rows = np.array([7, 2, 8])
    apart = sampled(rows=3, longest=5, seed=row_seeds(11, rows)).token_ids
    np.testing.assert_array_equal(apart, together[rows])
    longer = sampled(rows=9, longest=6).token_ids
    np.testing.assert_array_equal(longer[:, :, :5], together)


def test_steps_and_rows_are_drawn_independently():
    """With the same chance in all rows or steps, all would fall alike."""
    first = sampled(rows=200).token_ids[:, 0, 0]
    assert len(set(first)) == len(INNER) + 1
