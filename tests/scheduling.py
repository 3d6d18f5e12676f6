"""Which tests pytest-xdist gives to one worker together."""

import re
from typing import Any

from xdist.scheduler import LoadScopeScheduling

# Cells of the contract that wait for one process: on JAX, on PyTorch, of our exports, of Keras's.
WAITING = {
    "JAX": "computed on JAX",
    "PyTorch": "computed on PyTorch",
    "SavedModel": "exported",
    "LiteRT": "exported",
    "Keras_export": "exported by Keras",
}


class ByFile(LoadScopeScheduling):
    """Those of a file, which may share what is costly to make; of a contract those of a row.

    All clients share the files that they read.
    """

    def __init__(self, config: Any, log: Any = None) -> None:
        config.option.loadscopereorder = False  # files with few tests, last, may be the slowest
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        cell = re.search(r"test_contract\[(\w+)-([^]]+)\]$", nodeid)
        if cell:
            return WAITING.get(cell[2], cell[1])
        if nodeid.startswith("tests/clients/"):
            return "clients"
        row = re.search(r"test_task\[(\w+)-", nodeid)
        return f"task {row[1]}" if row else nodeid.partition("::")[0]
