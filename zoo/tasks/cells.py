"""The answers of a task as cells of a table, by the name of their column."""

from typing import Any

Cells = dict[str, str | float | int]
PREDICTION = "prediction"  # the answer
SCORE = "score"  # its probability, or how good the model takes it to be
SCORES = "scores"  # the probability of each label
Scored = dict[str, Any]  # an answer, "prediction", and what is known about it
TABLE = "table"  # of the config of an artifact: the columns that it predicts from
