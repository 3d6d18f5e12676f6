"""The outputs of the heads of checkpoints: labels, values or tags, and their names."""

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.tasks.text_regressor import TextRegressor
from zoo.text.separators import words_of

SINGLE_LABEL, REGRESSION = "single_label_classification", "regression"
MULTI_LABEL = "multi_label_classification"


def labels_of(checkpoint: Checkpoint) -> list[str]:
    """The labels of a classifier, in the order of their class numbers.

    Raises:
        UserError: If the head predicts values, or it is not known what it predicts.
    """
    problem = problem_of(checkpoint)
    if problem == REGRESSION:
        raise UserError(
            f"the head of {checkpoint.folder} predicts values, no labels: load it as a "
            f"{TextRegressor.name}, or give the labels of a new head"
        )
    known = (SINGLE_LABEL, MULTI_LABEL, REGRESSION)
    if problem not in known:
        raise UserError(
            f"problem_type = {problem!r:.40} is unknown; expected one of {', '.join(known)}"
        )
    return output_names(checkpoint)


def tags_of(checkpoint: Checkpoint) -> list[str]:
    """The tags of a tagger, in the order of their class numbers.

    Raises:
        UserError: If a tag has a space.
    """
    tags = output_names(checkpoint)
    spaced = next((tag for tag in tags if words_of(tag) != [tag]), None)
    if spaced is not None:
        raise UserError(
            f"{checkpoint.folder / CONFIG}: the tag {spaced!r:.80} of id2label has a space, which "
            "artifacts write between tags"
        )
    return tags


def output_names(checkpoint: Checkpoint) -> list[str]:
    """The names of the outputs of a head, in their order."""
    names = checkpoint.config.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
    return [names[number] for number in sorted(names, key=int)]


def problem_of(checkpoint: Checkpoint) -> str:
    """What the head of a checkpoint predicts: a single output is a value."""
    usual = REGRESSION if len(output_names(checkpoint)) == 1 else SINGLE_LABEL
    problem: str = checkpoint.config.get("problem_type") or usual
    return problem
