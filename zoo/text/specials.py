"""The four special pieces that open every vocabulary."""

PAD, UNKNOWN, START, END = range(4)

SPECIALS = ("[PAD]", "[UNK]", "[START]", "[END]")
