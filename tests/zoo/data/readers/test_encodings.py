"""Encodings of data files: marked, given, or named by the message."""

import codecs
import gzip
import json

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import read_documents, read_documents_in_pieces
from zoo.data.readers.encodings import likely_encoding
from zoo.data.readers.files import START, read_lines
from zoo.data.readers.labels import read_labeled, read_labeled_in_pieces
from zoo.data.readers.tags import read_tagged
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.errors import DataError, UserError
from zoo.option_names import typed_options

FRENCH = [f"Le café n° {i} était très agréable, à bientôt" for i in range(40)]
LABELS = ["pos", "neg"] * 20
CSV = "text,label\r\n" + "".join(
    f'"{text}",{label}\r\n' for text, label in zip(FRENCH, LABELS, strict=True)
)
JSONL = "".join(
    json.dumps({"text": text, "label": label}, ensure_ascii=False) + "\n"
    for text, label in zip(FRENCH, LABELS, strict=True)
)
FILES = {
    "a.csv": CSV,
    "a.tsv": CSV.replace(",", "\t").replace('"', "").replace("agréable\t", "agréable,"),
    "a.jsonl": JSONL,
    "a.json": "[" + ",".join(JSONL.splitlines()) + "]",
}
OTHERS = {
    "cp1252": "It costs £5 at the café, à bientôt, très agréable",
    "latin-1": "Où est la bibliothèque près du théâtre",
    "cp437": "¿Dónde está el niño? Mañana será otro día",
    "shift_jis": "とても良い映画でした。俳優の演技が素晴らしい。",
    "gb18030": "这部电影非常好看，演员的表演很精彩。",
    "koi8-r": "Очень хороший фильм, мне понравилось",
    "cp1251": "Очень хороший фильм, мне понравилось",
    "euc_kr": "아주 좋은 영화였습니다. 배우들의 연기가 훌륭했다",
    "utf-16-be": "Ça coûte 5 €",
}
NAMED = {"latin-1": "cp1252", "shift_jis": "cp932", "koi8-r": "koi8_r", "euc_kr": "cp949"}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_byte_order_marks_say_the_encoding(write, name, encoding):
    mark = codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b""
    path = write(name, mark + FILES[name].encode(encoding))
    for options in (ReadOptions(), ReadOptions(encoding="cp1252")):
        actual = read_labeled(path, options)
        assert (actual.texts, actual.labels) == (FRENCH, LABELS)
    packed = write(f"{name}.gz", gzip.compress(mark + FILES[name].encode(encoding)))
    assert read_labeled(packed).texts == FRENCH


@pytest.mark.parametrize("encoding", OTHERS)
def test_an_encoding_is_given_or_named(write, encoding):
    texts = [f"{OTHERS[encoding]} {i}" for i in range(40)]
    content = "text,label\n" + "".join(
        f'"{text}",{label}\n' for text, label in zip(texts, LABELS, strict=True)
    )
    path = write("a.csv", content.encode(encoding))
    options = ReadOptions(encoding=encoding)
    assert read_labeled(path, options).texts == texts
    assert [x for part in read_labeled_in_pieces(path, options) for x in part.texts] == texts
    name = NAMED.get(encoding, encoding)
    for skip in (False, True):  # which would lose most rows
        with (
            pytest.raises(UserError, match=rf"seems to be .*: give --encoding {name}$"),
            typed_options(),
        ):
            read_labeled(path, ReadOptions(skip_bad_rows=skip))


