"""Rows of several texts: each text is whole, and in exactly one row."""

import numpy as np
import pytest

from zoo.data.batching.packed import PackedBatches, best_fit
from zoo.errors import UserError

PAD = -1


def texts(count, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(4, 90, rng.integers(2, 14)).astype("int32") for _ in range(count)]


def test_no_row_has_more_than_its_room_and_few_have_less():
    sizes = np.random.default_rng(1).integers(1, 31, 400).tolist()
    rows = best_fit(sizes, 31)
    assert sorted(each for row in rows for each in row) == list(range(400))
    used = [sum(sizes[each] for each in row) for row in rows]
    assert max(used) <= 31
    # Johnson 1973: at most 11/9 of the best number of rows, and 4 more; that is at least the sum.
    assert len(rows) <= 11 / 9 * -(-sum(sizes) // 31) + 4


@pytest.mark.parametrize("shuffle", [False, True])
def test_each_token_predicts_the_next_one_of_its_text(shuffle):
    given = texts(23)
    learned = [np.random.default_rng(7).random(len(ids)) < 0.6 for ids in given]
    batches = PackedBatches(given, 17, 3, lambda x: x, pad=PAD, learned=learned)
    found = []
    for columns in batches.columns(epoch=2, shuffle=shuffle):
        assert {name: x.shape for name, x in columns.items()} == {
            name: (3, 17) for name in batches.specs
        }
        ids, labels, numbers = (columns[name] for name in batches.specs)
        for row in range(3):
            assert ((numbers[row] == 0) == (ids[row] == PAD)).all()
            for number in range(1, numbers[row].max() + 1):
                inside = numbers[row] == number
                found.append((ids[row][inside].tolist(), labels[row][inside].tolist()))
    expected = [
        (ids[:-1].tolist(), np.where(kept[1:], ids[1:], PAD).tolist())
        for ids, kept in zip(given, learned, strict=True)
    ]
    assert sorted(found) == sorted(expected)
    assert f"23 texts packed in {len(batches.rows)} rows" in str(batches)


def test_epochs_have_other_orders_and_are_repeatable():
    batches = PackedBatches(texts(40), 17, 2, lambda x: x, seed=5, pad=PAD)

    def order(epoch):
        return np.concatenate([x["token_ids"] for x in batches.columns(epoch)]).tolist()

    assert order(1) == order(1) != order(2)
    assert sorted(order(1)) == sorted(order(2))
    parts = [list(batches.part(1, True, slice(n, None, 2))) for n in (0, 1)]
    assert sum(map(len, parts)) == batches.steps_per_epoch


def test_no_texts():
    with pytest.raises(UserError, match="there are no texts to pack"):
        PackedBatches([], 17, 2, lambda x: x)
