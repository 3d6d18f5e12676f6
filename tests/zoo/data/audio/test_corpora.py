"""Tables of recordings as LJSpeech, Common Voice, NeMo and DeepSpeech write them."""

from pathlib import Path

import pytest

from tests.tasks.cases.files import tones, wav
from zoo.data.audio.read import read_recordings
from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.errors import DataError, UserError

WORDS = [f"number {word}" for word in ("one", "two", "three", "four", "five", "six")] * 4
VOICE = "client_id\tpath\tsentence\tup_votes\tsegment\n"
# The name of the table, the folder and the names of recordings, the first line and a row.
CORPORA = {
    "LJSpeech": ("metadata.csv", "wavs", "LJ001-{:04}.wav",
                 "", 'LJ001-{0:04}|Nr. {0}, "he said|{1}\n'),
    "two columns": ("metadata.csv", "wavs", "a{}.wav", "", "a{0}|{1}\n"),
    "LJSpeech, Windows": ("metadata.csv", "wavs", "LJ{}.wav", "", "LJ{0}|{1}|{1}\r\n"),
    "Common Voice": ("train.tsv", "clips", "common_voice_{}.wav",
                     VOICE, 'ab\tcommon_voice_{0}.wav\t{1}\t2\t\n'),
    "Common Voice, decoded": ("train.tsv", "clips", "common_voice_{}.wav",
                              VOICE, 'ab\tcommon_voice_{0}.mp3\t{1}\t2\t\n'),
    "NeMo": ("manifest.json", "audio", "{}.wav", "",
             '{{"audio_filepath": "audio/{0}.wav", "duration": 0.4, "text": "{1}"}}\n'),
    "NeMo, lines": ("manifest.jsonl", "", "{}.wav", "",
                    '{{"audio_filepath": "{0}.wav", "duration": 0.4, "text": "{1}"}}\n'),
    "DeepSpeech": ("train.csv", "data", "{}.wav",
                   "wav_filename,wav_filesize,transcript\n", "data/{0}.wav,9000,{1}\n"),
    "Hugging Face": ("metadata.csv", "", "{}.wav", "file_name,transcription\n", "{0}.wav,{1}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CORPORA)
def test_tables_of_corpora_are_read_as_they_are(tmp_path, name):
    table, inner, pattern, head, row = CORPORA[name]
    (tmp_path / inner).mkdir(exist_ok=True)
    files = [tmp_path / inner / pattern.format(n) for n in range(len(WORDS))]
    for file in files:
        wav(file, tones("a"))
    rows = [row.format(n, text) for n, text in enumerate(WORDS)]
    (tmp_path / table).write_bytes((head + "".join(rows)).encode())
    found = read_recordings(tmp_path / table)
    assert (found.audio, found.transcripts) == ([*map(str, files)], WORDS)
    assert inspect(tmp_path / table).task == "speech-recognizer"
    with pytest.raises(UserError, match=f"recordings and tables: take one, .*{table}"):
        inspect(tmp_path)


def test_a_speaker_in_the_third_column_is_no_transcript(tmp_path):
    wav(tmp_path / "a.wav", tones("a"))
    (tmp_path / "a.csv").write_text("a.wav|one two|anna\n" * 3)
    assert read_recordings(tmp_path / "a.csv").transcripts == ["one two"] * 3
    assert read_recordings(tmp_path / "a.csv").audio == [str(tmp_path / "a.wav")] * 3


def test_mp3_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "a.mp3").write_bytes(b"ID3")
    (tmp_path / "a.tsv").write_text("path\tsentence\na.mp3\tone\n")
    with pytest.raises(DataError, match=r"a.tsv:2: a.mp3: .mp3 files are not read: .*ffmpeg -i a"):
        read_recordings(tmp_path / "a.tsv")
    assert "ffmpeg -i a.mp3 a.wav" in inspect(tmp_path / "a.tsv").understood


@pytest.mark.parametrize("name", ["../a", "../a.wav", "wavs/../../a"])
def test_names_that_lead_out_of_the_folder(tmp_path, name):
    (tmp_path / "in").mkdir()
    wav(tmp_path / "a.wav", tones("a"))
    (tmp_path / "in" / "a.csv").write_text(f"path,text\n{name},one\n")
    with pytest.raises(DataError, match="it leads out of"):
        read_recordings(tmp_path / "in" / "a.csv")


def test_labels_of_sounds_are_no_transcripts(tmp_path):
    for folder in ("audio", "meta"):
        (tmp_path / folder).mkdir()
    names = [f"1-{n}-A-{n % 3}.wav" for n in range(24)]
    for name in names:
        wav(tmp_path / "audio" / name, tones("a"))
    rows = [f"{name},1,{n % 3},{['dog', 'rain', 'clock'][n % 3]}" for n, name in enumerate(names)]
    table = tmp_path / "meta" / "esc50.csv"
    table.write_text("\n".join(["filename,fold,target,category", *rows]))
    with pytest.raises(UserError, match=f"recordings and tables: take one, {table}"):
        inspect(tmp_path)
    reason = r"labels of recordings \(target, category\), and no transcripts: no task classifies"
    with pytest.raises(UserError, match=reason):
        read_recordings(table)
    assert inspect(table).fits == []


def test_a_table_with_other_words_and_another_folder(tmp_path):
    (tmp_path / "Aufnahmen").mkdir()
    words = ["eins", "zwei", "drei"] * 8
    for number in range(len(words)):
        wav(tmp_path / "Aufnahmen" / f"REC_{number}.wav", tones("a"))
    rows = "".join(f"REC_{i}.wav;anna;{word}\n" for i, word in enumerate(words))
    table = tmp_path / "protokoll.csv"
    table.write_text(f"Datei;Sprecher;Gesagt\n{rows}", "utf-8")
    found = read_recordings(table, ReadOptions(ColumnNames(text="Gesagt")))
    assert found.transcripts == words
    assert [Path(each).parent.name for each in found.audio] == ["Aufnahmen"] * len(words)
    told = "name the text of recordings with text_column; the columns are Sprecher, Gesagt"
    with pytest.raises(UserError, match=told):
        read_recordings(table)


def test_a_folder_that_is_a_link_is_not_looked_into(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    wav(tmp_path / "elsewhere" / "a.wav", tones("a"))
    (tmp_path / "data" / "linked").symlink_to(tmp_path / "elsewhere")
    table = tmp_path / "data" / "t.csv"
    table.write_text("audio,text\na.wav,one\n", "utf-8")
    with pytest.raises(DataError, match="a.wav"):
        read_recordings(table)
