"""The treatment of rows of one time. The command line imports this without NumPy."""

ERROR, MEAN, LAST = DUPLICATES = ("error", "mean", "last")
