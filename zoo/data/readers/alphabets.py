"""Alphabets of languages, by which the encoding of a text with 8 bits for each letter is told."""

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

UTF_8 = "utf-8"

# Letters beyond ASCII of languages, in lower case.
WEST = (
    *("àâæçéèêëîïôœùûüÿ", "äöüß", "áéíñóúü", "ãáâàçéêíóôõúü", "àèéìíòóùú", "åäöé", "æøåé"),
    *("ðþáéíóúýæö", "äëïöüéèóú", "àçèéíïòóúü·"),
)
CENTRAL = ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţșț")
BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž")
TURKISH = ("çğıöşüâîûi̇",)
VIETNAMESE = ("ăâđêôơưàáèéìíòóùúýãõ\u0300\u0301\u0303\u0309\u0323",)
CYRILLIC = ("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґў", "абвгдежзијклмнопрстуфхцчшђљњћџѓќѕ")
GREEK = ("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ",)
HEBREW = ("אבגדהוזחטיךכלםמןנסעףפץצקרשת",)
ARABIC = ("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيًٌٍَُِّْپچژگ",)
THAI = ("กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮะัาำิีึืุูเแโใไ็่้๊๋์",)
OTHER_SCRIPTS = CYRILLIC, GREEK, HEBREW, ARABIC, THAI
# The languages of each encoding, the most usual first.
ENCODINGS = {
    "cp1252": WEST,
    "cp1250": CENTRAL,
    "cp1254": TURKISH,
    "cp1257": BALTIC,
    "cp1258": VIETNAMESE,
    "iso8859_2": CENTRAL,
    "cp850": WEST,
    "cp437": WEST,
    "cp852": CENTRAL,
    "cp857": TURKISH,
    "cp775": BALTIC,
    "mac_roman": WEST,
    "mac_latin2": CENTRAL,
    "cp1251": CYRILLIC,
    "koi8_r": CYRILLIC,
    "koi8_u": CYRILLIC,
    "cp866": CYRILLIC,
    "iso8859_5": CYRILLIC,
    "mac_cyrillic": CYRILLIC,
    "cp1253": GREEK,
    "cp737": GREEK,
    "cp1255": HEBREW,
    "cp862": HEBREW,
    "cp1256": ARABIC,
    "iso8859_6": ARABIC,
    "cp874": THAI,
}
SAME = {"iso8859-1": "cp1252", "iso8859-15": "cp1252", "iso8859-9": "cp1254"}  # in most letters
TYPOGRAPHY = "“”„‘’‚…–—«»‹›•·€£§°©®™№¿¡\xa0\xad"  # signs of any language
HEBREW_BYTES = range(0xE0, 0xFB), range(0x80, 0x9B)  # in cp1255, and in cp862
ENOUGH = 20  # letters from which a language lacks none of its usual ones


@lru_cache(maxsize=16)
def share_of_letters(content: bytes, encoding: str) -> float:
    """How much of the text beyond ASCII is letters of one language, from below 0 to 1; 1 of none.

    Letters that no word has, as a capital after a small letter, count against it.

    Args:
        content: The bytes.
        encoding: One of `ENCODINGS`; others have no letters.

    Example:
        >>> text = "çok güzel, değil mi, ışık".encode("cp1254")
        >>> share_of_letters(text, "cp1254"), round(share_of_letters(text, "cp1252"), 1)
        (1.0, 0.7)
    """
    text = content.decode(encoding, "replace")
    counts = Counter(x.lower()[:1] for x in text if not x.isascii() and x not in TYPOGRAPHY)
    total = sum(counts.values())
    if not total or encoding not in ENCODINGS:
        return float(encoding in ENCODINGS)
    best = max(sum(counts[x] for x in {*language}) for language in ENCODINGS[encoding])
    pairs = zip(text, text[1:], strict=False)
    odd = sum(b.isupper() and a.islower() and not (a + b).isascii() for a, b in pairs)
    if ENCODINGS[encoding] in (CYRILLIC, GREEK) and _is_hebrew(content):
        odd += total
    if ENCODINGS[encoding] in OTHER_SCRIPTS:  # whose letters are in no word with Latin ones
        pairs = zip(text, text[1:], strict=False)
        odd += sum(a.isascii() != b.isascii() and (a + b).isalpha() for a, b in pairs)
    return (best - odd) / total


def _is_hebrew(content: bytes) -> bool:
    """Whether these are letters of Hebrew, or of other scripts in one case only."""
    letters = [x for x in content if x >= 0x80]
    return len(letters) >= ENOUGH and any(all(x in each for x in letters) for each in HEBREW_BYTES)


class OddLook(NamedTuple):
    """What is odd about a text in an encoding.

    Args:
        likely: The encoding that it seems to have.
        right: A word of it, as that encoding reads it.
        encoding: The encoding that was given.
        wrong: The same word, as this encoding reads it.
    """

    likely: str
    right: str
    encoding: str
    wrong: str

    def __str__(self) -> str:
        likely = self.likely.upper() if self.likely == UTF_8 else self.likely
        return (
            f"seems to be {likely}, which reads {self.right!r:.40}; {self.encoding} reads "
            f"{self.wrong!r:.40}"
        )


def odd_look(start: bytes, encoding: str) -> OddLook | None:
    """What is odd about a text in an encoding that a user gave; None if it looks right.

    Args:
        start: The first bytes of the file.
        encoding: The encoding, as Python calls it.

    Example:
        >>> str(odd_look("Où est-il? Déçu, près d'ici\\n".encode() * 2, "cp1252"))
        "seems to be UTF-8, which reads 'Où'; cp1252 reads 'OÃ¹'"
        >>> str(odd_look("příliš žluťoučký kůň\\n".encode("cp852") * 2, "cp1250"))
        "seems to be cp852, which reads 'příliš'; cp1250 reads 'pýˇliç'"
    """
    lines = start[: start.rfind(b"\n") + 1].split(b"\n")
    content = b"\n".join(line for line in lines if not line.isascii())
    name = SAME.get(encoding, encoding.replace("-", "_"))
    if not content or name not in ENCODINGS:
        return None
    try:
        content.decode()
        likely: str | None = UTF_8
    except UnicodeDecodeError:
        looks_right = share_of_letters(content, name) > 0.8
        likely = None if looks_right else encoding_by_alphabet(content, name)
    if likely in (None, name):
        return None
    word = next(each for each in content.split() if not each.isascii())
    right, wrong = (word.decode(each, "replace") for each in (str(likely), encoding))
    return OddLook(str(likely), right, encoding, wrong)


def encoding_by_alphabet(content: bytes, guessed: str | None) -> str | None:
    """The encoding in which nearly all of a text is in one language; else the guessed one.

    Args:
        content: The bytes, of several lines.
        guessed: An encoding that is kept if no other reads clearly more letters.

    Example:
        >>> encoding_by_alphabet("καλημέρα, τι κάνεις".encode("cp1253"), None)
        'cp1253'
    """
    shares = {name: share_of_letters(content, name) for name in ENCODINGS}
    best = max(shares, key=shares.__getitem__)
    if guessed is None:
        return best if shares[best] > 0.5 else None
    clear = shares[best] > 0.95 and shares[best] - shares.get(guessed, 0.0) > 0.05
    return best if guessed in ENCODINGS and clear else guessed
