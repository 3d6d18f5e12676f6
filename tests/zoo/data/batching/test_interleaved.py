"""Batches of several tasks in turn: how often, in which order, and with which labels."""

import itertools

import numpy as np
import pytest

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.interleaved import InterleavedTasks
from zoo.data.batching.padded_columns import Numbers, Sequences
from zoo.data.batching.sampling import Sampling
from zoo.data_statistics import Statistics
from zoo.errors import UserError

NAMES = ["many", "few"]


def part(count, first, unknown=0):
    """Texts of one token each, two in a batch, labeled by their numbers."""
    columns = {
        "token_ids": Sequences.of([[first + i] for i in range(count)], fill=0),
        "labels": Numbers(np.arange(count, dtype=np.int32)),
    }
    return BucketedBatches(
        columns,
        lambda x: (x["token_ids"], x["labels"]),
        lambda s, t: 2,
        max_buckets=1,
        seed=3,
        statistics=Statistics({"unknown tokens": unknown}),
    )


def parts():
    """5 batches of one task, 2 of another, the last of which is half filled."""
    return {"many": part(10, first=100, unknown=5), "few": part(3, first=200)}


def seen(sampled, **options):
    """Of each batch its task, and the labels in it; labels of other tasks are -1."""
    actual = []
    for tokens, labels in sampled.dataset(**options).as_numpy_iterator():
        assert list(labels) == NAMES
        (name,) = [name for name, numbers in labels.items() if (numbers >= 0).any()]
        assert all((numbers == -1).all() for each, numbers in labels.items() if each != name)
        first = 100 if name == "many" else 200
        expected = np.where(tokens[:, 0] > 0, tokens[:, 0] - first, -1)
        np.testing.assert_array_equal(labels[name], expected)
        actual.append((name, tuple(sorted(i for i in labels[name].tolist() if i >= 0))))
    return actual


@pytest.mark.parametrize(
    ("exponent", "counts"),
    # 7 batches in all; 0.5: sqrt(5) and sqrt(2) of their sum.
    [(1.0, {"many": 5, "few": 2}), (0.5, {"many": 4, "few": 3}), (0.0, {"many": 4, "few": 3})],
)
def test_each_task_has_its_share(exponent, counts):
    sampled = InterleavedTasks(parts(), Sampling(exponent), seed=5)
    assert sampled.counts() == counts and sampled.steps_per_epoch == sum(counts.values())
    for epoch in (0, 1):
        names = [name for name, _ in seen(sampled, start_epoch=epoch)]
        assert {name: names.count(name) for name in counts} == counts


def test_in_proportion_every_text_comes_once_an_epoch():
    actual = seen(InterleavedTasks(parts()), start_epoch=3)
    for name, count in (("many", 10), ("few", 3)):
        labels = [label for each, batch in actual if each == name for label in batch]
        assert sorted(labels) == list(range(count))


@pytest.mark.parametrize("sampling", [Sampling(0.0), Sampling(0.5), Sampling(1.0, 0.0, epochs=3)])
def test_a_task_continues_where_the_epoch_before_left_it(sampling):
    """Whatever the epochs are, all batches of a task come one after the other, epoch by epoch."""
    sampled = InterleavedTasks(parts(), sampling, seed=5)
    actual = [one for epoch in range(4) for one in seen(sampled, start_epoch=epoch)]
    for name, each in parts().items():
        own = [labels for other, labels in actual if other == name]
        stream = (
            tuple(sorted(i for i in x["labels"].tolist() if i >= 0))
            for epoch in itertools.count()
            for x in each.columns(epoch)
        )
        assert own == list(itertools.islice(stream, len(own)))


def test_in_a_fixed_order_each_task_comes_once():
    sampled = InterleavedTasks(parts(), Sampling(0.0))
    actual = seen(sampled, shuffle=False)
    assert [name for name, _ in actual] == ["many"] * 5 + ["few"] * 2
    assert len(actual) == sampled.steps(shuffle=False) == 7
    assert [labels for _, labels in actual[5:]] == [(0, 1), (2,)]


def test_the_order_is_of_seed_and_epoch():
    first, again = InterleavedTasks(parts(), seed=5), InterleavedTasks(parts(), seed=5)
    orders = [[name for name, _ in seen(first, start_epoch=epoch)] for epoch in range(4)]
    assert orders[2] == [name for name, _ in seen(again, start_epoch=2)]
    assert len({tuple(order) for order in orders}) > 1
    others = [
        tuple(name for name, _ in seen(InterleavedTasks(parts(), seed=seed))) for seed in range(4)
    ]
    assert len(set(others)) > 1


def test_the_log_says_what_each_task_has():
    sampled = InterleavedTasks(parts(), Sampling(0.5))
    assert str(sampled) == (
        "4 batches of many: 10 examples in 5 batches (batch size x lengths: 2x1), 0% padding; "
        "5 unknown tokens; 3 batches of few: 3 examples in 2 batches (batch size x lengths: 2x1), "
        "25% padding"
    )
    assert sampled.statistics == {"unknown tokens": 5}


@pytest.mark.parametrize("exponent", [-0.1, 1.1])
def test_an_exponent_out_of_range(exponent):
    with pytest.raises(UserError, match=f"sampling must be from 0 to 1, got {exponent}"):
        Sampling(exponent)
    with pytest.raises(UserError, match=f"sampling must be from 0 to 1, got {exponent}"):
        Sampling(1.0, exponent)


def test_annealed_sampling_is_that_of_the_paper():
    """Exponent 1 - 0.8 (e - 1) / (E - 1) in epoch e of E, from 1, in float64."""
    sizes, epochs = [3000, 400, 17], 5
    for epoch in range(epochs):
        power = np.array(sizes, float) ** (1 - 0.8 * epoch / (epochs - 1))
        expected = power / power.sum() * sum(sizes)
        counts = Sampling(1.0, 0.2, epochs).counts(sizes, epoch)
        assert sum(counts) == sum(sizes)
        np.testing.assert_allclose(counts, expected, atol=1.0)
    assert Sampling(1.0, 0.2, epochs).counts(sizes, 9) == counts  # after the last epoch


def test_no_task_is_left_out_and_no_batch_added():
    random = np.random.default_rng(7)
    for _ in range(200):
        sizes = random.integers(1, 500, size=random.integers(1, 7)).tolist()
        counts = Sampling(random.uniform()).counts(sizes, 0)
        assert min(counts) >= 1 and sum(counts) == sum(sizes)
        assert Sampling(1.0).counts(sizes, 0) == sizes