def test_texts_and_tags(write):
    text = "Où est\nla bibliothèque\nprès du théâtre?\n"
    path = write("a.txt", text.encode("cp1252"))
    with pytest.raises(DataError) as caught:
        read_documents(path)
    assert str(caught.value) == (
        f"{path}:1: byte 0xf9 is not UTF-8; the file seems to be cp1252: give encoding='cp1252'"
    )
    options = ReadOptions(encoding="cp1252")
    assert read_documents(path, options).texts == [text]
    assert [x for part in read_documents_in_pieces(path, options) for x in part.texts] == [text]
    assert read_documents(write("b.txt", text.encode("utf-16"))).texts == [text]
    tagged = write("a.conll", "Zoë B-PER\r\nchante O\r\n".encode("latin-1"))
    assert read_tagged(tagged, ReadOptions(encoding="latin-1")).words == [["Zoë", "chante"]]
    assert [*read_lines(write("v.txt", "a\r\né\r\n".encode("utf-16")))] == ["a\n", "é\n"]


def test_single_damaged_bytes_are_bad_rows(write):
    path = write(
        "a.csv", CSV.encode().replace(b"caf\xc3\xa9 n\xc2\xb0 7 ", b"caf\xc3 n\xc2\xb0 7 ")
    )
    with pytest.raises(DataError) as caught:
        read_labeled(path)
    assert str(caught.value) == (
        f"{path}:9: byte 0xc3 is not UTF-8; use skip_bad_rows=True to skip such rows"
    )
    actual = read_labeled(path, ReadOptions(skip_bad_rows=True))
    assert actual.texts == FRENCH[:7] + FRENCH[8:]
    content = CSV.encode()
    for number in range(7):  # still far fewer than those that are valid
        content = content.replace(b"caf\xc3\xa9 n\xc2\xb0 %d " % number, b"caf\xc3 n\xc2\xb0 ")
    actual = read_labeled(write("b.csv", content), ReadOptions(skip_bad_rows=True))
    assert actual.texts == FRENCH[7:]


@pytest.mark.parametrize("name", ["klingon", "hex", "", "rot13", "undefined"])
def test_an_encoding_that_is_unknown(write, name):
    with pytest.raises(UserError, match=f"the encoding '{name}' is unknown; usual ones are utf-8"):
        read_labeled(write("a.csv", CSV), ReadOptions(encoding=name))


def test_bytes_that_the_given_encoding_does_not_have(write):
    path = write("a.csv", b"a film,pos\nb\x81,neg\n")
    with pytest.raises(DataError, match=r"a\.csv:2: byte 0x81 is not cp1252"):
        read_labeled(path, ReadOptions(encoding="cp1252"))


