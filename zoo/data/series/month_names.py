"""The names of months in fourteen languages, in full and short, which are all different."""

import unicodedata

# Source: Unicode CLDR, for Czech, Danish, Dutch, English, French, German, Italian,
# Norwegian, Polish, Portuguese, Russian, Spanish, Swedish and Turkish; `mrz` is of Microsoft Excel.
NAMES = (
    "january jan januar jänner jän janvier janv enero ene gennaio gen januari janeiro stycznia "
    "styczeń sty ledna leden led ocak oca января январь янв",
    "february feb februar feber février févr fév febrero febbraio februari fevereiro fev lutego "
    "luty lut února únor úno şubat şub февраля февраль февр фев",
    "march mar märz mär mrz mars marzo maart mrt março marts marca marzec března březen bře mart "
    "марта март мар",
    "april apr avril avr abril abr aprile kwietnia kwiecień kwi dubna duben dub nisan nis апреля "
    "апрель апр",
    "may mai mayo maggio mag mei maio maj maja května květen kvě mayıs мая май",
    "june jun juni juin junio giugno giu junho czerwca czerwiec cze června červen čvn haziran haz "
    "июня июнь июн",
    "july jul juli juillet juil julio luglio lug julho lipca lipiec lip července červenec čvc "
    "temmuz tem июля июль июл",
    "august aug août agosto ago augustus augusti sierpnia sierpień sie srpna srpen srp ağustos ağu "
    "августа август авг",
    "september sept sep septembre septiembre settembre set setembro września wrzesień wrz "
    "září zář eylül eyl сентября сентябрь сент сен",
    "october oct oktober okt octobre octubre ottobre ott outubro out października październik paź "
    "října říjen říj ekim eki октября октябрь окт",
    "november nov novembre noviembre novembro listopada listopadu listopad lis kasım kas ноября "
    "ноябрь нояб ноя",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro desember des grudnia "
    "grudzień gru prosince prosinec pro aralık ara декабря декабрь дек",
)


def plain(word: str) -> str:
    """A word in small letters, without accents and dots.

    Example:
        >>> plain("FÉVR.")
        'fevr'
    """
    letters = unicodedata.normalize("NFD", word.lower().replace("ı", "i"))
    return "".join(x for x in letters if not unicodedata.combining(x) and x != ".")


MONTHS = {
    plain(name): month for month, names in enumerate(NAMES, 1) for name in names.split()
}  # the number of each month, by its plain name


def names_pattern() -> str:
    """A regular expression of all names, also without their accents and in capitals.

    Example:
        >>> import re
        >>> bool(re.fullmatch(names_pattern(), "MÄRZ", re.ASCII | re.IGNORECASE))
        True
    """
    words = sorted({name for names in NAMES for name in names.split()}, key=lambda x: (-len(x), x))
    return "|".join("".join(map(either, word)) for word in words)


def either(letter: str) -> str:
    """A letter, in each case and without its accent."""
    if letter.isascii():
        return letter
    return f"[{''.join(sorted({letter, letter.upper(), plain(letter)}))}]"
