"""Batches of few shapes: what they hold, and their order from epoch to epoch."""

import collections
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data.batching.bucketed import BucketedBatches, tokens_per_batch
from zoo.data.batching.padded_columns import NO_LABEL, Numbers, Sequences
from zoo.data.batching.token_columns import token_column
from zoo.errors import UserError
from zoo.preprocessing.text import TextPreprocessor
from zoo.text import train_tokenizer

TOKENIZER = train_tokenizer("characters", ["abc"], 8)  # "▁" 4, a 5, b 6, c 7
PREPROCESSOR = TextPreprocessor(TOKENIZER, max_length=31)


def make(pairs, batch_size=lambda s, t: 3, **options):
    sources, targets = zip(*pairs, strict=True)
    columns = {
        "source_ids": Sequences.of([ids(text) for text in sources], fill=0),
        "target_ids": Sequences.of([ids(text) for text in targets], fill=0),
        "number": Numbers(np.arange(len(pairs), dtype=np.int32)),
    }
    return BucketedBatches(columns, lambda x: (x, x["target_ids"]), batch_size, **options)


def some_pairs(count=101, seed=3):
    random = np.random.default_rng(seed)

    def text():
        return "".join(random.choice(list("abc"), random.integers(1, 29)))

    return [(text(), text()) for _ in range(count)]


def ids(text):
    return [*([4] if text else []), *("▁abc".index(character) + 4 for character in text), 3]


def contents(batches):
    """The pairs in batches by their numbers, as tuples of ids."""
    actual = collections.defaultdict(list)
    for x in batches:
        for number, source, target in zip(
            x["number"], x["source_ids"], x["target_ids"], strict=True
        ):
            if number != NO_LABEL:
                rows = (tuple(np.trim_zeros(row, "b").tolist()) for row in (source, target))
                actual[int(number)].append(tuple(rows))
    return actual


def flatten(batches):
    return [array for x in batches for array in x.values()]


def same(one, other):
    one, other = flatten(one), flatten(other)
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def as_numpy(dataset):
    return [{name: column.numpy() for name, column in x.items()} for x, _ in dataset]


def test_one_bucket_in_full():
    """The last batch is filled up with padding, and its scalars with what means no label."""
    data = make([("ab", "c"), ("", "abc"), ("a", "")], lambda s, t: 2, max_buckets=1)
    first, second = data.columns(shuffle=False)
    assert first["source_ids"].tolist() == [[4, 5, 6, 3], [3, 0, 0, 0]]
    assert first["target_ids"].tolist() == [[4, 7, 3, 0, 0], [4, 5, 6, 7, 3]]
    assert second["source_ids"].tolist() == [[4, 5, 3, 0], [0, 0, 0, 0]]
    assert second["target_ids"].tolist() == [[3, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert [x["number"].tolist() for x in (first, second)] == [[0, 1], [2, NO_LABEL]]
    assert {column.dtype.name for x in (first, second) for column in x.values()} == {"int32"}


@settings(max_examples=25, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.text("abc", max_size=17), st.text("abc", max_size=17)), min_size=1),
    size=st.sampled_from([lambda s, t: 5, tokens_per_batch(47)]),
    shuffle=st.booleans(),
    epoch=st.integers(0, 5),
)
def test_every_pair_once_and_every_batch_of_a_known_shape(pairs, size, shuffle, epoch):
    data = make(pairs, size)
    batches = list(data.columns(epoch, shuffle))
    expected = {i: [(tuple(ids(s)), tuple(ids(t)))] for i, (s, t) in enumerate(pairs)}
    assert contents(batches) == expected
    assert len(batches) == data.steps_per_epoch == data.steps(shuffle)
    shapes = {(*x["source_ids"].shape, x["target_ids"].shape[1]) for x in batches}
    assert shapes == {(b.batch_size, *itertools.chain(*b.lengths.values())) for b in data.buckets}
    assert len(shapes) <= 5
    for x in batches:
        filler = x["number"] == NO_LABEL
        assert not filler.all()
        for name in ("source_ids", "target_ids"):
            assert len(x[name]) == len(x["number"])
            np.testing.assert_array_equal(filler, ~x[name].any(1))


def test_few_shapes_little_padding_and_full_batches_but_one_a_bucket():
    data = make(some_pairs(499), tokens_per_batch(300))
    assert 1 < len(data.buckets) <= 5
    filled, held, used = collections.Counter(), 0, 0
    for x in data.columns():
        rows, length = x["target_ids"].shape
        assert rows * max(length, x["source_ids"].shape[1]) <= 300
        filled[x["target_ids"].shape, bool((x["number"] != NO_LABEL).all())] += 1
        held += x["target_ids"].size + x["source_ids"].size
        used += np.count_nonzero(x["target_ids"]) + np.count_nonzero(x["source_ids"])
    assert all(count == 1 for (_, full), count in filled.items() if not full)
    assert data.padding == pytest.approx(1 - used / held)


