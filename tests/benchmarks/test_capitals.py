"""German words and their capitals, and the most frequent tag of each."""

from benchmarks.capitals import most_frequent, tagged, write
from zoo.data.readers.tags import read_tagged


def test_tags_are_the_capitals_of_words(tmp_path):
    sentences = [tagged("Der Ärger, 3 Mal!"), tagged("Zwei Hunde")]
    write(tmp_path / "a.conll", sentences)
    actual = read_tagged(tmp_path / "a.conll")
    assert actual.words == [["der", "ärger", ",", "3", "mal", "!"], ["zwei", "hunde"]]
    b, o = "B-CAPITAL", "O"
    assert actual.tags == [[b, b, o, o, b, o], [b, b]]


def test_the_most_frequent_tag_of_a_word():
    train = [tagged("Der Hund und der Mann"), tagged("der Hund")]
    (actual,) = most_frequent(train, [["der", "hund", "katze"]])
    assert actual == ["O", "B-CAPITAL", "B-CAPITAL"]  # as four of seven words
