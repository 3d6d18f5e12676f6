"""Recordings with transcripts from every form, and what is refused before it can do harm."""

import builtins
import os
import struct
import tracemalloc

import numpy as np
import pytest
import soundfile

from tests.tasks.cases.files import table, tones, wav
from zoo.data.audio.decode import Sound, decode, fitted
from zoo.data.audio.read import read_recordings
from zoo.data.inspection import inspect
from zoo.data.readers.column_names import DEFAULT, ColumnNames, ReadOptions
from zoo.errors import DataError, UserError


def encoded(samples, tag, bits, rate=8000, channels=1, extensible=False, junk=b""):
    """A WAV file by hand."""
    width = channels * bits // 8
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * width % 2**32, width % 2**16, bits)
    if extensible:
        form = struct.pack("<H", 0xFFFE) + form[2:] + struct.pack("<HHIH", 22, bits, 4, tag)
        form += bytes.fromhex("000000001000800000aa00389b71")  # the other bytes of the identifier
    chunks = b"fmt " + struct.pack("<I", len(form)) + form
    if junk:
        chunks += b"LIST" + struct.pack("<I", len(junk)) + junk + b"\0" * (len(junk) % 2)
    chunks += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


@pytest.fixture
def decode_wav(tmp_path):
    """A function that decodes the bytes of a WAV file."""

    def decoded(content):
        (tmp_path / "decoded.wav").write_bytes(content)
        return decode(tmp_path / "decoded.wav")

    return decoded


def refused(data, *parts, options=DEFAULT):
    with pytest.raises(UserError) as actual:
        read_recordings(data, options)
    message = str(actual.value)
    assert "\n" not in message and all(str(part) in message for part in parts), message


@pytest.fixture
def folder(tmp_path):
    wav(tmp_path / "a.wav", tones("a"))
    wav(tmp_path / "b.wav", tones("bc"))
    return tmp_path


X = np.array([0.0, 0.5, -1.0, 0.25, -0.125, 0.75])
ENCODED = {
    "8 bits": ((X * 128 + 128).astype("u1").tobytes(), 1, 8, 2**-7),
    "16 bits": ((X * 2**15).astype("<i2").tobytes(), 1, 16, 2**-15),
    "24 bits": (
        b"".join(int(x * 2**23).to_bytes(3, "little", signed=True) for x in X),
        1,
        24,
        2**-23,
    ),
    "32 bits": ((X * 2**31).astype("<i4").tobytes(), 1, 32, 2**-24),
    "floats": (X.astype("<f4").tobytes(), 3, 32, 0),
    "doubles": (X.astype("<f8").tobytes(), 3, 64, 0),
}


