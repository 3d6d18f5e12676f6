"""Dates in forty languages with their ISO dates: the data of the demo.

Dates are formatted with Unicode's locale data (through Babel), in the forms and letter cases that
are usual in each locale.
"""

import datetime
import os
import random
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from zoo.errors import UserError

# No Croatian: its October, `listopad`, is November in Polish and Czech.
# fmt: off
LOCALES = (
    "en_US", "en_GB", "de", "fr", "es", "pt", "it", "nl", "sv", "da", "nb", "fi", "is", "et", "lv",
    "lt", "pl", "cs", "sk", "sl", "hu", "ro", "tr", "id", "vi", "ca", "sq", "eu",  # Latin letters
    "ru", "uk", "bg", "sr", "mk", "el", "hy", "he", "ar", "hi", "zh", "zh_Hant", "ja", "ko",
)
# fmt: on
FIRST_DAY = datetime.date(1950, 1, 1)
LAST_DAY = datetime.date(2049, 12, 31)

LENGTHS = ("short", "medium", "long", "full")
SKELETONS = ("yMMMd", "yMMMMd", "yMMMEd", "yMMMMEEEEd", "yMd", "yMEd")
SPELLED_OUT = ("d MMMM y", "EEEE d MMM y", "EEE, d. MMMM y", "d-MMM-y", "LLLL d, y", "y MMMM d")
CASES = ("as it is",) * 5 + ("lower", "lower", "upper", "title")
YEAR_FIRST = ("y-MM-dd", "y-MM-dd E", "y.MM.dd")


def generate(
    folder: str | os.PathLike,
    train: int = 30_000,
    validation: int = 1_000,
    test: int = 1_000,
    seed: int = 0,
) -> dict[str, Path]:
    """Writes `train.tsv`, `val.tsv` and `test.tsv`: a written date, a tab, the date in ISO format.

    The three files have no calendar day in common, so no test date occurs in training, in any
    language. No text means two different dates. The same arguments give the same files.

    Args:
        folder: Folder to write to; existing files are replaced.
        train: Number of training rows.
        validation: Number of validation rows.
        test: Number of test rows.
        seed: Random seed of the rows and of the split of the days.

    Returns:
        The three paths, by file stem.

    Raises:
        UserError: If Babel is not installed.

    Example:
        >>> import tempfile
        >>> files = generate(tempfile.mkdtemp(), train=30, validation=5, test=5)
        >>> [path.read_text(encoding="utf-8").count("\\n") for path in files.values()]
        [30, 5, 5]
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    counts = {"train": train, "val": validation, "test": test}
    days = split_days(rng)
    writers = _writers()
    seen: set[str] = set()
    parts = {}
    for name, count in counts.items():
        rows = islice(_rows(rng, days[name], writers, seen), count)
        part = folder / f".{name}.tsv.part"
        with open(part, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{source}\t{iso}\n" for source, iso in rows)
        parts[part] = folder / f"{name}.tsv"
    for part, path in parts.items():  # only complete files get their final names
        os.replace(part, path)
    return {path.stem: path for path in parts.values()}


def split_days(rng: random.Random) -> dict[str, list[datetime.date]]:
    """Splits the calendar days: 80 % for training, 10 % each for validation and test."""
    count = (LAST_DAY - FIRST_DAY).days + 1
    days = [FIRST_DAY + datetime.timedelta(days=offset) for offset in range(count)]
    rng.shuffle(days)
    tenth = count // 10
    return {"train": days[2 * tenth :], "val": days[:tenth], "test": days[tenth : 2 * tenth]}


def patterns(locale) -> list[str]:
    """The unambiguous date patterns of a Babel locale, and a few informal ones."""
    candidates = [locale.date_formats[length].pattern for length in LENGTHS]
    skeletons = locale.datetime_skeletons
    candidates += [str(skeletons[name].pattern) for name in SKELETONS if name in skeletons]
    candidates += YEAR_FIRST if locale.language in ("zh", "ja", "ko") else SPELLED_OUT
    return sorted({pattern for pattern in map(str, candidates) if is_unambiguous(pattern)})


def is_unambiguous(pattern: str) -> bool:
    """Whether dates in this pattern are unambiguous across locales.

    `3/4/2021` is in March in some locales and in April in others. Patterns are unambiguous if the
    month is a name, the year comes first (then the month comes next), or the day comes first and is
    followed by a dot.

    Example:
        >>> patterns = ("d MMM y", "y/M/d", "dd.MM.y", "M/d/y", "d MMM yy")
        >>> [is_unambiguous(pattern) for pattern in patterns]
        [True, True, True, False, False]
    """
    fields = re.sub(r"'[^']*'", "", pattern)
    if re.search(r"(?<!y)yy(?!y)", fields):  # two digits could be a day
        return False
    if re.search(r"[ML]{3}", fields):
        return True
    return (
        re.search(r"^[^dM]*y", fields) is not None or re.search(r"d\. ?M+\. ?y", fields) is not None
    )


def _writers() -> dict[str, tuple]:
    """The Babel locale and the parsed date patterns of each locale, by name."""
    try:
        from babel import Locale
        from babel.dates import parse_pattern
    except ImportError as error:
        raise UserError("the demo requires Babel: pip install 'keras-attn[demo]'") from error
    locales = {name: Locale.parse(name) for name in LOCALES}
    return {
        name: (locale, [parse_pattern(pattern) for pattern in patterns(locale)])
        for name, locale in locales.items()
    }


def _rows(rng, days, writers, seen) -> Iterator[tuple[str, str]]:
    """Endless rows with texts that are not in `seen`, the texts of all files so far."""
    while True:
        name, day = rng.choice(LOCALES), rng.choice(days)
        locale, forms = writers[name]
        written = tidy(rng.choice(forms).apply(day, locale))
        source = recase(written, rng.choice(CASES), name)
        if source not in seen:
            seen.add(source)
            yield source, day.isoformat()


def tidy(text: str) -> str:
    """Normalizes a text: plain spaces, composed letters, no invisible characters."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(text.split())


def recase(text: str, case: str, locale: str) -> str:
    """The text in lower, upper or title case; any other `case` returns it unchanged."""
    if locale == "tr" and case == "upper":  # Turkish keeps the dot of its i
        text = text.replace("i", "İ")
    if locale == "tr" and case == "lower":
        text = text.replace("I", "ı").replace("İ", "i")
    return getattr(text, case)() if case in ("lower", "upper", "title") else text
