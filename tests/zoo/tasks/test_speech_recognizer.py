"""What the speech recognizer does besides what every task does."""

import logging

import numpy as np
import pytest

import export
import zoo
from export.worker import artifact
from tests.oracles import ctc as oracle
from tests.tasks.cases.files import TONE_RATE, recordings, table, tones, wav
from zoo.errors import UserError
from zoo.preprocessing.audio import padded

SMALL = {"hidden_dim": 16, "num_layers": 1, "num_mels": 13, "dropout": 0.0}
FIT = {"learning_rate": 0.03, "batch_size": 7, "xla": False, "verbose": False}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return recordings(tmp_path_factory.mktemp("data"), count=61)


@pytest.fixture(scope="module")
def causal(data):
    task = zoo.SpeechRecognizer(causal=True, **{**SMALL, "num_layers": 2})
    task.adapt(data)
    task.fit(data, epochs=12, **FIT)
    return task


@pytest.mark.thorough
def test_artifacts_that_return_text_have_the_scores_of_the_task(causal, data, tmp_path):
    export.saved_model(causal, tmp_path / "served")
    export.litert(causal, tmp_path / "bytes.tflite", text="bytes")
    scores = causal.evaluate(data).items()
    expected = {name: x for name, x in scores if not name.startswith("majority_")}
    assert expected["character_error_rate"] < 1  # so that there is text
    for path in (tmp_path / "served" / "1", tmp_path / "bytes.tflite"):
        actual = causal.evaluate_artifact(artifact.load(path), data)
        assert actual == pytest.approx(expected), path


class TestStreaming:
    @pytest.mark.thorough
    def test_chunks_give_the_logits_of_the_whole(self, causal):
        sound = tones("abcba", seed=3)
        features = causal.preprocessor.read({"audio": [sound]})
        whole = np.asarray(causal.model(features)["logits"])[0]
        for sizes in ([len(sound)], [7, 100, 993, 1, 5000], [160] * 30):
            cuts = np.cumsum(sizes)
            chunks = [part for part in np.split(sound, cuts) if len(part)]
            actual = np.concatenate(list(causal.stream_logits(chunks)))
            np.testing.assert_allclose(actual, whole, rtol=1e-5, atol=1e-5)

    @pytest.mark.thorough
    def test_pieces_come_before_the_end(self, causal):
        sound = tones("abcabc", seed=3)
        seen = []

        def chunks():
            for start in range(0, len(sound), 400):
                yield sound[start : start + 400]
                seen.append(start)

        pieces = [(piece, len(seen)) for piece in causal.stream(chunks())]
        assert "".join(piece for piece, _ in pieces) == causal.predict([sound])[0] != ""
        assert pieces[0][1] < len(seen) / 2

    def test_what_cannot_stream(self, causal, data):
        task = zoo.SpeechRecognizer(**SMALL)
        task.adapt(data)
        with pytest.raises(UserError, match="only a causal model streams"):
            next(task.stream([np.zeros(3, "float32")]))
        with pytest.raises(UserError, match="a chunk cannot be read: .* not finite"):
            next(causal.stream([np.array([0.0, np.nan])]))


