"""Tasks on images."""

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT
from tests.tasks.cases.texts import NO_LABELS, NO_MAPS, NOT_GENERATING
from tests.tasks.images import ImageLabelSets, Images, ImageValues


def image_classifier(folder, **options):
    settings = {"layers": [[7, 3], [5, 3]], "localization": [[3, 3]], "localization_units": 5}
    return kinds()["image-classifier"](**{**settings, **options})


def image_regressor(folder, **options):
    settings = {"layers": [[7, 3], [5, 3]], "preset": "affine", "localization": [[3, 3]]}
    settings |= {"localization_units": 5, "value_column": "row,column"}
    return kinds()["image-regressor"](**{**settings, **options})


def images():
    """Of different brightness."""
    actual, _ = files.strokes(5, seed=3)
    return [actual[0], actual[1] // 30, actual[2] // 3, actual[3] // 255, actual[4]]


def several_labels(folder, **options):
    return image_classifier(folder, **{"multi_label": True, **options})


def bright():
    """Of different brightness."""
    actual, _ = files.corners(5, seed=3)
    return [actual[0], actual[1] // 30, actual[2] // 3, actual[3] // 255, actual[4]]


def squares():
    """Of different brightness."""
    actual, _ = files.places(5, seed=3)
    return [actual[0], actual[1] // 30, actual[2] // 3, actual[3] // 255, actual[4]]


NOT_APPLICABLE = {
    "one shape": "reads no text",
    **NOT_GENERATING,
    **NO_CHECKPOINT,
    **NO_MAPS,
    "LiteRT strings": "LiteRT cannot decode images",
    "user errors: length": "its inputs have any length",
    "user errors: vocabulary": "has no vocabulary",
}
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
        not_applicable={**NOT_APPLICABLE, "user errors: file not UTF-8": "its files have no text"},
    ),
    "image_classifier_labels": Case(
        "image-classifier",
        several_labels,
        files.corner_images,
        bright(),
        ImageLabelSets(),
        fit={"learning_rate": 0.02, "batch_size": 13},
        epochs=6,
        learned="images",
        size="num_transformers",
        not_applicable={**NOT_APPLICABLE},
        variant=True,
    ),
    "image_regressor": Case(
        "image-regressor",
        image_regressor,
        files.placed,
        squares(),
        ImageValues(row=100, column=10),
        fit={"learning_rate": 0.02, "batch_size": 13},
        epochs=6,
        learned="images",
        size="num_transformers",
        not_applicable={**NOT_APPLICABLE, **NO_LABELS},
    ),
}
