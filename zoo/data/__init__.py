"""Users' files to batches."""

from zoo.data.batches import BucketedPairs
from zoo.data.pairs import Pairs, read_pairs

__all__ = ["BucketedPairs", "Pairs", "read_pairs"]
