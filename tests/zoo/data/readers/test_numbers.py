"""Numbers with decimal points or commas."""

import numpy as np
import pytest

from zoo.data.readers.numbers import is_numeric, read_numbers


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.5", "1e3", "-2"], [1.5, 1000, -2]),
        (["50,00", "53,27"], [50, 53.27]),
        (["1.234,5", "950", "-7,25"], [1234.5, 950, -7.25]),
        (["1.234", "950,5"], [1234, 950.5]),
        (["1,234.5", "950"], [1234.5, 950]),
        (["1,234", "1,234,567"], [1234, 1234567]),
        (["1,234", "0,5"], [1.234, 0.5]),
        (["1 234,5", "12 000"], [1234.5, 12000]),
        (["1\u00a0234.5", "1'000"], [1234.5, 1000]),
        (["", "NA", "2,5"], [np.nan, np.nan, 2.5]),
        (["1.5 %", "12%", "-3.25%"], [1.5, 12, -3.25]),
        (["$1,234.50", "-$2", "($3.5)"], [1234.5, -2, -3.5]),
        (["1.234,50 €", "7,25€", "−3 €"], [1234.5, 7.25, -3]),
        (["CHF 1'250.50", "chf 9"], [1250.5, 9]),
        (["(47.5)", "12"], [-47.5, 12]),
        (["n/e", "N/D", "n.d.", "k.A.", "missing", "7"], [*[np.nan] * 5, 7]),
        (["-", "#N/A", "..", ":", "--", "–", "3"], [*[np.nan] * 6, 3]),
    ],
)
def test_columns(cells, numbers):
    bad = {}
    np.testing.assert_array_equal(read_numbers("x", cells, bad), numbers)
    assert not bad and is_numeric(cells)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["1,5", "many"], "x must be a finite number, or empty if missing, got 'many'"),
        (["1", "1e40"], "x is '1e40'; expected numbers up to 1e+16: divide all by the same number"),
        (["1", "1,234"], "x: '1,234' can have a decimal comma, or one between thousands; write "
         "numbers without separators of thousands"),
        (["1", "1,2,3"], "x must be a finite number, or empty if missing, got '1,2,3'"),
        (["5 %", "0.05", "6 %"], "x: '0.05' has another unit than most cells, which have '%'"),
        (["5", "$6", "7"], "x: '$6' has another unit than most cells, which have no unit"),
        (["1", "$1$"], "x must be a finite number, or empty if missing, got '$1$'"),
        (["1", "--1"], "x must be a finite number, or empty if missing, got '--1'"),
        (["1", "12,34.5"], "x must be a finite number, or empty if missing, got '12,34.5'"),
    ],
)  # fmt: skip
def test_cells_that_are_no_numbers(cells, reason):
    bad = {}
    read_numbers("x", cells, bad)
    assert bad == {1: reason}
