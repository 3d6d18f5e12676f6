"""The default size of a batch."""

import pytest

from zoo.data.batching.batch_size import OUTPUTS, batch_size_of_tokens


@pytest.mark.parametrize("rows", [10, 1000, 10**6])
@pytest.mark.parametrize("length", [64, 128, 320, 1024, 4096])
@pytest.mark.parametrize("vocabulary_size", [70, 8000, 30_522, 49_152, 262_144])
def test_the_outputs_of_a_batch_are_bounded(rows, length, vocabulary_size):
    """SmolLM2 with 16 rows of 320 tokens took more than 24 GB in training."""
    size = batch_size_of_tokens(rows, length, vocabulary_size)
    assert size in (1, 2, 4, 8, 16, 32)
    assert size == 1 or size * length * vocabulary_size <= OUTPUTS
    assert (
        size == {10: 8, 1000: 8, 10**6: 32}[rows] or size * length * vocabulary_size > OUTPUTS / 4
    )
