"""Data whose correct answers nobody knows, in place of `zoo.tasks.answered.Answered`."""

from zoo.errors import UserError


class Unanswered:
    """The first rows of a task, and no metrics.

    Args:
        rows: Function from a number to the first rows.
        examples: The data.
    """

    def __init__(self, rows, examples=None):
        self.preview, self.examples = rows, examples

    def comparison(self):
        raise UserError("the data has no answers")

    @property
    def judged(self):
        raise UserError("the data has no answers")