class TestRecordings:
    def test_other_rates_and_channels_are_converted_and_said(self, causal, tmp_path, caplog):
        sound = tones("abc", seed=3)
        plain = wav(tmp_path / "a.wav", sound)
        double = wav(tmp_path / "b.wav", np.repeat(sound, 2), rate=2 * TONE_RATE, channels=2)
        with caplog.at_level(logging.WARNING, "keras_attn"):
            one, other = causal.predict([plain, double])
        assert one == other != ""
        assert "1 recording resampled to 8000 Hz" in caplog.text
        assert "1 recording of several channels mixed to one" in caplog.text

    def test_the_rate_is_the_most_frequent_one(self, tmp_path):
        rates = (8000, 11025, 11025)
        for number, rate in enumerate(rates):
            wav(tmp_path / f"{number}.wav", tones("ab"), rate)
        path = table(tmp_path / "a.tsv", [(f"{number}.wav", "ab") for number in range(3)])
        task = zoo.SpeechRecognizer(**SMALL)
        task.adapt(path)
        assert task.preprocessor.sample_rate == 11025
        assert len(task.preprocessor.sample[0]) == -(-len(tones("ab")) * 11025 // 8000)

    def test_arrays_have_no_rate(self):
        with pytest.raises(UserError, match="arrays of samples have no rate: name it with"):
            zoo.SpeechRecognizer(**SMALL).adapt([(tones("a"), "a")])

    @pytest.mark.parametrize("rate", [999, 200_000])
    def test_rates_out_of_range(self, rate):
        with pytest.raises(UserError, match="sample_rate"):
            zoo.SpeechRecognizer(sample_rate=rate, **SMALL).adapt([(tones("a"), "a")])

    def test_one_recording_instead_of_a_list(self, causal):
        with pytest.raises(UserError, match="takes a list of recordings"):
            causal.predict("a.wav")

    def test_unknown_characters_and_short_recordings_are_counted(self, causal):
        rows = [(tones("ab"), "abz"), (tones("a"), "aaaaaaaaaa")]
        batches = causal.batches(causal.read(rows), causal.Training(), held_out=True)
        assert "1 character that the model does not know left out" in str(batches)
        assert "1 recording too short for their transcripts" in str(batches)


def test_the_alignment_of_a_recording(causal):
    sound = tones("abca", seed=3)
    actual = causal.align(sound)
    assert (
        "".join(each.character for each in actual.characters)
        == causal.predict([sound])[0]
        == "abca"
    )
    assert actual.seconds == (0.01, 0.02)
    assert len(actual.spectrogram) == -(-len(sound) // 80)
    assert actual.probabilities.shape == (-(-len(sound) // 160), 4)
    np.testing.assert_allclose(actual.probabilities.sum(axis=-1), 1, rtol=1e-5)
    for number, each in enumerate(actual.characters):  # a tone begins every 80 ms, after 20 ms
        assert 0.02 + 0.08 * number - 0.02 <= each.start < each.end <= 0.02 + 0.08 * number + 0.12


@pytest.mark.long
def test_spec_augment_changes_training_only(data):
    losses = []
    for options in ({}, {"time_masks": 2}, {"time_masks": 2}, {"frequency_masks": 2}):
        task = zoo.SpeechRecognizer(**SMALL)
        task.adapt(data)
        losses.append(task.fit(data, epochs=1, **FIT, **options).history["loss"][0])
    assert losses[1] == losses[2]
    assert len({round(loss, 6) for loss in losses}) == 3


class TestBeams:
    @pytest.mark.long
    def test_beams_and_an_ngram(self, data, tmp_path):
        task = zoo.SpeechRecognizer(ngram=3, ngram_weight=0.3, **SMALL)
        task.adapt(data)
        task.fit(data, epochs=12, **FIT)
        sounds = [tones(text, seed=5) for text in ("abc", "b", "cab")]
        actual = task.predict(sounds, beams=4)
        features = task.preprocessor.read({"audio": sounds})
        logits = np.asarray(task.model(features)["logits"])
        lengths = np.asarray(task.model(features)["lengths"])
        table = task.preprocessor.ngram.table

        def factor(prefix, label):
            before = (0, 0, *prefix)[-2:]
            return float(np.exp(0.3 * table[(*before, label)]))

        for row, text in enumerate(actual):
            steps = logits[row, : lengths[row]]
            (best, _), *_ = oracle.prefix_beam_search(steps, 4, 0, factor)
            assert text == "".join("abc"[label - 1] for label in best)
        task.save(tmp_path / "run")
        assert zoo.load(tmp_path / "run").predict(sounds, beams=4) == actual
        path = tmp_path / "served"
        assert export.saved_model(task, path, beams=4).passed
        served = artifact.load(path / "1", strings=True).run("serving_default", padded(sounds))
        assert [text.decode() for text in served["text"]] == actual

    def test_what_it_refuses(self, causal):
        with pytest.raises(UserError, match="beams must be an integer of at least 1, got 0"):
            causal.predict([tones("a")], beams=0)
        with pytest.raises(UserError, match="no option 'top_k'"):
            causal.predict([tones("a")], top_k=3)

    def test_an_ngram_that_is_too_large(self, data):
        with pytest.raises(UserError, match="ngram 12 is too large for 3 characters"):
            zoo.SpeechRecognizer(ngram=12, **SMALL).adapt(data)
