"""Files of tagged words as other programs write them: words and tags only, or a clear error."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data.readers.tags import read_tagged
from zoo.errors import UserError

WORDS = [["Ann", "Lee", "sings"], ["in", "Rome"]]
TAGS = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]


def rows(form, separator="\t", start=1):
    """The lines of both sentences; `form` makes the cells from an index, a word and its tag."""
    pairs = (zip(w, t, strict=True) for w, t in zip(WORDS, TAGS, strict=True))
    return [
        "\n".join(separator.join(form(i, *pair)) for i, pair in enumerate(each, start))
        for each in pairs
    ]


def conllu(i, word, tag):
    return [str(i), word, word.lower(), tag, "_", "_", "0", "root", "_", "SpaceAfter=No"]


MULTI, MULTI2 = rows(lambda i, w, t: [w, "_", "_", t], " ")
GERM, GERM2 = rows(lambda i, w, t: [str(i), w, t, "O"])
UD, UD2 = rows(conllu)
PLAIN, PLAIN2 = rows(lambda i, w, t: [w, t])
ONTO, ONTO2 = rows(lambda i, w, t: ["bc/cctv", "0", str(i), w, "NN", "(NP*)", "-", "-", "-", "Ann",
    {"B-PER": "(PER*", "I-PER": "*)", "O": "*", "B-LOC": "(LOC)"}[t], *["*"] * (i + 1), "-"],
    "   ", 0)  # fmt: skip
CONLL, CONLL2 = rows(lambda i, w, t: [w, "NNP", "I-NP", t], " ")
EMPTY = "\t".join("_" * 8)
FILES = {
    "multiconer": f"# id 00-1\tdomain=en\n{MULTI}\n\n# id 00-2\tdomain=en\n{MULTI2}\n",
    "multiconer with spaces": f"# id 00-1 domain=en\n{MULTI}\n\n# id 00-2 domain=en\n{MULTI2}\n",
    "germeval": f"#\thttp://a [2009]\n{GERM}\n\n#\thttp://b [2009]\n{GERM2}\n",
    "conllu": f"# sent_id = 0\n# text = a b c d e f g\n{UD}\n\n# text = in Rome\n{UD2}\n\n",
    "conllu with ranges": f"# newdoc\n1-2\tAnnLee\t{EMPTY}\n{UD}\n3.1\tx\t{EMPTY}\n\n{UD2}",
    "conllu plus": f"# global.columns = ID FORM X UPOS A B HEAD DEPREL C D\n{UD}\n\n{UD2}",
    "conll 2003": f"-DOCSTART- -X- -X- O\n\n{CONLL}\n\n-DOCSTART- -X- -X- O\n{CONLL2}\n",
    "conll 2012": f"#begin document (bc/cctv); part 000\n{ONTO}\n\n{ONTO2}\n\n#end document\n",
    "header": f"token\tlabel\n{PLAIN}\n\n{PLAIN2}\n",
    "header and blank line": f"Word\tNER\n\n{PLAIN}\n\n{PLAIN2}\n",
    "final tabs": PLAIN.replace("\n", "\t\n")
    + "\t\r\n\r\n"
    + PLAIN2.replace("\n", "\t\n")
    + "\t\n",
    "trailing spaces": f"{MULTI} \n  \n{MULTI2}  ",
    "comments": f"###MEDLINE:1\n# a comment of words\n{PLAIN}\n\n#\n#begin a text\n{PLAIN2}\n#end",
    "continued indices": f"{GERM}\n\n{GERM2}".replace("\n1\tin", "\n4\tin").replace(
        "2\tRome", "5\tRome"
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_words_and_tags_only(name, tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(FILES[name])
    actual = read_tagged(path)
    assert (actual.words, actual.tags) == (WORDS, TAGS)
    comments = FILES[name].count("\n#") + FILES[name].startswith("#")
    assert actual.statistics["comment lines skipped"] == comments


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("# O\nAnn B-PER\n\nin O\n", "#"),  # the first word of a sentence
        ("#\tO\nAnn\tB-PER\n\nin\tO\n", "#"),
        ("#rome O\nAnn B-PER\n\nin O\n", "#rome"),
        ("# SYM\nAnn NNP\n# SYM\n\nin IN\n", "#"),  # no other word has the tag, but it is inside
        ("#\t#\tO\nAnn\tNNP\tB-PER\n\nin\tIN\tO\n", "#"),
    ],
)
def test_a_word_that_is_a_hash_is_no_comment(content, word, tmp_path):
    (tmp_path / "a.conll").write_text(content)
    actual = read_tagged(tmp_path / "a.conll")
    assert actual.words[0][:2] == [word, "Ann"] and not actual.comments


@pytest.mark.parametrize(
    ("name", "options", "words", "tags"),
    [
        ("germeval", {"tag_column": "4"}, WORDS, [["O"] * 3, ["O"] * 2]),
        ("germeval", {"tag_column": "-1"}, WORDS, [["O"] * 3, ["O"] * 2]),
        ("conllu", {"word_column": "lemma"}, [["ann", "lee", "sings"], ["in", "rome"]], TAGS),
        ("conllu", {"tag_column": "DEPREL"}, WORDS, [["root"] * 3, ["root"] * 2]),
        ("conll 2012", {"tag_column": "5"}, WORDS, [["NN"] * 3, ["NN"] * 2]),
        ("conll 2012", {"word_column": "4", "tag_column": "11"}, WORDS, TAGS),
        ("conll 2003", {"tag_column": "3"}, WORDS, [["I-NP"] * 3, ["I-NP"] * 2]),
        ("header", {"word_column": "token", "tag_column": "LABEL"}, WORDS, TAGS),
    ],
)
def test_columns_that_are_named(name, options, words, tags, tmp_path):
    (tmp_path / "a.conll").write_text(FILES[name])
    actual = read_tagged(tmp_path / "a.conll", ReadOptions.of(options))
    assert (actual.words, actual.tags) == (words, tags)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("Ann\tNN\tB-PER\nsings\tNN\t\n", {}, "a.conll:2: column 3, that of the tag, is empty"),
        ("Ann NN B-PER\nsings NN\nand CC O\n", {}, "a.conll:2: expected 3 columns as in most lines"
         ", found 2; or name those to read with --word-column and --tag-column"),
        (f"{UD}\n4", {}, "a.conll:4: expected a word and its tag"),  # cut off
        ("1\tAnn\n2\tsings\n", {}, "a.conll has numbers in column 1, and only one other column: "
         "name the columns of words and tags with --word-column and --tag-column"),
        ("Ann X O\n", {"tag_column": "4"}, "a.conll has no column 4, which --tag-column names: "
         "expected the number of a column, 3 in the shortest line"),
        ("Ann X O\n", {"word_column": "form"}, "a.conll has no column form, which --word-column "
         "names: expected the number of a column, 3 in the shortest line"),
        ("".join(f"doc\tw{i}\tT{i % 3}\n" for i in range(20)), {}, "a.conll has the same cell in "
         "all lines of column 1: name the columns of words and tags with --word-column and "
         "--tag-column"),
        ("".join(f"{i * i}\tw{i}\tT{i % 3}\n" for i in range(20)), {}, "a.conll has numbers in "
         "column 1 instead of words: name the columns of words and tags with --word-column and "
         "--tag-column"),
        ("Ann O\n", {"encoding": "latin-99"}, "the encoding 'latin-99' is unknown; usual ones are "
         "utf-8, utf-16, cp1252, cp1251, latin-1, shift_jis, gb18030, euc_kr and koi8-r"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(content, options, message, tmp_path):
    (tmp_path / "a.conll").write_text(content)
    with pytest.raises(UserError) as caught:
        read_tagged(tmp_path / "a.conll", ReadOptions.of(options))
    assert str(caught.value).removeprefix(f"{tmp_path}/") == message
    if "encoding" not in options:
        with pytest.raises(UserError, match="a.conll"):  # and not taken for plain text
            inspect(tmp_path / "a.conll", options=options)


INDEX = "numbers the words of each sentence: name another column"


@pytest.mark.parametrize(
    ("name", "options", "column"),
    [
        ("germeval", {"word_column": "1", "tag_column": "3"}, "1, which --word-column"),
        ("germeval", {"tag_column": "1"}, "1, which --tag-column"),
        ("conllu", {"word_column": "ID"}, "ID, which --word-column"),
        ("conll 2012", {"word_column": "3"}, "3, which --word-column"),
    ],
)
def test_columns_of_indices_are_refused(name, options, column, tmp_path):
    (tmp_path / "a.conll").write_text(FILES[name])
    with pytest.raises(UserError) as caught:
        read_tagged(tmp_path / "a.conll", ReadOptions.of(options))
    assert str(caught.value) == f"{tmp_path}/a.conll: column {column} names, {INDEX}"


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("column", ["word_column", "tag_column"])
def test_columns_of_indices_in_tables_are_refused(start, goes_on, column, tmp_path):
    rows, number = ["sentence_id,idx,word,tag"], start
    for sentence in range(7):
        number = number if goes_on else start
        for word in range(sentence % 3 + 2):
            rows.append(f"{sentence},{number},w{word},{'AB'[word % 2]}")
            number += 1
    (tmp_path / "a.csv").write_text("\n".join(rows))
    option = column.replace("_", "-")
    with pytest.raises(UserError, match=f"a.csv: column idx, which --{option} names, {INDEX}"):
        read_tagged(tmp_path / "a.csv", ReadOptions.of({column: "idx"}))


def test_words_that_are_numbers_by_chance_are_read(tmp_path):
    (tmp_path / "a.conll").write_text("1914 YEAR\n1918 YEAR\n\n7 COUNT\n")
    actual = read_tagged(tmp_path / "a.conll", ReadOptions.of({"word_column": "1"}))
    assert actual.words == [["1914", "1918"], ["7"]]


def test_another_encoding(tmp_path):
    (tmp_path / "a.conll").write_bytes("Muñoz B-PER\nvive O\n".encode("latin-1"))
    assert read_tagged(tmp_path / "a.conll", ReadOptions(encoding="latin-1")).words == [
        ["Muñoz", "vive"]
    ]
    with pytest.raises(UserError, match="1: byte 0xf1 .* not UTF-8; the file seems to be cp1252"):
        read_tagged(tmp_path / "a.conll")


RECORDS = [{"tokens": w, "ner_tags": t, "id": "7"} for w, t in zip(WORDS, TAGS, strict=True)]


def write(path, records):
    if path.suffix == ".parquet":
        pa.parquet.write_table(pa.Table.from_pylist(records), path)
    else:
        lines = [json.dumps(each) for each in records]
        path.write_text(f"[{','.join(lines)}]" if path.suffix == ".json" else "\n".join(lines))


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_records_with_lists(suffix, tmp_path):
    path = tmp_path / f"a{suffix}"
    write(path, RECORDS)
    actual = read_tagged(path)
    assert (actual.words, actual.tags) == (WORDS, TAGS)
    assert inspect(path).task == "token-tagger"
    write(path, [{**each, "pos_tags": [0] * len(each["tokens"])} for each in RECORDS])
    with pytest.raises(UserError, match=r"several lists of tags \(ner_tags, pos_tags\): name one"):
        read_tagged(path)
    assert read_tagged(path, ReadOptions(ColumnNames(tag="pos_tags"))).tags == [
        ["0"] * 3,
        ["0"] * 2,
    ]
    with pytest.raises(UserError, match="has no lists x, which --word-column names; it has tokens"):
        read_tagged(path, ReadOptions(ColumnNames(word="x")))
    write(path, [*RECORDS, {"tokens": ["a"], "ner_tags": ["O", "O"], "id": ""}])
    with pytest.raises(UserError, match="3: found 1 word, but 2 tags"):
        read_tagged(path)