def test_epochs_differ_and_do_not_depend_on_those_before():
    data, again = make(some_pairs(), seed=11), make(some_pairs(), seed=11)
    zeroth, first = list(data.columns(0)), list(data.columns(1))
    assert not same(zeroth, first)
    assert same(first, again.columns(1))
    assert same(zeroth, again.columns(0))
    assert not same(zeroth, make(some_pairs(), seed=12).columns(0))
    assert same(data.columns(0, shuffle=False), data.columns(1, shuffle=False))
    # Other rows meet in a batch, not only the same batches in another order.
    assert {x["source_ids"].tobytes() for x in zeroth} != {x["source_ids"].tobytes() for x in first}


def test_the_dataset_is_the_prepared_batches_epoch_after_epoch():
    data = make(some_pairs(53))
    once = data.dataset(start_epoch=2)
    steps = data.steps_per_epoch
    assert int(once.cardinality()) == steps
    assert same(as_numpy(once), data.columns(2)) and same(as_numpy(once), data.columns(2))
    endless = as_numpy(data.dataset(start_epoch=2, repeat=True).take(2 * steps))
    assert same(endless[:steps], data.columns(2))
    assert same(endless[steps:], data.columns(3))
    in_order = data.dataset(start_epoch=3, shuffle=False)
    assert same(as_numpy(in_order), data.columns(0, shuffle=False))
    x, labels = once.element_spec
    assert {name: (spec.dtype.name, spec.shape.rank) for name, spec in x.items()} == {
        "source_ids": ("int32", 2),
        "target_ids": ("int32", 2),
        "number": ("int32", 1),
    }
    assert labels.dtype.name == "int32"


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 23), min_size=2, max_size=41),
    budget=st.integers(1, 97),
    epoch=st.integers(0, 3),
)
def test_no_example_is_alone_where_two_are_needed(lengths, budget, epoch):
    """A contrastive loss compares the rows of a batch."""
    columns = {
        "ids": Sequences.of([np.full(n, i + 1) for i, n in enumerate(lengths)], fill=0),
        "number": Numbers(np.arange(len(lengths))),
    }
    size = tokens_per_batch(budget, sequences=2, min_rows=2)
    data = BucketedBatches(columns, lambda x: (x, x), size, min_rows=2)
    batches = list(data.columns(epoch))
    assert min((x["number"] != NO_LABEL).sum() for x in batches) >= 2
    numbers = itertools.chain.from_iterable(x["number"][x["number"] != NO_LABEL] for x in batches)
    assert sorted(numbers) == list(range(len(lengths)))


def test_too_few_examples():
    with pytest.raises(UserError, match="at least 2 pairs are needed, found 1"):
        make([("a", "b")], min_rows=2, what="pairs")


def test_a_batch_is_no_larger_than_its_bucket():
    data = make([("a", "b"), ("a", "b")], lambda s, t: 64)
    assert data.buckets[0].batch_size == 2
    assert str(data) == "2 examples in 1 batch (batch size x lengths: 2x3x3), 0% padding"


def test_what_was_truncated_stands_in_the_log():
    column, statistics = token_column(PREPROCESSOR, {"text": ["abx", "xyx", "", "ab" * 31]})
    data = BucketedBatches(
        {"token_ids": column}, lambda x: x, tokens_per_batch(62), statistics=statistics
    )
    assert str(data).endswith(
        "; 1 text truncated to 31 tokens; 1 text without tokens; 2 unknown tokens"
    )


def test_on_real_pairs(data_path):
    from zoo.data.readers.pairs import read_pairs

    pairs = read_pairs(data_path("multi30k/val.en-de.tsv"))
    texts = pairs.sources + pairs.targets
    tokenizer = train_tokenizer("wordpiece", texts, 4001)
    back = tokenizer.detokenize(tokenizer.tokenize(texts)).numpy()
    assert [text.decode() for text in back] == [" ".join(text.split(" ")) for text in texts]
    preprocessor = TextPreprocessor(tokenizer, 256)
    columns = {
        name: token_column(preprocessor, {"text": rows})[0]
        for name, rows in (("source_ids", pairs.sources), ("target_ids", pairs.targets))
    }
    data = BucketedBatches(columns, lambda x: x, tokens_per_batch(2048))
    assert data.padding < 0.25 and len(data.buckets) <= 5
