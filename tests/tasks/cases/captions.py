"""Tasks that describe images."""

from tests.tasks.api import kinds
from tests.tasks.captions import Captions
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT
from tests.tasks.cases.texts import NO_LABELS


def image_captioner(folder, **options):
    settings = {"filters": [5, 7], "embedding_dim": 19, "units": 23, "dropout": 0.0}
    settings |= {"vocabulary_size": 61, "max_length": 11}
    return kinds()["image-captioner"](**{**settings, **options})


def images():
    """Of different brightness."""
    actual, _ = files.colored(5, seed=3)
    return [actual[0], actual[1] // 30, actual[2] // 3, actual[3] // 255, actual[4]]


CASES = {
    "image_captioner": Case(
        "image-captioner",
        image_captioner,
        files.squares,
        images(),
        Captions(),
        fit={"learning_rate": 0.02, "batch_size": 13},
        epochs=8,
        learned="images",
        size="units",
        not_applicable={
            "one shape": "reads no text",
            **NO_CHECKPOINT,
            **NO_LABELS,
        },
    ),
}
