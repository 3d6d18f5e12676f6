"""The answers of a task as cells of a table, by the name of their column."""

Cells = dict[str, str | float | int]
PREDICTION = "prediction"  # the answer
SCORE = "score"  # its probability, or how good the model takes it to be
TABLE = "table"  # of the config of an artifact: the columns that it predicts from
