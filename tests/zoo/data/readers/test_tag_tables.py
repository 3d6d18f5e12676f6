"""Tables with a row for each word: Kaggle's NER data and others."""

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data.readers.tags import read_tagged
from zoo.errors import DataError, UserError

SENTENCES = [
    [("Ann’s", "NN", "B-per"), ("café", "NN", "O"), (",", ",", "O")],
    [('"', "``", "O"), ("Rome", "NNP", "B-geo"), ("NA", "NN", "O")],
    [("None", "NN", "O"), ("sings", "VB", "O")],
] * 12
FORMS = {
    "Kaggle": ("Sentence #,Word,POS,Tag", "Sentence: {}", False),
    "numbers in all rows": ("sentence_id,words,pos,labels", "{}", True),
    "the number last": ("token,xpos,ner_tag,sent_id", "s{}", True),
    "pandas": (",sentence_idx,word,pos,tag", "{}.0", True),
    "short names": ("sid,tok,pos,ner", "{}", True),
    "index before": (",sentence,Token,POS,Tag", "{}", True),
}


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def table(head, pattern, repeated):
    lines = [head]
    for number, sentence in enumerate(SENTENCES, 1):
        for place, cells in enumerate(sentence):
            named = pattern.format(number) if repeated or not place else ""
            row = [*map(quoted, cells)]
            row.insert(3 if head.endswith("sent_id") else 0, named)
            lines.append(
                ",".join([str(len(lines)) if head.startswith(",") else "", *row]).lstrip(",")
            )
            if named == "" and not head.startswith(","):
                lines[-1] = "," + lines[-1]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_row_for_each_word(tmp_path, form, encoding):
    path = tmp_path / "ner.csv"
    path.write_text(table(*FORMS[form]), encoding)
    actual = read_tagged(path, ReadOptions(encoding=encoding))
    assert actual.words == [[word for word, _, _ in each] for each in SENTENCES]
    assert actual.tags == [[tag for _, _, tag in each] for each in SENTENCES]
    seen = inspect(path, options={"encoding": encoding})
    assert (seen.task, seen.rows) == ("token-tagger", len(SENTENCES))
    if encoding == "cp1252":
        with pytest.raises(UserError, match="give encoding=.cp1252"):
            inspect(path)


def test_other_columns_by_name(tmp_path):
    (tmp_path / "a.csv").write_text(table(*FORMS["Kaggle"]), "utf-8")
    options = ReadOptions(names=ColumnNames(tag="POS"))
    assert read_tagged(tmp_path / "a.csv", options).tags[0] == ["NN", "NN", ","]
    with pytest.raises(UserError, match="no column Tags: name the tag .* with tag_column"):
        read_tagged(tmp_path / "a.csv", ReadOptions(names=ColumnNames(tag="Tags")))


def test_blank_lines_between_sentences(tmp_path):
    (tmp_path / "a.csv").write_text("word,tag\nAnn,B-per\nsings,O\n\nrain,O\nfalls,O\n")
    assert read_tagged(tmp_path / "a.csv").words == [["Ann", "sings"], ["rain", "falls"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence_id,word,tag\n1,Ann,B-per\n,,O\n2,a,O\n", "a.csv:3: the word is empty"),
        ("sentence_id,word,tag\n1,Ann,B-per\n1,b,O\n1,a,O\n", "one sentence of 3 words: it needs"),
        ("word,tag\nAnn,B-per\nb,O\n", "expected columns word, tag and sentence_id, the first"),
    ],
)
def test_tables_that_are_refused(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises((DataError, UserError), match=message):
        read_tagged(tmp_path / "a.csv")
