"""Losses and metrics."""

import keras
import numpy as np
from keras import ops

from keras_attn import (
    CTCLoss,
    MaskedAccuracy,
    MaskedCrossentropy,
    MaskedLMLoss,
    NextSentenceLoss,
    Perplexity,
)
from tests.contract.case import Case, floats, ids, mask
from tests.oracles import ctc
from tests.oracles import losses as oracles

PAD = 7  # the label that these cases leave out
INPUTS = {"labels": ids("BT", below=5), "logits": floats("BTV"), "mask": mask("BT")}
# Few classes, so that some guesses are right.
GUESSES = INPUTS | {"labels": ids("BT", below=2), "logits": floats("BTH")}
MASKS = {"mask": ("labels", "logits")}


def labels(x):
    """The labels, those that do not count replaced by the one that is left out."""
    return ops.where(x["mask"], x["labels"], PAD) if "mask" in x else x["labels"]


def measure(metric, x):
    """What a metric says of a batch it has seen twice, after a reset."""
    metric.reset_state()
    for _ in range(2):
        metric.update_state(labels(x), x["logits"])
    return metric.result()


def token_mean(values, labels, ignore_id):
    counts = oracles.token_weights(labels, ignore_id)
    return (counts * values).sum() / counts.sum() if counts.any() else None


def perplexity(labels, logits, ignore_id):
    mean = token_mean(oracles.token_crossentropy(labels, logits), labels, ignore_id)
    return 0.0 if mean is None else np.exp(mean)


def accuracy(labels, logits, ignore_id):
    return token_mean(logits.argmax(-1) == labels, labels, ignore_id) or 0.0


def padded(formula):
    """An oracle over the labels and logits that count."""

    def oracle(weights, x, arguments):
        wanted = np.where(x["mask"], x["labels"], PAD)
        keywords = {k: v for k, v in arguments.items() if k not in ("name", "dtype")}
        return np.asarray(formula(wanted, x["logits"], **keywords))

    return oracle


class Masked(keras.layers.Layer):
    """Gives the logits a mask, the only way in which a loss can be told of one."""

    def __init__(self, keep):
        super().__init__(dtype="float32")
        self.keep = keep
        self.supports_masking = True

    def call(self, logits):
        return ops.copy(logits)

    def compute_mask(self, logits, previous_mask=None):
        return self.keep


def align(loss, x):
    """Two labels a sequence, from 1 to 5, neither the blank nor padding."""
    logits = Masked(x["mask"])(x["logits"]) if "mask" in x else x["logits"]
    return loss(x["labels"] + 1, logits)


def align_oracle(weights, x, arguments):
    lengths = np.full(len(x["labels"]), x["labels"].shape[1])
    losses = ctc.ctc_loss(x["labels"] + 1, x["logits"], lengths, x["mask"], arguments["blank"])
    return losses.mean()


def follows_oracle(weights, x, arguments):
    return oracles.token_crossentropy(x["labels"], x["logits"]).mean()


NO_POSITIONS = dict.fromkeys(
    ("masked", "all masked", "NaN behind the mask", "length 0", "implicit mask"),
    "has one label per pair of texts, not per position",
)

CASES = [
    Case(
        MaskedCrossentropy,
        arguments=lambda: {"label_smoothing": 0.1, "ignore_id": PAD, "name": "loss"},
        variants={"sharp": {"label_smoothing": 0.0}},
        inputs=INPUTS,
        outputs={"loss": ""},
        call=lambda loss, x: loss(labels(x), x["logits"]),
        oracle=padded(oracles.masked_crossentropy),
        masks=MASKS,
        implicit={"mask": "logits"},
        masks_join=True,
        zero_when_masked={"mask": ("loss",)},
        output_dtype="float32",
        hard_scales={"logits": 1000.0},
    ),
    Case(
        MaskedLMLoss,
        arguments=lambda: {"ignore_id": PAD, "name": "loss"},
        inputs=INPUTS,
        outputs={"loss": ""},
        call=lambda loss, x: loss(labels(x), x["logits"]),
        oracle=padded(oracles.masked_crossentropy),
        masks=MASKS,
        implicit={"mask": "logits"},
        masks_join=True,
        zero_when_masked={"mask": ("loss",)},
        output_dtype="float32",
        hard_scales={"logits": 1000.0},
    ),
    Case(
        NextSentenceLoss,
        arguments=lambda: {"name": "loss"},
        inputs={"labels": ids("B", below=2), "logits": floats("BH")},
        outputs={"loss": ""},
        call=lambda loss, x: loss(x["labels"], x["logits"]),
        oracle=follows_oracle,
        output_dtype="float32",
        hard_scales={"logits": 1000.0},
        not_applicable=NO_POSITIONS,
    ),
    Case(
        CTCLoss,
        arguments=lambda: {"blank": PAD, "name": "loss"},
        variants={"first": {"blank": 0}},
        inputs={"labels": ids("BH", below=5), "logits": floats("BSV"), "mask": mask("BS")},
        outputs={"loss": ""},
        call=align,
        oracle=align_oracle,
        masks={"mask": ("logits",)},
        implicit={"mask": "logits"},
        zero_when_masked={"mask": ("loss",)},
        output_dtype="float32",
        hard_scales={"logits": 100.0},
    ),
    Case(
        Perplexity,
        arguments=lambda: {"ignore_id": PAD, "name": "surprise", "dtype": "bfloat16"},
        inputs=INPUTS,
        outputs={"perplexity": ""},
        call=measure,
        oracle=padded(perplexity),
        masks=MASKS,
        implicit={"mask": "logits"},
        masks_join=True,
        zero_when_masked={"mask": ("perplexity",)},
    ),
    Case(
        MaskedAccuracy,
        arguments=lambda: {"ignore_id": PAD, "name": "share", "dtype": "bfloat16"},
        inputs=GUESSES,
        outputs={"accuracy": ""},
        call=measure,
        oracle=padded(accuracy),
        masks=MASKS,
        implicit={"mask": "logits"},
        masks_join=True,
        zero_when_masked={"mask": ("accuracy",)},
    ),
]
