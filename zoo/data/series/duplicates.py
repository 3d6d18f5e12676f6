"""The treatment of rows of one time. The command line imports this without NumPy."""

ERROR, MEAN, SUM, LAST = DUPLICATES = ("error", "mean", "sum", "last")
