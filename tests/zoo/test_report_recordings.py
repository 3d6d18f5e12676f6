"""What a report has of recordings: players, waveforms, and transcripts beside."""

import base64
import io
import re
import wave

import numpy as np
import pytest

from tests.browser import browsing, visit
from tests.zoo.unanswered import Unanswered
from zoo.metrics.texts import TextRows
from zoo.report import html, judged_texts, page, policy, recordings, speech
from zoo.report.recordings import MOST, TOTAL
from zoo.tasks.parts import PreviewRow
from zoo.tasks.speech_alignment import Alignment

RATE = 8000


class Recognizer:
    """Passes samples on."""

    class preprocessor:
        sample_rate = RATE

        @staticmethod
        def fitted(samples):
            return samples


def tone(count, scale=0.5):
    return (scale * np.sin(np.arange(count) * 0.3)).astype("float32")


def row(samples, reference="two", prediction="to"):
    return PreviewRow("a<b>.wav", prediction, reference, samples)


def sounds(source):
    """The samples of each player, and the rates."""
    for content in re.findall(r'src="data:audio/wav;base64,([^"]+)"', source):
        with wave.open(io.BytesIO(base64.b64decode(content))) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
            yield samples / 32767, file.getframerate()


def test_a_player_has_the_samples_and_the_transcripts_are_beside_it():
    samples = tone(997)
    samples[:2] = 3.0, -3.0
    source = recordings.section(Recognizer, None, [row(samples), row(tone(601), None)])
    (first, rate), (second, _) = sounds(source)
    assert rate == RATE and (len(first), len(second)) == (997, 601)
    np.testing.assert_allclose(first, np.clip(samples, -1, 1), atol=1.6e-5)
    assert "a&lt;b&gt;.wav" in source and "<small>0.1 s</small>" in source
    assert source.count("<dt>reference</dt>") == 1 and source.count("<dt>written</dt>") == 2
    assert html.differing("to", "two") in source


def test_sounds_are_bounded_in_bytes_one_by_one_and_together():
    rows = [row(tone(MOST // 2 + 101)) for _ in range(9)]
    source = recordings.section(Recognizer, None, rows)
    counts = [2 * len(samples) for samples, _ in sounds(source)]
    assert counts == [MOST] * (TOTAL // MOST) and sum(counts) == TOTAL
    seconds = MOST / 2 / RATE
    assert source.count(f", of which the player has {seconds:.1f} s") == len(counts)
    assert source.count(", without a player") == 9 - len(counts)
    assert source.count("<audio") == len(counts) and source.count('class="wave"') == 9
    assert len(source) < 4 * TOTAL / 3 + 9 * 12_000


def test_a_waveform_has_the_range_of_each_part():
    samples = np.zeros(600, "float32")
    samples[3] = 0.01  # of the second of 300 parts
    samples[599] = -0.02  # the loudest, which has half of the height
    drawn = re.search(r' d="([^"]+)"', recordings.waveform(samples)).group(1)
    lines = re.findall(r"M(\d+) ([\d.]+)V([\d.]+)", drawn)
    assert len(lines) == 300
    assert lines[0] == ("0", "24", "24")
    assert lines[1] == ("1", "12", "24")
    assert lines[299] == ("299", "24", "48")
    assert recordings.waveform(samples[:7]).count("M") == 7
    assert recordings.waveform(np.full(7, 1e-6)).count("M0 23.98V23.98") == 1  # silence is flat


def test_rows_that_differ_most_come_first_and_are_predicted_no_more():
    texts = ["one", "two", "three", "four", "five"]
    said = ["one", "too", "zzz", "for", "five"]
    rows = TextRows([[text] for text in texts], said)
    assert judged_texts.chosen(rows, 4) == [2, 1, 0, 3]
    assert judged_texts.chosen(rows, 9) == [2, 1, 3, 0, 4]
    assert judged_texts.rows_of(Unanswered(None), 4) == []


@browsing
@pytest.mark.thorough
def test_a_browser_plays_them_within_the_policy(tmp_path):
    shown = recordings.section(Recognizer, None, [row(tone(4001))])
    assert "media-src data:" in policy.policy("", "")
    path = tmp_path / "page.html"
    path.write_text(page.whole_page("Recordings", shown), "utf-8")
    actual = visit(path)
    assert actual.console == [] and "<audio" in actual.dom


@pytest.mark.parametrize("count", [3, 60])
def test_pictures_of_speech_grow_with_the_characters_up_to_a_limit(count):
    random = np.random.default_rng(count)
    probabilities = random.dirichlet(np.full(count + 1, 0.05), 301)
    alignment = Alignment(random.normal(size=(97, 11)), probabilities, (0.01, 0.04), [])
    drawn = speech.picture(alignment, [chr(0x4E00 + number) for number in range(count)])
    shown = [text.get_text() for text in drawn.axes[1].get_yticklabels()]
    highest = probabilities.max(axis=0)
    expected = np.sort(np.argsort(-highest)[: speech.MOST])
    assert shown == [speech.BLANK if x == 0 else chr(0x4DFF + x) for x in expected]
    lower = max(speech.HEIGHT, speech.ROW * len(shown))
    assert drawn.get_figheight() == pytest.approx(speech.HEIGHT + lower)
