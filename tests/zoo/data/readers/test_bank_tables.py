"""Statements of German banks: notes above the table, cp1252, decimal commas, repeated names."""

import logging
from datetime import date, timedelta

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.tables import open_table
from zoo.data.readers.values import read_values
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.errors import DataError, UserError

DAYS = [f"{date(2024, 1, 1) + timedelta(n):%d.%m.%Y}" for n in range(60)]
KINDS = [("REWE sagt danke", "Lebensmittel"), ("Miete Müller", "Wohnen")]
NAMES = "Buchungstag;Wertstellung;Umsatzart;Verwendungszweck;Kategorie;Betrag;Währung"
NOTES = '"Konto:";"DE00 1234"\n"Zeitraum:";"01.01.2024 - 31.03.2024"\n\n'
GERMAN = {"encoding": "cp1252"}


def amount(n):
    return f"{-12 - 100.25 * n:,.2f}".translate(str.maketrans(",.", ".,"))


def write(path, above=NOTES, names=NAMES, encoding="cp1252"):
    rows = [
        f'{day};{day};Lastschrift;"{KINDS[n % 2][0]} {n}";{KINDS[n % 2][1]};{amount(n)};EUR'
        for n, day in enumerate(DAYS)
    ]
    path.write_text(above + "\n".join([names, *rows]) + "\n", encoding=encoding)
    return path


def test_statements_are_read_with_their_encoding(tmp_path, caplog):
    logging.getLogger("keras_attn").propagate = True
    path = write(tmp_path / "a.csv")
    labeled = read_labeled(path, ReadOptions.of({**GERMAN, "label_column": "Kategorie"}))
    assert labeled.labels == [KINDS[n % 2][1] for n in range(60)]
    assert labeled.texts[1] == "Miete Müller 1"
    assert "lines 1 to 2 are above the table, and are not read: 'Konto:, DE00" in caplog.text
    values = read_values(path, ReadOptions.of({**GERMAN, "value_column": "Betrag"})).values
    assert values == [(-12 - 100.25 * n,) for n in range(60)]
    options = ReadingOptions.of({**GERMAN, "target_column": "Betrag"})
    (series,) = read_series(path, options).series
    assert series.values[:, 0].tolist() == [-12 - 100.25 * n for n in range(60)]
    tasks = {each.task: each.options for each in inspect(path, options=GERMAN).fits}
    assert tasks["text-classifier"] == {"label_column": "Kategorie"}
    assert tasks["text-regressor"] == {}


def test_another_encoding_is_named(tmp_path):
    with pytest.raises(DataError, match="seems to be cp1252: give encoding='cp1252'"):
        open_table(write(tmp_path / "a.csv"), "data")


def test_a_header_with_repeated_names_is_refused_and_no_row(tmp_path):
    names = NAMES.replace("Umsatzart", "Währung").replace("Verwendungs", "Empfänger/")
    path = write(tmp_path / "a.csv", names=names, encoding="utf-8")
    with pytest.raises(UserError, match="has 2 columns with the name 'Währung'"):
        open_table(path, "data")


def test_a_column_of_one_value_has_no_labels(tmp_path):
    path = write(tmp_path / "a.csv", names=NAMES.replace("Kategorie", "label"), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    for _, kind in KINDS:
        text = text.replace(kind, "alle")
    path.write_text(text, encoding="utf-8")
    assert "text-classifier" not in [each.task for each in inspect(path).fits]


def test_rows_of_events_say_what_to_do(tmp_path):
    gaps = [0, 1, 3, 4, 9, 11, 18, 19, 27, 30, 31, 40, 52, 60, 61, 75]
    rows = [f"{date(2024, 1, 1) + timedelta(gap)} 07:{gap % 60:02},{gap}.5" for gap in gaps]
    (tmp_path / "a.csv").write_text("\n".join(["Activity Date,Distance", *rows]))
    with pytest.raises(DataError, match="its rows seem to be events, .* one row for each day"):
        read_series(tmp_path / "a.csv")
