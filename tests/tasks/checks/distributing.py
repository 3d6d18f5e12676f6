"""What a task learns on several devices."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tasks.harness import Subject

ROOT = Path(__file__).parents[3]
DEVICES = "--xla_force_host_platform_device_count=8"
# The cases of which no weight can be split between two devices: their models have no Transformer
# blocks, and the vocabulary and width of their embeddings are odd. All others have to be split.
WHOLE = {
    "causal_lm_carried",
    "image_captioner",
    "image_classifier",
    "image_classifier_labels",
    "image_regressor",
    "node_classifier",
    "series_classifier",
    "series_classifier_labels",
    "series_classifier_rnn",
    "series_regressor",
    "series_forecaster",
    "series_forecaster_conv",
    "speech_recognizer",
    "speech_recognizer_causal",
    "text_classifier",
    "text_classifier_labels",
    "text_classifier_rnn",
    "text_regressor",
    "text_regressor_rnn",
    "text_to_text_attention",
    "text_to_text_conv",
    "text_to_text_rnn",
    "token_tagger_conv",
    "token_tagger_rnn",
}


def distributed(subject: Subject) -> None:
    """On JAX, in another process, the numbers are those of one device; see `distributed.py`."""
    name = subject.folder.name
    flags = f"{os.environ.get('XLA_FLAGS', '')} {DEVICES}"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.tasks.distributed",
            name,
            subject.place("jax"),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax", "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    by_rows, by_weights = done.stdout.strip().splitlines()
    assert by_rows == "data 8"
    if name in WHOLE:
        assert "distribute=model cannot split any weight" in by_weights
    else:
        assert by_weights == "model 2"
