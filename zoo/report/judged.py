"""Predictions beside references, in the captions of pictures."""

from zoo.tasks.parts import PreviewRow


def judged(row: PreviewRow, one_answer: bool) -> str:
    """A prediction, and ✓, or ✗ and the reference after "in the data"; of values without marks.

    Args:
        row: The row.
        one_answer: Whether a prediction equals the reference or is wrong.

    Example:
        >>> judged(PreviewRow("7.png", "3", "8", None), one_answer=True)
        '3 ✗, in the data 8'
        >>> judged(PreviewRow("7.png", "3.2", "4", None), one_answer=False)
        '3.2, in the data 4'
    """
    if not one_answer:
        return f"{row.prediction}, in the data {row.reference}"
    right = row.prediction == row.reference
    return f"{row.prediction} {'✓' if right else f'✗, in the data {row.reference}'}"
