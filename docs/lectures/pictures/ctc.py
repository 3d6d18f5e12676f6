"""Pictures of CTC: the lattice of its paths, and the peaks of a trained model."""

import keras
import numpy as np

from docs.lectures.pictures import style
from keras_attn import CTCLoss, LogMelSpectrogram, ctc_greedy_decode, ctc_loss

KEYS = "123456789*0#"
LOW, HIGH = (697, 770, 852, 941), (1209, 1336, 1477)  # hertz, of the rows and columns of keys
RATE, HOP, SECONDS = 8000, 160, 1.6
COUNT, EPOCHS = 1500, 14


def forward(y: np.ndarray, extended: np.ndarray) -> np.ndarray:
    """The probabilities (T, S) of all beginnings of paths that are at each place of the labels."""
    alpha = np.zeros((len(y), len(extended)))
    alpha[0, :2] = y[0, extended[:2]]
    for t in range(1, len(y)):
        for s, label in enumerate(extended):
            skip = s > 1 and label not in (0, extended[s - 2])
            before = alpha[t - 1, max(0, s - 1) : s + 1].sum() + skip * alpha[t - 1, s - 2]
            alpha[t, s] = before * y[t, label]
    return alpha


def lattice() -> None:
    """The shares of the paths of "tee" at each place and frame, and the steps between."""
    frames, names = 9, "–t–e–e–"
    extended = np.array([0, 1, 0, 2, 0, 2, 0])
    logits = np.random.default_rng(6).normal(size=(1, frames, 3)).astype("float32")
    y = np.asarray(keras.ops.softmax(logits))[0].astype("float64")
    alpha = forward(y, extended)
    beta = forward(y[::-1], extended[::-1])[::-1, ::-1]
    total = alpha[-1, -2:].sum()
    loss = ctc_loss(np.array([[1, 2, 2]]), logits, [3], [frames])
    np.testing.assert_allclose(-np.log(total), np.asarray(loss)[0], rtol=1e-5)
    shares = alpha * beta / y[:, extended] / total
    figure = style.figure(8.6, 4.0)
    axes = figure.subplots()
    for t in range(1, frames):
        for s, label in enumerate(extended):
            for back in (0, 1, 2):
                allowed = s >= back and (back < 2 or label not in (0, extended[s - 2]))
                if allowed and shares[t, s] > 0 and shares[t - 1, s - back] > 0:
                    axes.plot([t - 1, t], [s - back, s], color="#999999", linewidth=0.8, zorder=1)
    at = np.argwhere(shares > 0)
    values = shares[shares > 0]
    dots = axes.scatter(
        *at.T, c=values, s=330, cmap="Blues", vmin=0, vmax=1, edgecolors="#444444", zorder=2
    )
    for (t, s), value in zip(at, values, strict=True):
        color = "white" if value > 0.55 else "black"
        axes.text(t, s, f"{value:.2f}"[1:], ha="center", va="center", fontsize=7.5, color=color)
    axes.set(xlabel="frame t", ylabel="place s of the labels", xticks=range(frames))
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(dots, ax=axes, label="share of the paths")
    style.save(figure, "ctc-lattice")


def recordings(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Waveforms of 3 to 5 telephone keys with pauses and noise, and their labels from 1 on."""
    rng = np.random.default_rng(seed)
    waves = rng.normal(0, 0.1, (count, int(RATE * SECONDS)))
    labels = np.zeros((count, 5), "int32")
    for wave, row in zip(waves, labels, strict=True):
        keys = rng.integers(0, len(KEYS), rng.integers(3, 6))
        row[: len(keys)] = 1 + keys
        start = rng.integers(200, 1200)
        for key in keys:
            length = rng.integers(800, 1400)
            time = np.arange(length) / RATE
            for frequency in (LOW[key // 3], HIGH[key % 3]):
                wave[start : start + length] += 0.2 * np.sin(2 * np.pi * frequency * time)
            start += length + rng.integers(300, 900)
    return waves.astype("float32"), labels


def peaks() -> None:
    """The spectrogram of some keys, and the probability of each class by frame."""
    keras.utils.set_random_seed(0)
    waves, labels = recordings(COUNT, seed=0)
    spectrogram = LogMelSpectrogram(RATE, window=400, hop=HOP, num_mels=40)
    features = np.asarray(spectrogram(waves))
    mean, deviation = features.mean(), features.std()
    model = keras.Sequential(
        [
            keras.Input((None, 40)),
            keras.layers.Conv1D(48, 5, padding="same", activation="relu"),
            keras.layers.Bidirectional(keras.layers.GRU(32, return_sequences=True)),
            keras.layers.Dense(1 + len(KEYS)),
        ]
    )
    model.compile(keras.optimizers.Adam(4e-3, clipnorm=1.0), CTCLoss(blank=0))
    model.fit((features - mean) / deviation, labels, batch_size=32, epochs=EPOCHS, verbose=0)
    test, wanted = recordings(200, seed=1)
    shown = np.asarray(spectrogram(test))
    logits = model.predict((shown - mean) / deviation, verbose=0)
    found = np.asarray(ctc_greedy_decode(logits, [logits.shape[1]] * len(logits))[0])[:, :5]
    print("right:", (found == wanted).all(axis=1).mean())
    row = int(np.flatnonzero((wanted > 0).sum(axis=1) == 5)[0])
    _plot(shown[row], np.asarray(keras.ops.softmax(logits[row])), wanted[row])


def _plot(spectrogram: np.ndarray, y: np.ndarray, labels: np.ndarray) -> None:
    figure = style.figure(9.6, 4.6)
    above, below = figure.subplots(2, 1, sharex=True)
    extent = (0, len(spectrogram) * HOP / RATE, -0.5, 39.5)
    above.imshow(spectrogram.T, origin="lower", aspect="auto", cmap="magma", extent=extent)
    keys = " ".join(KEYS[label - 1] for label in labels)
    above.set(ylabel="mel band", title=f"log-mel spectrogram of the keys {keys}")
    time = (np.arange(len(y)) + 0.5) * HOP / RATE
    below.plot(time, y[:, 0], color="#999999", linestyle="--", label="blank")
    for number, label in enumerate(dict.fromkeys(labels)):
        color = style.COLORS[number]
        below.fill_between(time, y[:, label], color=color, alpha=0.35, linewidth=0)
        below.plot(time, y[:, label], color=color)
        for peak in _peaks(y[:, label]):
            below.text(time[peak], 1.04, KEYS[label - 1], color=color, ha="center", fontsize=12)
    below.set(xlabel="seconds", ylabel="probability", ylim=(0, 1.2), yticks=[0, 0.5, 1])
    below.legend(loc="center right")
    style.save(figure, "ctc-peaks")


def _peaks(values: np.ndarray) -> list[int]:
    """The middles of the stretches above one half."""
    above = np.flatnonzero(values > 0.5)
    return [
        int(part.mean())
        for part in np.split(above, np.flatnonzero(np.diff(above) > 1) + 1)
        if len(part)
    ]
