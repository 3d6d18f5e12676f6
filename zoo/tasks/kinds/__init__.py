"""The kinds of tasks that share one encoder, each of which is a single task."""

from zoo.tasks.kinds.kind import Kind, Kinds, Member
from zoo.tasks.kinds.recognition import recognized

__all__ = ["Kind", "Kinds", "Member", "recognized"]
