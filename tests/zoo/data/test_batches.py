"""Batches: what they hold, their shapes, and their order from epoch to epoch."""

import collections

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data import BucketedPairs
from zoo.data.batches import Bucket
from zoo.errors import UserError
from zoo.text import train_tokenizer

TOKENIZER = train_tokenizer("characters", ["abc"], 8)  # "▁" 4, a 5, b 6, c 7


def make(pairs, **options):
    options = {"batch_size": 3} | options
    sources, targets = zip(*pairs, strict=True)
    return BucketedPairs(sources, targets, TOKENIZER, **options)


def some_pairs(count=101, seed=3):
    random = np.random.default_rng(seed)

    def text():
        return "".join(random.choice(list("abc"), random.integers(1, 29)))

    return [(text(), text()) for _ in range(count)]


def ids(text):
    return [4, *("▁abc".index(character) + 4 for character in text)] if text else []


def contents(batches):
    """The pairs in batches, as tuples of ids."""
    found = collections.Counter()
    for x, labels in batches:
        for row, label in zip(x["source_ids"], labels, strict=True):
            if np.any(row):
                found[tuple(np.trim_zeros(row, "b")), tuple(np.trim_zeros(label, "b"))] += 1
    return found


def flatten(batches):
    return [[*x.values(), labels] for x, labels in batches]


def same(one, other):
    one, other = flatten(one), flatten(other)
    return len(one) == len(other) and all(
        np.array_equal(a, b)
        for left, right in zip(one, other, strict=True)
        for a, b in zip(left, right, strict=True)
    )


def test_one_batch_in_full():
    source_ids = np.array([[4, 5, 6, 3], [3, 0, 0, 0]], np.int32)
    labels = np.array([[4, 7, 3, 0, 0], [4, 5, 6, 7, 3]], np.int32)
    x, labels = Bucket(source_ids, labels, batch_size=3).batch(np.array([1, 0]))
    expected = {
        "source_ids": [[3, 0, 0, 0], [4, 5, 6, 3], [0, 0, 0, 0]],
        "target_ids": [[2, 4, 5, 6, 7], [2, 4, 7, 0, 0], [0, 0, 0, 0, 0]],
    }
    for name, rows in expected.items():
        assert x[name].dtype == np.int32
        np.testing.assert_array_equal(x[name], rows)
        mask = x[name.replace("ids", "mask")]
        assert mask.dtype == bool
        np.testing.assert_array_equal(mask, np.array(rows) != 0)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels, [[4, 5, 6, 7, 3], [4, 7, 3, 0, 0], [0, 0, 0, 0, 0]])


@settings(max_examples=25, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.text("abc", max_size=17), st.text("abc", max_size=17)), min_size=1),
    sizes=st.sampled_from([{"batch_size": 5}, {"batch_size": None, "tokens_per_batch": 47}]),
    shuffle=st.booleans(),
    epoch=st.integers(0, 5),
)
def test_every_pair_once_and_every_batch_well_formed(pairs, sizes, shuffle, epoch):
    data = make(pairs, **sizes)
    batches = list(data.batches(epoch, shuffle))
    expected = collections.Counter(((*ids(s), 3), (*ids(t), 3)) for s, t in pairs)
    assert contents(batches) == expected
    assert len(batches) == data.steps_per_epoch
    shapes = {(*x["source_ids"].shape, labels.shape[1]) for x, labels in batches}
    assert shapes == {bucket.shape for bucket in data.buckets}
    for x, labels in batches:
        assert x["target_ids"].shape == x["target_mask"].shape == labels.shape
        np.testing.assert_array_equal(x["target_mask"], labels != 0)
        np.testing.assert_array_equal(x["source_mask"], x["source_ids"] != 0)
        for row, label in zip(x["target_ids"], labels, strict=True):
            if np.any(label):
                length = np.count_nonzero(label)
                assert row[0] == 2 and label[length - 1] == 3
                np.testing.assert_array_equal(row[1:length], label[: length - 1])
            assert not np.any(row[np.count_nonzero(label) :])
        assert not np.any(x["source_mask"].any(1) ^ x["target_mask"].any(1))


def test_few_shapes_little_padding_and_full_batches_but_one_a_bucket():
    data = make(some_pairs(499), batch_size=None, tokens_per_batch=300)
    assert 1 < len(data.buckets) <= 6
    filled = collections.Counter()
    for x, labels in data.batches():
        rows, length = labels.shape
        assert rows * max(length, x["source_ids"].shape[1]) <= 300
        filled[labels.shape, np.count_nonzero(labels.any(1)) == rows] += 1
    assert all(count == 1 for (_, full), count in filled.items() if not full)
    assert data.target_tokens == sum(int((labels != 0).sum()) for _, labels in data.batches())
    held = sum(labels.size + x["source_ids"].size for x, labels in data.batches())
    used = sum((labels != 0).sum() + x["source_mask"].sum() for x, labels in data.batches())
    assert data.padding == pytest.approx(1 - used / held)


