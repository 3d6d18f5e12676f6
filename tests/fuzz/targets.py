"""All targets by name."""

from tests.fuzz import checkpoints, data, folders, requests, shards
from tests.fuzz.target import Target

MODULES = (data, shards, folders, checkpoints, requests)
TARGETS: dict[str, Target] = {
    name: each for module in MODULES for name, each in module.TARGETS.items()
}
