import datetime
import random
import subprocess
import sys
import unicodedata
from collections import defaultdict

import pytest

from zoo.demo import dates
from zoo.errors import UserError

Locale = pytest.importorskip("babel").Locale


def read(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == "", "the file ends with its last line's end"
    return [tuple(line.split("\t")) for line in lines]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dates")
    return dates.generate(folder, train=12_000, validation=503, test=701, seed=5)


@pytest.fixture(scope="module")
def rows(files):
    return {name: read(path) for name, path in files.items()}


def test_each_file_holds_the_rows_asked_for(files, rows):
    assert {name: len(actual) for name, actual in rows.items()} == {
        "train": 12_000,
        "val": 503,
        "test": 701,
    }
    assert sorted(p.name for p in files["train"].parent.iterdir()) == [
        "test.tsv",
        "train.tsv",
        "val.tsv",
    ]


def test_every_target_is_a_day_of_the_hundred_years(rows):
    for actual in rows.values():
        for source, iso in actual:
            assert source.strip()
            assert dates.FIRST_DAY <= datetime.date.fromisoformat(iso) <= dates.LAST_DAY


def test_the_files_share_no_day_and_no_string(rows):
    for column in (0, 1):
        train, val, test = ({row[column] for row in rows[n]} for n in ("train", "val", "test"))
        assert not (train & val or train & test or val & test)


def test_no_string_stands_for_two_days(rows):
    meanings = defaultdict(set)
    for actual in rows.values():
        for source, iso in actual:
            meanings[source.casefold()].add(iso)
    assert {source: days for source, days in meanings.items() if len(days) > 1} == {}


def test_a_month_name_is_the_same_month_in_every_locale():
    months = defaultdict(set)
    for name in dates.LOCALES:
        for widths in Locale.parse(name).months.values():
            for width in ("wide", "abbreviated"):
                for number, word in widths[width].items():
                    months[word.casefold().strip(".")].add(number)
    assert {word: numbers for word, numbers in months.items() if len(numbers) > 1} == {}


@pytest.mark.parametrize("name", dates.LOCALES)
def test_the_forms_of_a_locale_can_be_read_back(name):
    """Each string holds the year in full, and the day and month where one looks for them."""
    locale, forms = dates._writers()[name]
    assert len(forms) >= 5
    day = datetime.date(2031, 7, 29)
    for form in forms:
        text = dates.tidy(form.apply(day, locale))
        assert "2031" in text and "29" in text
        assert not any(unicodedata.category(c) in ("Cf", "Cc", "Zl") for c in text)
        names = {locale.months[c][w][7] for c in locale.months for w in ("wide", "abbreviated")}
        assert any(month in text for month in names) or "7" in text


@pytest.mark.parametrize(
    ("pattern", "unambiguous"),
    [
        ("EEEE, d MMMM y", True),
        ("d 'de' LLL 'de' y", True),
        ("y. MM. dd.", True),
        ("EEE, y-MM-dd", True),
        ("d. M. y.", True),
        ("E, d.M.y", True),
        ("d/M/y", False),
        ("M/d/y", False),
        ("dd-MM-y", False),
        ("M.d.y", False),
        ("dd.MM.yy", False),
        ("d MMM yy", False),
        ("yy/M/d", False),
        ("d 'MMM' M y", False),
    ],
)
def test_which_patterns_are_unambiguous(pattern, unambiguous):
    assert dates.is_unambiguous(pattern) is unambiguous


def test_every_locale_and_script_takes_part(rows):
    text = "".join(source for source, _ in rows["train"])
    for letters in ("march", "März", "Μαΐου", "июля", "մայիսի", "במרץ", "مارس", "मार्च", "年", "월"):
        assert letters in text


def test_cases_are_mixed(rows):
    sources = [source for source, _ in rows["train"]]
    for case in (str.islower, str.isupper, str.istitle):
        assert 0.05 < sum(map(case, sources)) / len(sources) < 0.8


def test_turkish_keeps_the_dot_of_its_i():
    assert dates.recase("12 Nisan", "upper", "tr") == "12 NİSAN"
    assert dates.recase("12 NİSAN, IĞDIR", "lower", "tr") == "12 nisan, ığdır"
    assert dates.recase("12 nisan", "upper", "az") == "12 NISAN"


def test_tidy_leaves_what_a_keyboard_types():
    assert dates.tidy("4\u200f/3 \u202f2021\u00a0g. ma\u0308rz") == "4/3 2021 g. märz"


def test_the_split_covers_every_day_once():
    split = dates.split_days(random.Random(3))
    days = [day for part in split.values() for day in part]
    assert len(days) == len(set(days)) == 36_525
    assert [len(split[n]) for n in ("val", "test")] == [3_652, 3_652]


def test_same_seed_same_bytes_whatever_the_hash_seed(tmp_path):
    script = (
        "import sys; from zoo.demo import dates; "
        "dates.generate(sys.argv[1], train=200, validation=20, test=20, seed=int(sys.argv[2]))"
    )
    for folder, seed, hash_seed in (("a", "7", "1"), ("b", "7", "2"), ("c", "8", "1")):
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / folder), seed],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            check=True,
        )
    for name in ("train.tsv", "val.tsv", "test.tsv"):
        a, b, c = ((tmp_path / folder / name).read_bytes() for folder in "abc")
        assert a == b != c


def test_an_unfinished_run_leaves_the_old_files(tmp_path, monkeypatch):
    old = dates.generate(tmp_path, train=5, validation=5, test=5)
    before = {name: path.read_bytes() for name, path in old.items()}

    def fail(*_):
        raise RuntimeError("power cut")

    monkeypatch.setattr(dates, "tidy", fail)
    with pytest.raises(RuntimeError):
        dates.generate(tmp_path, train=9, validation=9, test=9)
    assert {name: path.read_bytes() for name, path in old.items()} == before


def test_without_babel_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "babel", None)
    with pytest.raises(UserError, match=r"keras-attn\[demo\]"):
        dates.generate(tmp_path, train=1, validation=1, test=1)
