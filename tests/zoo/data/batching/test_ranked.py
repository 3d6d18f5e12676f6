"""Batches of ranked passages are drawn anew in every epoch, and are the same whenever read."""

import numpy as np
import pytest

from zoo.data.batching.padded_columns import Sequences
from zoo.data.batching.ranked import Contrasts, RankedBatches

PASSAGES = 12


def batches(count=3, hard=0, lists=2, seed=0, answers=5):
    """Answers whose query and passages have one id each: 100 and more, and 1 to 12."""
    queries = Sequences.of([[100 + row] for row in range(answers)], fill=0)
    passages = Sequences.of([[1 + row] * (1 + row % 2) for row in range(PASSAGES)], fill=0)
    own = [{row, PASSAGES - 1} for row in range(answers)]
    similar = [np.array([row, PASSAGES - 1, 7, 8, 9]) for row in range(answers)] if hard else None
    contrasts = Contrasts(queries, passages, np.arange(answers), own, count, hard, similar)
    return RankedBatches(contrasts, (-2.0, 3.0), lists, lambda x: x, seed)


def lists_of(ranked, epoch, shuffle=True):
    """The passages of each query in an epoch: the answer, and the others."""
    found = {}
    for batch in ranked.columns(epoch, shuffle):
        real = ~np.isnan(batch["labels"][:, 0])
        for query, passage in zip(
            batch["queries"][real, 0], batch["passages"][real, 0], strict=True
        ):
            found.setdefault(int(query) - 100, []).append(int(passage) - 1)
    return found


def test_each_answer_comes_first_with_different_passages_that_do_not_answer():
    ranked = batches()
    for epoch in range(20):
        found = lists_of(ranked, epoch)
        assert sorted(found) == [0, 1, 2, 3, 4]
        for query, (answer, *others) in found.items():
            assert answer == query and len(set(others)) == 3
            assert not {query, PASSAGES - 1} & set(others)


def test_every_epoch_draws_others_and_is_the_same_whenever_read():
    drawn = [lists_of(batches(), epoch) for epoch in range(3)]
    assert drawn[0] != drawn[1] != drawn[2] and drawn[1] == lists_of(batches(), 1)
    assert drawn[0] == lists_of(batches(), 0, shuffle=False)  # the order alone differs
    assert drawn[0] != lists_of(batches(seed=1), 0)
    whole, rest = list(batches().columns(1)), list(batches().part(1, True, slice(1, None)))
    assert len(rest) == len(whole) - 1 == 2
    for one, other in zip(whole[1:], rest, strict=True):
        assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def test_all_others_are_drawn_in_time():
    seen = {other for epoch in range(60) for other in lists_of(batches(), epoch)[2][1:]}
    assert seen == set(range(PASSAGES)) - {2, PASSAGES - 1}


def test_hard_ones_are_drawn_from_the_similar_passages():
    ranked = batches(hard=2)
    for epoch in range(10):
        for others in lists_of(ranked, epoch).values():
            assert len({7, 8, 9} & set(others[1:])) >= 2


def test_batches_have_one_shape_and_padding_does_not_count():
    shapes, counted = set(), 0
    for batch in batches().columns():
        shapes.add(tuple((name, batch[name].shape) for name in sorted(batch)))
        padding = np.isnan(batch["labels"][:, 0])
        assert not batch["queries"][padding].any() and not batch["passages"][padding].any()
        counted += int((batch["labels"] == 3.0).sum())
    assert shapes == {(("labels", (8, 1)), ("passages", (8, 2)), ("queries", (8, 1)))}
    assert counted == 5


def test_too_few_others_are_filled_with_padding():
    (batch,) = batches(count=40, answers=1).columns()
    assert batch["labels"].shape == (41, 1) and (~np.isnan(batch["labels"])).sum() == 11


@pytest.mark.parametrize("lists", [1, 3, 50])
def test_the_log_tells_their_numbers(lists):
    ranked = batches(hard=1, lists=lists)
    assert f"{ranked.steps_per_epoch} batch" in str(ranked) and "5 answers" in str(ranked)
    assert len(list(ranked.columns())) == ranked.steps_per_epoch
