"""The table of BERT's normalization against the `tokenizers` package, for every code point."""

import pytest
from tokenizers import normalizers

from zoo.text.bert_normalization import ALIKE, isolated, normalization


@pytest.mark.parametrize("options", [(True, None, True), (False, False, False)])
def test_code_points_that_are_not_looked_up_are_normalized_as_the_first_of_their_plane(options):
    lowercase, strip_accents, split_chinese = options
    normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=split_chinese,
        strip_accents=strip_accents,
        lowercase=lowercase,
    )
    table, alone = normalization(*options), isolated()
    for plane in ALIKE:
        every = [*map(chr, plane)]
        wanted = normalizer.normalize_str("\u2502".join(every)).split("\u2502")
        assert [table.get(each, each) for each in every] == wanted
        assert not alone.keys() & {*plane}


def test_the_end_of_the_private_planes_is_no_character():
    table = normalization(True, None, True)
    assert table["\U000f0000"] == table["\U0010fffd"] == table["\U000ffffd"] == ""
    assert not {"\U000ffffe", "\U0010ffff"} & table.keys()
