"""Writes ctc.npz: what torch.nn.functional.ctc_loss gives, in float64.

python tests/references/make_ctc.py
"""

from pathlib import Path

import numpy as np
import torch


def losses(labels, logits, label_lengths, logit_lengths, blank):
    x = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.ctc_loss(
        x.log_softmax(-1).transpose(0, 1),
        torch.tensor(labels),
        torch.tensor(logit_lengths),
        torch.tensor(label_lengths),
        blank=blank,
        reduction="none",
        zero_infinity=True,
    )
    loss.sum().backward()
    return loss.detach().numpy(), x.grad.numpy()


def short():
    """The last row has no alignment, the one before it no label; none within a length is blank."""
    random = np.random.default_rng(5)
    given = {
        "labels": np.array([[1, 2, 2, 4, 1], [4, 4, 4, 0, 2], [1, 3, 0, 0, 0], [2, 2, 2, 2, 2]]),
        "logits": 2 * random.standard_normal((4, 11, 5)).astype("float32"),
        "label_lengths": np.array([5, 3, 0, 5]),
        "logit_lengths": np.array([11, 7, 6, 8]),
    }
    return given | {"blank": 3}


def long():
    """2003 frames; of the gradient every 89th frame is kept. The logits are a formula's."""
    shape = (2, 2003, 7)
    count = np.arange(np.prod(shape), dtype="float64").reshape(shape)
    return {
        "labels": np.arange(2 * 211).reshape(2, 211) // 2 % 5 + 1,
        "logits": (4 * np.sin(count**1.3)).astype("float32"),
        "label_lengths": np.array([211, 97]),
        "logit_lengths": np.array([2003, 1009]),
        "blank": 0,
    }


if __name__ == "__main__":
    kept = {}
    for name, given in (("short", short()), ("long", long())):
        loss, gradient = losses(**given)
        if name == "long":
            given.pop("logits")
            gradient = gradient[:, ::89]
        actual = {**given, "loss": loss, "gradient": gradient}
        kept |= {f"{name}_{key}": value for key, value in actual.items()}
    np.savez_compressed(Path(__file__).with_name("ctc.npz"), **kept)
