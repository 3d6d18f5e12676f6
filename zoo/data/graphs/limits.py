"""Limits of the size of a graph: a small file can declare more than memory holds."""

MAX_NODES = 1 << 24
MAX_EDGES = 1 << 27
MAX_FEATURES = 8 << 30  # bytes of the features of nodes or of edges, as float32
MAX_LABELS = 1 << 30  # nodes times labels, of which each node can have several
MAX_LABEL = 1000  # characters; an array of labels gives each the room of the longest
