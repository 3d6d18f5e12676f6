"""Distances between results, on values worked out by hand."""

import numpy as np
import pytest

from export.worker.compare import Distance, distance, overlap


def test_error_is_relative_to_the_largest_number_beyond_one():
    small = distance(np.array([0.5, -0.25]), np.array([0.5, -0.2]))
    large = distance(np.array([100.0, 1.0]), np.array([100.0, 3.0]))

    assert small.error == pytest.approx(0.05)
    assert large.error == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("expected", "actual"), [(np.nan, 1.0), (1.0, np.nan), (np.inf, -np.inf), (np.inf, 3.0)]
)
def test_numbers_that_are_none_have_to_match(expected, actual):
    assert distance(np.array([expected, 1.0]), np.array([actual, 1.0])).error == np.inf
    assert distance(np.array([expected]), np.array([expected])).error == 0


def test_padding_does_not_count_as_agreement():
    expected, actual = np.array([[5, 7, 0, 0]]), np.array([[5, 8, 0, 0]])

    assert distance(expected, actual, padding=0).agreement == 0.5
    assert distance(np.zeros((2, 3), int), np.zeros((2, 3), int), padding=0).agreement == 1
    # 7 is a token like any other, and so is 0 where nothing says what fills a row.
    assert distance(np.array([5, 7, 7]), np.array([5, 8, 7]), padding=9).agreement == (
        pytest.approx(2 / 3)
    )
    assert distance(expected, actual).agreement == 0.75
    assert distance(np.array([9, 4, 9]), np.array([9, 5, 9]), padding=9).agreement == 0


def test_text_agrees_or_does_not():
    assert distance(np.array([b"ab", b"c", b""]), np.array([b"ab", b"d", b""])).agreement == (
        pytest.approx(2 / 3)
    )


def test_the_worse_of_two_is_taken_in_each_respect():
    assert Distance(0.1, 0.5).worse(Distance(0.3, 0.9)) == Distance(0.3, 0.5)


def test_overlap_allows_padding_beyond_and_nothing_else():
    alone, batched = np.array([[4, 5]]), np.array([[4, 5, 0, 0]])

    np.testing.assert_array_equal(overlap(alone, batched, padding=0)[1], alone)
    assert overlap(alone, batched, padding=9) is None
    assert overlap(alone, batched) is None
    assert overlap(alone, np.array([[4, 5, 6]]), padding=0) is None
    assert overlap(alone, np.array([4, 5]), padding=0) is None
    np.testing.assert_array_equal(overlap(alone, np.array([[4, 5, 9]]), padding=9)[1], alone)
    assert overlap(np.array([[b"a", b""]]), np.array([[b"a"]]))[0].shape == (1, 1)
    assert overlap(np.array([[b"a", b"b"]]), np.array([[b"a"]])) is None