def test_epochs_differ_and_do_not_depend_on_those_before():
    data, again = make(some_pairs(), seed=11), make(some_pairs(), seed=11)
    zeroth, first = list(data.batches(0)), list(data.batches(1))
    assert not same(zeroth, first)
    assert same(first, again.batches(1))
    assert same(zeroth, again.batches(0))
    assert not same(zeroth, make(some_pairs(), seed=12).batches(0))
    assert same(data.batches(0, shuffle=False), data.batches(1, shuffle=False))
    # other rows meet in a batch, not only the same batches in another order
    assert {x["source_ids"].tobytes() for x, _ in zeroth} != {
        x["source_ids"].tobytes() for x, _ in first
    }


def as_numpy(dataset):
    return [({k: v.numpy() for k, v in x.items()}, labels.numpy()) for x, labels in dataset]


def test_dataset_is_the_batches_and_repeats_epoch_after_epoch():
    data = make(some_pairs())
    once = data.dataset(start_epoch=2)
    assert int(once.cardinality()) == data.steps_per_epoch
    assert same(as_numpy(once), data.batches(2))
    steps = data.steps_per_epoch
    endless = as_numpy(data.dataset(start_epoch=2, repeat=True).take(2 * steps))
    assert same(endless[:steps], data.batches(2))
    assert same(endless[steps:], data.batches(3))
    x, labels = once.element_spec
    assert [x[name].dtype.name for name in x] == ["int32", "bool", "int32", "bool"]
    assert labels.dtype.name == "int32"


def test_a_dataset_may_be_read_twice():
    dataset = make(some_pairs()).dataset(start_epoch=1)
    assert same(as_numpy(dataset), as_numpy(dataset))


def test_truncation_keeps_the_end_and_is_counted():
    data = make(
        [("abcabc", "ab"), ("abc", "abcab"), ("ab", "abc")],
        max_source_length=5,
        max_target_length=4,
    )
    assert contents(data.batches()) == {
        ((4, 5, 6, 7, 3), (4, 5, 6, 3)): 2,
        ((4, 5, 6, 3), (4, 5, 6, 3)): 1,
    }
    assert str(data).endswith("; 1 sources cut to 5 tokens; 2 targets cut to 4 tokens")
    strange = make([("abx", "ab"), ("xyx", "z"), ("", "a")])
    assert str(strange).endswith("% padding; 1 texts without tokens; 3 unknown tokens")


def test_a_batch_is_no_larger_than_its_bucket():
    data = make([("a", "b"), ("a", "b")], batch_size=64)
    assert data.buckets[0].shape == (2, 3, 3)
    assert str(data) == "2 pairs in 1 batches (B x S x T: 2x3x3), 0% padding"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tokens_per_batch": 7}, "either batch_size or tokens_per_batch"),
        ({"batch_size": None}, "either batch_size or tokens_per_batch"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"batch_size": None, "tokens_per_batch": 0}, "tokens_per_batch must be at least 1"),
        ({"max_source_length": 1}, "max_source_length must be at least 2"),
        ({"max_target_length": 1}, "max_target_length must be at least 2"),
    ],
)
def test_senseless_arguments(options, message):
    with pytest.raises(UserError, match=message):
        make([("a", "b")], **options)


def test_no_pairs_and_uneven_pairs():
    with pytest.raises(UserError, match="no pairs"):
        BucketedPairs([], [], TOKENIZER, batch_size=1)
    with pytest.raises(UserError, match="1 sources do not pair with 2 targets"):
        BucketedPairs(["a"], ["b", "c"], TOKENIZER, batch_size=1)


def test_on_real_pairs(data_path):
    from zoo.data import read_pairs

    pairs = read_pairs(data_path("multi30k/val.en-de.tsv"))
    texts = pairs.sources + pairs.targets
    tokenizer = train_tokenizer("wordpiece", texts, 4001)
    back = tokenizer.detokenize(tokenizer.tokenize(texts)).numpy()
    assert [text.decode() for text in back] == [" ".join(text.split(" ")) for text in texts]
    data = BucketedPairs(pairs.sources, pairs.targets, tokenizer, tokens_per_batch=2048)
    assert data.padding < 0.25 and len(data.buckets) <= 6
