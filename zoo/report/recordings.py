"""Recordings in a report, each with a player, its waveform and its transcripts."""

import base64
import io
import wave
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.report import html
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.speech_recognizer import SpeechRecognizer

SHOWN = 12  # maximum number of recordings
COLUMNS, HEIGHT = 300, 48  # of a waveform
LEAST = 1e-3  # the loudest sample, below which a waveform is drawn as silence
MOST = 1 << 19  # bytes of samples of one recording: 16 s at 16 kHz
TOTAL = 3 << 20  # bytes of samples of all recordings of a page
DEEPEST = np.iinfo(np.int16).max


def section(task: "SpeechRecognizer", examples: Any, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with a player for each recording, bounded in bytes."""
    left, drawn = TOTAL, []
    for row in rows[:SHOWN]:
        samples = task.preprocessor.fitted(row.input)
        room = min(MOST, left) // 2
        drawn.append(_figure(row, samples, task.preprocessor.sample_rate, room))
        left -= 2 * min(len(samples), room)
    inside = "\n".join(drawn)
    return html.section(
        "Recordings",
        "Up to half of them are those whose transcripts differ most from the references. Each "
        "waveform is drawn as high as its loudest sample.",
        f'<div class="pictures">\n{inside}\n</div>' if drawn else "",
    )


def _figure(row: PreviewRow, samples: np.ndarray, rate: int, room: int) -> str:
    """A recording, of which the player has no more samples than there is room for."""
    seconds, cut = len(samples) / rate, len(samples) > room
    length = f"{seconds:.1f} s"
    if cut:
        length += f", of which the player has {room / rate:.1f} s" if room else ", without a player"
    player = f'<audio controls preload="metadata" src="{encoded(samples[:room], rate)}"></audio>'
    texts = [f"<dt>written</dt><dd>{_written(row)}</dd>"]
    if row.reference is not None:
        texts.append(f"<dt>reference</dt><dd>{html.text(row.reference)}</dd>")
    return (
        f'<figure class="recording"><figcaption>{html.text(row.source)} '
        f"<small>{length}</small></figcaption>{waveform(samples)}{player if room else ''}"
        f'<dl class="facts">{"".join(texts)}</dl></figure>'
    )


def _written(row: PreviewRow) -> str:
    if row.reference is None:
        return html.text(row.prediction)
    return html.differing(row.prediction, row.reference) or "–"


def waveform(samples: np.ndarray) -> str:
    """An `<svg>` element with the range of the samples in each of up to 300 equal parts.

    Its height is that of the loudest sample, so that quiet recordings are seen, too.

    Args:
        samples: float (S).
    """
    count = min(COLUMNS, len(samples))
    ends = np.linspace(0, len(samples), count + 1).astype(int)
    loudest = max(np.abs(samples).max(initial=0.0), LEAST)
    parts = [samples[a:b] / loudest for a, b in zip(ends, ends[1:], strict=False)]
    lines = "".join(
        f"M{x} {_height(part.max())}V{_height(part.min())}" for x, part in enumerate(parts)
    )
    return (
        f'<svg class="wave" viewBox="-1 0 {COLUMNS + 1} {HEIGHT}" preserveAspectRatio="none">'
        f'<path d="{lines}" stroke="var(--accent)" fill="none"/></svg>'
    )


def _height(sample: float) -> str:
    return f"{HEIGHT / 2 * (1 - sample):.4g}"


def encoded(samples: np.ndarray, rate: int) -> str:
    """A WAV file of 16 bits as a link.

    Args:
        samples: float (S), from -1 to 1; louder ones are cut.
        rate: Number of samples per second.
    """
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.rint(DEEPEST * np.clip(samples, -1, 1)).astype("<i2").tobytes())
    return f"data:audio/wav;base64,{base64.b64encode(content.getvalue()).decode()}"
