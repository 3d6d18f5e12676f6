"""Patterns of quarters and halves of years, in words and digits, and of Roman numerals."""

from zoo.data.series.month_names import either

NUMERALS = "i ii iii iv v vi vii viii ix x xi xii".split()
ROMAN = {each: number for number, each in enumerate(NUMERALS, 1)}

YEAR, SHORT = r"(?P<year>\d{4})", r"(?P<year>\d{4}|\d{2})"
DAY, MONTH = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
MONTHS, FOUR, TWO = "xi{0,2}|i?x|vi{0,3}|iv|i{1,3}", r"[1-4]|iv|i{1,3}", r"[12]|ii?"
NTH, OF = r"(?:st|nd|rd|th|[eè]re?|er|[eè]me|e|[ºª°.])?", r"(?:(?:de[ls]?|of)\s+)?"
END = r"(?:\s*[гГ](?:ода)?)?\.?"  # "of the year" in Russian
# Words for a quarter and for a half of a year, in the languages of the names of months.
QUARTERS = "quarter qtr quartal quartale quartaal kvartal kvartál kwartał trimestre trimester trim "
QUARTERS += "čtvrtletí negyedév çeyrek квартал кв"
HALVES = "half half-year halbjahr halfjaar halvår semestre semester semestr pololetí půlrok "
HALVES += "półrocze félév полугодие"


def _words(words: str) -> str:
    longest = sorted(words.split(), key=len, reverse=True)
    return rf"(?:{'|'.join(''.join(map(either, word)) for word in longest)})\.?"


def _in_words(part: str, numbers: str, words: str) -> list[str]:
    """Patterns such as `1. Quartal 1991`, `1991, 1. Quartal`, and with the number behind."""
    number = rf"(?P<{part}>{numbers})"
    counted = rf"{number}\s?{NTH}\s?{_words(words)}"
    return [
        rf"{counted}[-/, ]\s*{OF}{YEAR}{END}",
        rf"{YEAR}\.?[-/, ]\s*{counted}",
        rf"{_words(words)}\s?{number}[-/, ]\s*{OF}{YEAR}{END}",
        rf"{YEAR}\.?[-/, ]\s*{_words(words)}\s?{number}",
    ]


# What each is called, and its pattern. Of two that read the same cells, the first is meant, unless
# the times of the other one alone are equally far apart.
PERIODS = [
    *(("quarter in words", each) for each in _in_words("quarter", FOUR, QUARTERS)),
    *(("half of a year in words", each) for each in _in_words("semester", TWO, HALVES)),
    ("half of a year", rf"{YEAR}[-/ .:]?[hs](?P<semester>[12])"),
    ("half of a year first", rf"(?:[hs](?P<semester>[12])|(?P<half_before>[12])h)[-/ ']*{YEAR}"),
    ("quarter as kvartal", rf"{YEAR}[-/ .:]?k(?P<quarter>[1-4])"),
    ("quarter behind a colon", rf"{YEAR}:(?P<quarter>[1-4])"),
    ("month behind a colon", rf"{YEAR}:{MONTH}"),
    ("quarter in Roman numerals", rf"(?P<quarter>iv|i{{1,3}})\.?[-/. ]\s*{YEAR}"),
    ("quarter behind a year", rf"{YEAR}[-/:. ]\s*(?P<quarter>iv|i{{1,3}})\.?"),
    ("month in Roman numerals", rf"(?P<month>{MONTHS})\.?[-/. ]\s*{YEAR}"),
    ("year and month in Roman numerals", rf"{YEAR}[-/:. ]\s*(?P<month>{MONTHS})\.?"),
    ("quarter in digits", rf"{YEAR}[-/](?P<quarter>[1-4])"),
    ("quarter in digits first", rf"(?P<quarter>[1-4])[-/]{YEAR}"),
]
# The same of days, which may have a time behind them.
ROMAN_DAYS = [
    ("day, month in Roman numerals", rf"{DAY}\.?[-/. ]\s*(?P<month>{MONTHS})\.?[-/. ]\s*{SHORT}"),
    ("year, month in Roman numerals", rf"{YEAR}\.?[-/. ]\s*(?P<month>{MONTHS})[-/. ]\s*{DAY}\.?"),
]