LANGUAGES = {
    "Turkish": ("Çok güzel bir film, ışık değil; öğretmen şişe aldı", "cp1254 cp857 iso8859-9"),
    "Czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp852 cp1250 iso8859-2"),
    "Polish": ("Zażółć gęślą jaźń i świetnie źle", "cp852 cp1250 iso8859-2"),
    "Hungarian": ("Árvíztűrő tükörfúrógép és őrült idő", "cp852 cp1250 iso8859-2"),
    "Lithuanian": ("Ačiū labai, graži žalia ėda šaltis ąžuolas", "cp1257 cp775"),
    "Greek": ("Καλημέρα κόσμε, πολύ ωραία ταινία και χάλια", "cp1253 cp737 iso8859-7"),
    "Hebrew": ("שלום עולם, זה סרט טוב מאוד ולא רע", "cp1255 iso8859-8 cp862"),
    "Arabic": ("مرحبا بالعالم فيلم جيد جدا وليس سيئا أبدا", "cp1256 iso8859-6"),
    "Thai": ("สวัสดีชาวโลก หนังดีมาก ไม่แย่เลย", "cp874 tis-620"),
    "Russian": (
        "Очень хороший фильм, мне понравилось",
        "cp1251 cp866 koi8-r iso8859-5",
    ),
    "Serbian": ("Веома добар филм, љубав и њихова ћуд", "cp1251 iso8859-5"),
    "French": ("Le café était très agréable, déçu à Noël, où", "mac-roman cp850 cp1252 cp437"),
    "Portuguese": ("Não é bom, coração e ações à noite", "mac-roman cp850 cp1252"),
    "German": ("Die Tür ist schön groß, über fünf Äpfel", "mac-roman cp850 cp1252"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_named_encoding_reads_the_letters_of_other_languages(language):
    text, encodings = LANGUAGES[language]
    for encoding in encodings.split():
        likely, _ = likely_encoding([f"{text}\n".encode(encoding)] * 9)
        assert likely is not None and text.encode(encoding).decode(likely) == text, encoding


@pytest.mark.parametrize(
    ("text", "encoding", "given", "likely"),
    [
        ("Où est-il? Déçu près", "utf-8", "cp1252", "UTF-8, which reads 'Où'; cp1252 reads 'OÃ¹'"),
        ("Où est-il? Déçu près", "utf-8", "latin-1", "UTF-8"),
        ("çok güzel ışık değil", "cp1254", "cp1250", "cp1254"),
        ("příliš žluťoučký kůň", "cp852", "cp1252", "cp852"),
        ("Очень хороший фильм", "cp1251", "latin-1", "cp1251"),
        ("Очень хороший фильм", "cp1251", "cp1251", None),
        ("très déçu", "latin-1", "cp1252", None),
        ("£5 “don’t”", "cp1252", "cp1252", None),
        ("plain text", "ascii", "cp1252", None),
        ("部屋", "shift_jis", "shift_jis", None),
    ],
)
def test_a_given_encoding_in_which_a_text_does_not_look_right(
    write, caplog, text, encoding, given, likely
):
    path = write("a.csv", f"text,label\n{text},a\n{text},b\n".encode(encoding))
    texts = read_labeled(path, ReadOptions(encoding=given)).texts
    as_utf_8 = (likely or "").startswith("UTF-8")
    assert list(texts) == 2 * [text if as_utf_8 else text.encode(encoding).decode(given)]
    said = [each.getMessage() for each in caplog.records if "seems to be" in each.getMessage()]
    assert len(said) == (likely is not None)
    if likely:
        end = "it is read as UTF-8" if as_utf_8 else "encoding right?"
        assert f"{path} seems to be {likely}" in said[0] and said[0].endswith(end)


def test_a_file_that_is_utf_8_only_at_its_start_has_the_given_encoding(write, caplog):
    rows = [f"Où{number},a\n".encode() for number in range(START // 8)] + [
        "déçu,b\n".encode("cp1252")
    ]
    path = write("a.csv", b"text,label\n" + b"".join(rows))
    texts = read_labeled(path, ReadOptions(encoding="cp1252")).texts
    assert (texts[0], texts[-1]) == ("OÃ¹0", "déçu")
    assert any("encoding right?" in each.getMessage() for each in caplog.records)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Zażółć gęślą jaźń; świetny zły\n", "iso8859-2"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy\n", "iso8859-2"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy\n", "cp852"),
        ("Le café était très agréable, déçu\n", "cp850"),
        ("Die Frau für über\n", "cp1252"),
        ("日付,売上\n", "cp932"),
        ("部屋,評価\n", "cp932"),
        ("He said “don’t”: it’s £5 in Zürich, © 2020\n", "cp1252"),
    ],
)
@pytest.mark.parametrize("count", [1, 20])
def test_the_named_encoding_reads_the_letters(text, encoding, count):
    content = (text * count).encode(encoding)
    likely, _ = likely_encoding(content.splitlines(True))
    assert likely is not None and content.decode(likely) == text * count


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["この店はとても良い", "Очень хороший фильм", "το φαγητό ήταν"])
def test_utf_16_without_a_mark_of_other_scripts_is_named(tmp_path, text, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes("".join(f"{text} {i},{'良悪'[i % 2]}\n" for i in range(20)).encode(encoding))
    with pytest.raises(UserError, match=f"seems to be {encoding} without a byte order mark"):
        read_labeled(path)


@pytest.mark.parametrize("text", ["pvm;määrä\n", "Größe;Maß\n", "päivä;lukumäärä\n"])
def test_letters_of_other_scripts_are_not_in_words_with_latin_ones(text):
    assert likely_encoding([text.encode("cp1252")])[0] == "cp1252"


@pytest.mark.parametrize("text", ["Haus;100 €\n", "5 £ each\n", "20°C\n", "– no –\n", "€ 3, § 5\n"])
def test_signs_alone_are_those_of_windows(text):
    """A euro sign is a capital Ç in the encodings of DOS."""
    assert likely_encoding([text.encode("cp1252")])[0] == "cp1252"
    assert likely_encoding(["café, Ç\n".encode("cp437")])[0] != "cp1252"


HEADERS = {
    "отзыв;оценка": ("cp1251", "koi8_r", "cp866"),
    "имя;язык": ("cp1251", "koi8_r", "cp866"),
    "Город;Население": ("cp1251", "koi8_r", "cp866", "mac_cyrillic"),
    "вопрос;ответ": ("cp1251", "koi8_r", "cp866", "iso8859_5"),
    "ДАТА;ЦЕНА": ("cp1251",),
    "Відгук;Оцінка": ("cp1251",),
    "ביקורת;תווית": ("cp1255", "cp862"),
    "שם,עיר,מחיר": ("cp1255", "cp862"),
    "Κείμενο;Ετικέτα": ("cp1253", "cp737"),
    "πόλη,τιμή": ("cp1253", "cp737"),
    "Größe;Übung": ("cp1252",),
    "été;prénom": ("cp1252", "cp850"),
    "señal;año": ("cp1252",),
    "žluťoučký;kůň": ("cp1250",),
    "리뷰;감정": ("cp949",),
    "文本;标签": ("gb18030",),
}


def test_words_that_repeat_are_enough():
    rows = ["отзыв;оценка\n", *(["хорошо;да\n", "плохо;нет\n"] * 30)]
    for encoding in ("koi8_r", "cp1251", "cp866"):
        likely, _ = likely_encoding([row.encode(encoding) for row in rows])
        assert likely == encoding


@pytest.mark.parametrize(
    ("header", "encoding"), [(text, each) for text, names in HEADERS.items() for each in names]
)
def test_two_words_of_a_header_are_enough(header, encoding):
    """By the frequency of letters: lower case in KOI8-R is upper case in cp1251."""
    content = f"{header}\n".encode(encoding)
    likely, _ = likely_encoding([content, b"1;2\n"])
    assert likely is not None and content.decode(likely) == f"{header}\n"


def test_the_encoding_of_a_header_below_titles_is_told_first(tmp_path, monkeypatch):
    """Without it, the header is no row, and the titles were rows of another width."""
    monkeypatch.chdir(tmp_path)
    readings = "".join(
        f"{day:02}.01.2010;{hour:02}:00;{day},{hour}\n"
        for day in range(1, 29)
        for hour in range(24)
    )
    titles = "Station;San Francisco\nEinheit;°C\n\n"
    (tmp_path / "t.csv").write_bytes(f"{titles}Datum;Uhrzeit;°C\n{readings}".encode("cp1252"))
    hint = "t.csv:2: byte 0xb0 is not UTF-8; the file seems to be cp1252: give "
    with pytest.raises(DataError, match=hint):
        read_series("t.csv")
    assert hint in inspect("t.csv").understood
    (series,) = read_series("t.csv", ReadingOptions(table=ReadOptions(encoding="cp1252"))).series
    assert len(series.values) == 28 * 24
    films = "".join(f"{n};Film {n};{'ab'[n % 2]}\n" for n in range(40))
    (tmp_path / "f.csv").write_bytes(f"Größe;klein\n\nZahl;Text;Gefühl\n{films}".encode("cp1252"))
    with pytest.raises(DataError, match=r"f.csv:1: byte 0xf6 is not UTF-8"):
        read_labeled("f.csv")
    (tmp_path / "g.csv").write_bytes(f"Film;klein\n\nZahl;Text;Gefühl\n{films}".encode("cp1252"))
    with pytest.raises(DataError, match=r"g.csv:3: byte 0xfc is not UTF-8"):
        read_labeled("g.csv")
