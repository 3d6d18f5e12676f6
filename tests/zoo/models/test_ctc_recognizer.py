"""The recognizer's model: what its parts compute, and what they may not see."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import ctc_loss
from tests.oracles.audio import log_mel
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.spec_augment import Masks, SpecAugment
from zoo.models.speech_features import FrameStacking, SpeechFeatures
from zoo.training.ctc import CharacterCTC

SIZES = {"sample_rate": 8000, "vocabulary_size": 5, "num_mels": 13, "hidden_dim": 8}
KINDS = {
    "both": {},
    "causal": {"causal": True, "cell": "gru"},
    "attention": {"encoder": "attention", "num_heads": 2},
}


def model(kind="both", **options):
    keras.utils.set_random_seed(3)
    made = create_model("ctc_recognizer", None, **{**SIZES, **KINDS[kind], **options})
    random = np.random.default_rng(5)
    for weight in made.trainable_weights:
        weight.assign(weight + 0.3 * random.normal(size=weight.shape))
    return made


def waves(*lengths, size=None):
    random = np.random.default_rng(7)
    actual = np.zeros((len(lengths), size or max(lengths)), "float32")
    for row, length in zip(actual, lengths, strict=True):
        row[:length] = random.normal(size=length)
    return actual, np.array(lengths, "int32")


def outputs(made, waveform, lengths):
    actual = made({"waveform": waveform, "lengths": lengths})
    return {name: ops.convert_to_numpy(x) for name, x in actual.items()}


@pytest.mark.parametrize("kind", KINDS)
class TestModel:
    @pytest.mark.thorough
    def test_a_recording_alone_and_among_longer_ones(self, kind):
        made = model(kind)
        waveform, lengths = waves(1777, 641, 3001)
        together = outputs(made, waveform, lengths)
        assert together["logits"].shape == (3, 19, 5)
        assert together["lengths"].tolist() == [12, 5, 19]
        for row, (length, steps) in enumerate(zip(lengths, together["lengths"], strict=True)):
            alone = outputs(made, waveform[row : row + 1, :length], lengths[row : row + 1])
            np.testing.assert_allclose(
                together["logits"][row, :steps], alone["logits"][0], rtol=1e-4, atol=1e-4
            )

    def test_behind_the_end_only_the_blank_is_possible(self, kind):
        made = model(kind)
        waveform, lengths = waves(1777, 641)
        noisy = waveform.copy()
        noisy[1, 641:] = 9.0
        actual = outputs(made, waveform, lengths)["logits"]
        np.testing.assert_array_equal(outputs(made, noisy, lengths)["logits"], actual)
        closed = ops.convert_to_numpy(ops.softmax(actual[1, 5:], axis=-1))
        np.testing.assert_array_equal(closed, np.eye(5)[[0] * len(closed)])

    @pytest.mark.thorough
    def test_a_config_round_trip(self, kind):
        made = model(kind)
        again = type(made).from_config(made.get_config())
        again.set_weights(made.get_weights())
        given = waves(1777, 641)
        for name, x in outputs(made, *given).items():
            np.testing.assert_allclose(outputs(again, *given)[name], x, rtol=1e-6, err_msg=name)


def test_features_are_those_of_the_formula_standardized():
    layer = SpeechFeatures(8000, num_mels=13)
    waveform, lengths = waves(1777, 641)
    raw = log_mel(waveform, 8000, 200, 80, 13, 256)
    before, frames = layer(waveform, lengths)
    assert ops.convert_to_numpy(frames).tolist() == [23, 9]
    rows = np.concatenate([ops.convert_to_numpy(before)[row, :n] for row, n in ((0, 23), (1, 9))])
    layer.adapt(rows)
    expected = (raw - rows.mean(0)) / rows.std(0)
    actual = ops.convert_to_numpy(layer(waveform, lengths)[0])
    np.testing.assert_allclose(actual[0], expected[0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(actual[1, :9], expected[1, :9], rtol=1e-3, atol=1e-3)
    assert not actual[1, 9:].any()


def test_frames_are_stacked():
    x = np.arange(2 * 5 * 3, dtype="float32").reshape(2, 5, 3)
    steps, mask, lengths = map(ops.convert_to_numpy, FrameStacking(2)(x, np.array([5, 3])))
    np.testing.assert_array_equal(steps[:, :2], x[:, :4].reshape(2, 2, 6))
    np.testing.assert_array_equal(steps[:, 2, :3], x[:, 4])
    assert not steps[:, 2, 3:].any() and lengths.tolist() == [3, 2]
    assert mask.tolist() == [[True, True, True], [True, True, False]]


class TestSpecAugment:
    def masked(self, masks, seed=1, training=True):
        layer = SpecAugment(seed=seed)
        layer.masks = masks
        x = np.ones((97, 31, 17), "float32")
        return ops.convert_to_numpy(layer(x, np.full(97, 23, "int32"), training=training)) == 0

    def test_spans_of_time(self):
        actual = self.masked(Masks(time=(2, 5)))
        rows = actual[:, :, 0]
        assert (actual == rows[:, :, None]).all()
        assert rows.sum(1).max() > 5 and rows.sum(1).max() <= 10
        assert not rows[:, 23:].any() and rows[:, 0].any() and rows[:, 22].any()

    def test_spans_of_frequencies(self):
        actual = self.masked(Masks(frequency=(1, 3)))
        rows = actual[:, 0]
        assert (actual == rows[:, None]).all()
        assert set(rows.sum(1)) == {0, 1, 2, 3} and rows[:, 0].any() and rows[:, 16].any()
        assert all(np.diff(np.flatnonzero(row)).max(initial=1) == 1 for row in rows)

    def test_in_training_only_and_from_the_seed(self):
        masks = Masks(time=(2, 5), frequency=(2, 3))
        assert not self.masked(masks, training=False).any()
        assert not self.masked(Masks()).any()
        np.testing.assert_array_equal(self.masked(masks), self.masked(masks))
        assert (self.masked(masks) != self.masked(masks, seed=2)).any()


def test_the_loss_is_that_of_recordings_divided_by_their_characters():
    random = np.random.default_rng(2)
    labels = np.array([[1, 2, 2], [3, 0, 0], [0, 0, 0]])
    logits = random.normal(size=(3, 7, 5)).astype("float32")
    each = ops.convert_to_numpy(ctc_loss(labels, logits, [3, 1, 0], [7, 7, 7]))
    actual = float(CharacterCTC()(labels, logits))
    assert actual == pytest.approx((each[0] + each[1]) / 4, rel=1e-5)
    assert float(CharacterCTC()(labels[2:], logits[2:])) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoder": "conv"}, "encoder must be one of rnn, attention, got 'conv'"),
        ({"encoder": "attention", "causal": True}, "causal is for the encoder rnn"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(UserError, match=message):
        create_model("ctc_recognizer", None, **SIZES, **options)