class TestWav:
    @pytest.mark.parametrize("extensible", [False, True])
    @pytest.mark.parametrize("channels", [1, 2])
    @pytest.mark.parametrize("name", ENCODED)
    def test_encodings(self, name, channels, extensible, decode_wav):
        samples, tag, bits, apart = ENCODED[name]
        content = encoded(samples, tag, bits, 11025, channels, extensible, junk=b"odd")
        sound = decode_wav(content)
        assert sound.rate == 11025 and sound.samples.dtype == np.float32
        np.testing.assert_allclose(sound.samples, X.reshape(-1, channels), rtol=0, atol=apart)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "it is not a WAV file"),
            (b"ID3 something else, longer than a header", "it is not a WAV file"),
            (encoded(b"\0" * 8, 1, 16)[:-3], "it is cut off"),
            (encoded(b"\0" * 8, 1, 16)[:30], "it is cut off"),
            (encoded(b"\0" * 8, 1, 16)[:36], "its WAV header is damaged"),
            (encoded(b"\0" * 8, 0x1234, 16), "it cannot be decoded: .*Malformed"),
            (encoded(b"\0" * 8, 1, 16, rate=0), "it cannot be decoded: Internal error"),
            (encoded(b"\0" * 8, 1, 16, channels=0), "it cannot be decoded: Channel count is zero"),
            (
                encoded(b"\0" * 8, 1, 16, rate=1),
                "it has 1 samples per second, expected 1,000 to 384,000",
            ),
            (encoded(b"\0" * 8, 1, 16, rate=2**31 - 1), "it has 2,147,483,647 samples per second"),
            (encoded(b"\0" * 8, 1, 16, rate=2**32 - 1), "it cannot be decoded: Internal error"),
            (
                encoded(b"\0" * 2 * 65535, 1, 8, channels=65535),
                "it cannot be decoded: Too many channels",
            ),
        ],
    )
    def test_refuses(self, content, message, decode_wav):
        with pytest.raises(ValueError, match=message):
            decode_wav(content)

    @pytest.mark.parametrize("riff", [0, 0x7FFFF024, 0xFFFFFFFF, None])
    @pytest.mark.parametrize("size", [0, 0x7FFFF000, 0x7FFFFFFF, 0xFFFFFFFF])
    @pytest.mark.parametrize("junk", [b"", b"INFOISFT\x05\0\0\0Lavf\0"])
    def test_a_streamed_file_is_read_to_its_end(self, size, riff, junk, decode_wav):
        content = bytearray(encoded(ENCODED["16 bits"][0], 1, 16, junk=junk))
        place = content.index(b"data")
        content[place + 4 : place + 8] = struct.pack("<I", size)
        if riff is not None:
            content[4:8] = struct.pack("<I", riff)
        if size == 0 and riff is None:  # with the right size of the file, none are none
            with pytest.raises(ValueError, match="it has no samples"):
                decode_wav(bytes(content))
        else:
            actual = decode_wav(bytes(content)).samples[:, 0]
            np.testing.assert_allclose(actual, X, atol=2**-15)

    @pytest.mark.parametrize("name", ENCODED)
    @pytest.mark.parametrize("extra", [b"\x01", b"\x01\0", b"\0\0\0"])
    def test_a_frame_that_is_not_whole_is_left_out(self, name, extra, decode_wav):
        samples, tag, bits, apart = ENCODED[name]
        frames = (len(samples) + len(extra)) // (2 * bits // 8)
        sound = decode_wav(encoded(samples + extra, tag, bits, channels=2))
        assert sound.samples.shape == (frames, 2)
        np.testing.assert_allclose(sound.samples[:3], X.reshape(3, 2), atol=apart)

    @pytest.mark.parametrize("start", [b"RF64", b"BW64"])
    @pytest.mark.parametrize("tail", [b"", b"LIST\x04\0\0\0INFO"])
    def test_sizes_of_64_bits(self, start, tail, decode_wav):
        samples = ENCODED["24 bits"][0]
        plain = encoded(samples, 1, 24)
        place = plain.index(b"data")
        sizes = struct.pack("<4sIQQQI", b"ds64", 28, len(plain) + 28, len(samples), len(X), 0)
        content = start + b"\xff" * 4 + b"WAVE" + sizes + plain[12:place]
        content += b"data" + b"\xff" * 4 + samples + tail
        np.testing.assert_allclose(decode_wav(content).samples[:, 0], X, atol=2**-23)
        with pytest.raises(ValueError, match="it is cut off"):
            decode_wav(content[: len(content) - len(tail) - 1])

    def test_an_odd_chunk_without_a_byte_behind_it(self, decode_wav):
        content = encoded(ENCODED["16 bits"][0], 1, 16, junk=b"odd")
        content = content.replace(b"odd\0", b"odd")
        np.testing.assert_allclose(decode_wav(content).samples[:, 0], X, atol=2**-15)

    def test_fewer_bits_than_there_is_room_for(self, decode_wav):
        content = bytearray(encoded(ENCODED["16 bits"][0], 1, 16))
        content[34:36] = struct.pack("<H", 12)
        np.testing.assert_allclose(decode_wav(bytes(content)).samples[:, 0], X, atol=2**-11)

    def test_a_tone_at_another_rate(self):
        time = np.arange(2000) / 16000
        samples = np.stack([np.sin(2 * np.pi * 440 * time), np.zeros(2000)], axis=1)
        actual = fitted(Sound(samples.astype("float32"), 16000), 8000)
        expected = np.sin(2 * np.pi * 440 * np.arange(1000) / 8000) / 2
        assert actual.dtype == np.float32 and len(actual) == 1000
        np.testing.assert_allclose(actual[50:-50], expected[50:-50], atol=2e-3)

    def test_resampling_without_scipy(self, monkeypatch):
        missing(monkeypatch, "scipy")
        sound = Sound(np.zeros((5, 1), "float32"), 16000)
        assert len(fitted(sound, 16000)) == 5
        with pytest.raises(ValueError, match=r"16000 samples per second, not 8000.*\[audio\]"):
            fitted(sound, 8000)

    @pytest.mark.parametrize("form", ["FLAC", "OGG"])
    def test_flac_and_ogg_with_soundfile(self, form, tmp_path):
        path = tmp_path / f"a.{form.lower()}"
        soundfile.write(path, tones("ab"), 8000, format=form)
        sound = decode(path)
        assert sound.rate == 8000 and sound.samples.shape == (len(tones("ab")), 1)
        apart = np.abs(sound.samples[:, 0] - tones("ab")).max()
        assert apart < (1e-4 if form == "FLAC" else 0.2)
        path.write_bytes(b"fLaC, damaged")
        with pytest.raises(ValueError):
            decode(path)

    def test_flac_that_declares_more_samples_than_it_has(self, tmp_path):
        path = tmp_path / "a.flac"
        soundfile.write(path, tones("ab"), 8000)
        content = bytearray(path.read_bytes())
        for declared, said in [
            (len(tones("ab")) + 1, "it cannot be decoded"),
            (2**32 - 1, "it has more than 512 MB of samples"),
            (0, "it does not say how many samples it has"),
        ]:
            content[22:26] = declared.to_bytes(4, "big")
            path.write_bytes(content)
            with pytest.raises(ValueError, match=said):  # no MemoryError
                decode(path)

    @pytest.mark.parametrize(("form", "subtype"), [("FLAC", "PCM_16"), ("OGG", "VORBIS")])
    def test_a_small_file_of_many_samples_is_not_decoded(
        self, form, subtype, monkeypatch, tmp_path
    ):
        """Of silence a file has less than one percent of the bytes of its samples."""
        monkeypatch.setattr("zoo.data.audio.decode.MAX_DECODED", (1 << 25) - 1)
        path, silence = tmp_path / f"a.{form.lower()}", np.zeros(1 << 20, "float32")
        with soundfile.SoundFile(path, "w", 16000, 1, subtype, format=form) as file:
            for _ in range(8):
                file.write(silence)
        assert path.stat().st_size < 1 << 16
        tracemalloc.start()
        with pytest.raises(ValueError, match="it has more than 31 MB of samples"):
            decode(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()

    def test_samples_are_in_memory_once(self, tmp_path):
        path, size = tmp_path / "a.flac", 1 << 22
        soundfile.write(path, np.zeros(size, "float32"), 16000)
        decode(path)
        tracemalloc.start()
        assert len(fitted(decode(path), 16000)) == size
        assert tracemalloc.get_traced_memory()[1] < 1.4 * 4 * size  # and which are finite
        tracemalloc.stop()

    @pytest.mark.parametrize("form", ["WAV", "FLAC"])
    def test_more_samples_than_a_limit(self, form, monkeypatch, tmp_path):
        path = tmp_path / f"a.{form.lower()}"
        soundfile.write(path, np.zeros((4000, 2)), 8000, format=form)
        monkeypatch.setattr("zoo.data.audio.decode.MAX_DECODED", 1 << 15)
        assert decode(path).samples.nbytes == 32000
        soundfile.write(path, np.zeros((4097, 2)), 8000, format=form)
        with pytest.raises(ValueError, match="it has more than 0 MB of samples"):
            decode(path)

    def test_more_samples_than_a_limit_at_another_rate(self, monkeypatch):
        monkeypatch.setattr("zoo.data.audio.decode.MAX_DECODED", 1 << 15)
        sound = Sound(np.zeros((1024, 2), "float32"), 1000)
        assert len(fitted(sound, 8000)) == 8192
        with pytest.raises(ValueError, match="it has more than 0 MB of samples"):
            fitted(sound, 8001)

    @pytest.mark.parametrize(("encoding", "apart"), [("ULAW", 0.03), ("ALAW", 0.03)])
    def test_other_encodings(self, encoding, apart, tmp_path):
        path = tmp_path / "a.wav"
        soundfile.write(path, tones("ab"), 8000, subtype=encoding)
        actual = decode(path).samples[: len(tones("ab")), 0]
        assert 0 < np.abs(actual - tones("ab")).max() < apart

    def test_another_format_than_the_name_says(self, tmp_path):
        path = tmp_path / "a.flac"
        soundfile.write(path, tones("a"), 8000, format="AIFF")
        with pytest.raises(ValueError, match="it is a AIFF file, not FLAC"):
            decode(path)


def missing(monkeypatch, name):
    """As if a package were not installed."""
    real = builtins.__import__

    def without(module, *args, **kwargs):
        if module.split(".")[0] == name:
            raise ImportError(name)
        return real(module, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)


class TestForms:
    @pytest.mark.parametrize(
        "header", [("path", "text"), ("file", "transcript"), ("audio", "sentence"), None]
    )
    def test_a_table(self, folder, header):
        rows = [("a.wav", " one  two "), ("b.wav", "three")]
        actual = read_recordings(table(folder / "a.tsv", [header, *rows] if header else rows))
        assert actual.audio == [str(folder / "a.wav"), str(folder / "b.wav")]
        assert actual.transcripts == ["one two", "three"]
        assert [facts[1:] for facts in actual.facts] == [(8000, 1)] * 2
        assert str(actual).endswith("2 recordings of 0.0 minutes at 8,000 Hz (2); 3 words")

    def test_other_columns(self, folder):
        rows = [("id", "said", "sound"), ("7", "one", "a.wav"), ("8", "two", "b.wav")]
        path = table(folder / "a.tsv", rows)
        refused(path, "has no column text or transcript", "text_column", "id, said")
        for audio in ("sound", None):  # its cells name recordings
            options = ReadOptions(ColumnNames(audio=audio, text="said"))
            assert read_recordings(path, options).transcripts == ["one", "two"]
        both = table(folder / "b.tsv", [("one", "text", "other"), ("a.wav", "x", "b.wav")])
        refused(both, "has no column audio or path", "audio_column", "one, text, other")

    def test_characters_are_composed(self, folder):
        path = table(folder / "a.tsv", [("path", "text"), ("a.wav", "e\u0301t\u00e9")])
        assert read_recordings(path).transcripts == ["\u00e9t\u00e9"]

    def test_memory_and_paths(self, folder):
        actual = read_recordings([(np.zeros(3), "a"), (folder / "b.wav", "b")])
        assert actual.facts[0].samples == 3 and actual.audio[1] == str(folder / "b.wav")

    def test_split(self):
        rows = [(np.full(3, x), str(x)) for x in range(1, 8)]
        rows = [(x.astype("float32"), text) for x, text in rows]
        one, other = read_recordings(rows).split(0.3)
        assert len(one.audio) == 5 and len(other.audio) == 2
        assert {*one.transcripts, *other.transcripts} == set("1234567")


def nan_file(path):
    path.write_bytes(encoded(np.array([0, np.nan], "<f4").tobytes(), 3, 32))


BAD = {
    "unreadable": (lambda path: path.write_bytes(b"RIFFnothing"), "it is not a WAV file"),
    "no samples": (lambda path: path.write_bytes(encoded(b"", 1, 16)), "it has no samples"),
    "NaN": (nan_file, "it has samples that are not finite"),
    "missing": (lambda path: None, "No such file"),
    "a folder": (lambda path: path.mkdir(), "it is not a regular file"),
}


class TestRefuses:
    @pytest.mark.parametrize("name", BAD)
    def test_bad_recordings(self, folder, name):
        make, reason = BAD[name]
        make(folder / "bad.wav")
        path = table(folder / "a.tsv", [("path", "text"), ("a.wav", "x"), ("bad.wav", "y")])
        refused(path, f"{path}:3: bad.wav: ", reason)
        with pytest.raises(UserError, match=reason):
            read_recordings([(folder / "bad.wav", "y")])
        actual = read_recordings(path, ReadOptions(skip_bad_rows=True))
        assert actual.transcripts == ["x"] and len(actual.bad) == 1
        assert "1 recording that cannot be read skipped" in str(actual)

    def test_mixed_channel_counts(self, folder):
        wav(folder / "c.wav", tones("a"), channels=2)
        path = table(folder / "a.tsv", [("path", "text"), ("a.wav", "x"), ("c.wav", "y")])
        refused(path, "c.wav has 2 channels, and a.wav has 1: use mix_channels=True")
        assert len(read_recordings(path, mix_channels=True).audio) == 2

    def test_a_path_that_leaves_the_folder(self, folder):
        inner = folder / "inner"
        inner.mkdir()
        os.symlink(folder / "a.wav", inner / "link.wav")
        for name in ("../a.wav", "x/../../a.wav", str(folder / "a.wav")):
            path = table(inner / "a.tsv", [("path", "text"), (name, "x")])
            refused(path, f"{path}:2: {name}: it leads out of")
        path = table(inner / "a.tsv", [("path", "text"), ("link.wav", "x")])
        refused(path, "is a link out of")
        path = table(folder / "a.tsv", [("path", "text"), ("inner/../a.wav", "x")])
        assert read_recordings(path).audio == [str(folder / "a.wav")]

    def test_rows(self, folder):
        path = table(folder / "a.tsv", [("path", "text"), ("a.wav", "x"), ("b.wav", " ")])
        with pytest.raises(DataError, match="3: b.wav: the transcript is empty"):
            read_recordings(path)
        path = table(folder / "a.tsv", [("path", "text"), ("", "x")])
        refused(path, ":2: : the path is empty")

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ([], "has no recordings"),
            ([1, 2], "expected a list of (audio, transcript)"),
            ([(np.zeros(0), "a")], "recording 1: it has no samples"),
            ([(np.array([0, np.nan]), "a")], "recording 1: it has samples that are not finite"),
            ([(np.zeros((2, 2)), "a")], "expected samples (S) as floats from -1 to 1"),
            ([(np.zeros(3, int), "a")], "expected samples (S) as floats from -1 to 1, got int64"),
        ],
    )
    def test_data_in_memory(self, data, message):
        refused(data, message)


def test_inspect_names_the_task(folder):
    path = table(folder / "a.tsv", [("path", "text"), ("a.wav", "one two"), ("b.wav", "three")])
    actual = inspect(path)
    assert actual.task == "speech-recognizer" and actual.rows == 2
    assert "2 recordings of 0.0 minutes at 8,000 Hz (2); 3 words" in actual.understood
    (folder / "b.wav").write_bytes(b"RIFF")
    actual = inspect(path)
    assert actual.task is None and "3: b.wav: it is not a WAV file" in actual.understood
