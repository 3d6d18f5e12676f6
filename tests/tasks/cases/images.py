"""Tasks on images."""

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT
from tests.tasks.cases.texts import NO_MAPS, NOT_GENERATING
from tests.tasks.images import Images


def image_classifier(folder, **options):
    settings = {"layers": [[7, 3], [5, 3]], "localization": [[3, 3]], "localization_units": 5}
    return kinds()["image-classifier"](**{**settings, **options})


def images():
    """Of different brightness."""
    found, _ = files.strokes(5, seed=3)
    return [found[0], found[1] // 30, found[2] // 3, found[3] // 255, found[4]]


CASES = {
    "image_classifier": Case(
        "image-classifier",
        image_classifier,
        files.digit_images,
        images(),
        Images(),
        fit={"learning_rate": 0.02, "batch_size": 13},
        epochs=6,
        one_label=lambda folder: files.digit_images(folder, only=7),
        learned="images",
        size="num_transformers",
        not_applicable={
            "one shape": "reads no text",
            **NOT_GENERATING,
            **NO_CHECKPOINT,
            **NO_MAPS,
            "LiteRT strings": "LiteRT cannot decode images",
            "user errors: file not UTF-8": "its files have no text",
            "user errors: length": "its inputs have any length",
            "user errors: vocabulary": "has no vocabulary",
        },
    ),
}
