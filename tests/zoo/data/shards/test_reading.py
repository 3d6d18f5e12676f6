"""Prepared data is read with constant memory, and is the same whatever the number of threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.zoo.data.shards.stored import batches_of, prepared_rows, prepared_stream
from zoo.data.shards.stored_columns import StoredColumn

ROOT = Path(__file__).parents[4]
THREADS = (1, 2, 5)
MADE = {"stream": prepared_stream, "rows": prepared_rows}


def content(dataset):
    """All numbers of a data set, in order."""
    import tensorflow as tf

    return [
        [each.tolist() for each in tf.nest.flatten(batch)] for batch in dataset.as_numpy_iterator()
    ]


@pytest.mark.parametrize("kind", MADE)
def test_the_same_batches_from_any_number_of_threads(kind, tmp_path):
    """Of `tf.data`, which prepares batches, and of callers that read parts at the same time."""
    import tensorflow as tf

    batches = batches_of(MADE[kind](tmp_path / "shards", shards=3))
    assert batches.steps_per_epoch > 20
    expected = content(batches.dataset(start_epoch=1))
    assert expected != content(batches.dataset(start_epoch=2))
    for threads in THREADS:
        batches.parallel, options = threads, tf.data.Options()
        options.threading.private_threadpool_size = threads
        assert content(batches.dataset(start_epoch=1).with_options(options)) == expected

        # Opened anew, so that threads open the same files at the same time.
        again = batches_of(tmp_path / "shards")

        def read(part, count=threads, batches=again):
            steps = batches.part(1, True, slice(part, None, count))
            return [{name: x.tolist() for name, x in batch.items()} for batch in steps]

        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(read, range(threads)))
        whole = [
            {name: x.tolist() for name, x in batch.items()} for batch in again.columns(epoch=1)
        ]
        assert [parts[i % threads][i // threads] for i in range(len(whole))] == whole


@pytest.mark.parametrize("parts", [2, 4])
def test_processes_that_share_the_rows_of_batches_read_nothing_else(parts, tmp_path, monkeypatch):
    """Except for the padding of the last batch, of which some have more than others."""
    whole, read = batches_of(prepared_stream(tmp_path / "shards", 3, tokens=493)), []
    assert whole.divides(parts) and not whole.divides(3)
    before = StoredColumn.read

    def counted(self, places, groups):
        read.append(len(places))
        return before(self, places, groups)

    monkeypatch.setattr(StoredColumn, "read", counted)
    for shuffle in (True, False):
        read.clear()
        expected = list(whole.columns(2, shuffle))
        every, actual = sum(read), []
        for part in range(parts):
            one = batches_of(tmp_path / "shards")
            one.share = (part, parts)
            read.clear()
            actual.append(list(one.columns(2, shuffle)))
            assert len(actual[-1]) == len(expected)
            assert abs(sum(read) - every / parts) < every / 50
        for step, batch in enumerate(expected):
            for name, values in batch.items():
                same = np.concatenate([columns[step][name] for columns in actual])
                np.testing.assert_array_equal(same, values)


@pytest.mark.thorough
def test_training_takes_no_more_memory_for_more_data(tmp_path):
    """Of 400 MB of ids, another process trains on windows of every shard, in random order."""
    size = 400_000_000
    folder = prepared_stream(tmp_path / "shards", shards=8, tokens=size // 16)
    assert sum(path.stat().st_size for path in folder.glob("*/*.npy")) > size
    done = subprocess.run(
        [sys.executable, "-m", "tests.zoo.data.shards.stored", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    before, *after = map(int, done.stdout.split())
    assert len(after) == 5
    assert max(after) - before < size / 10
