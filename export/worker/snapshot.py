"""An artifact as it was when its digest was computed: the bytes that are checked are those used.

Whoever can write to an artifact may change it between a check and its use, and a file that a model
reads its weights from while it answers may be changed, or cut off, under it.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .digest import of_names
from .files import files_below, opened, read

# Of a LiteRT file; offsets in one have 32 bits.
LARGEST = 1 << 32
PIECE = 1 << 20  # bytes that are copied at a time


class Snapshot(NamedTuple):
    """What an artifact was.

    Args:
        source: The content of a LiteRT file, or a private folder with the files of the others.
        sha256: Its digest.
    """

    source: bytes | Path
    sha256: str

    @property
    def content(self) -> bytes:
        """The content of a LiteRT file.

        Raises:
            ValueError: If it is a folder.
        """
        if not isinstance(self.source, bytes):
            raise ValueError("it is a folder, not a file")
        return self.source


@contextmanager
def snapshot(path: Path) -> Iterator[Snapshot]:
    """An artifact, read once: a file into memory, a folder into a private temporary one.

    Runtimes read the files of a folder while they load it, and never again; the copy is deleted
    when the context ends.

    Raises:
        ValueError: If there is something else than regular files, or a file is too large.
        OSError: If a file cannot be read, or there is no space for the copy.
    """
    if not path.is_dir():
        content = read(path, LARGEST)
        yield Snapshot(content, hashlib.sha256(content).hexdigest())
        return
    with tempfile.TemporaryDirectory(prefix="keras-attn-") as own:
        copy = Path(own) / "artifact"
        copy.mkdir()
        names = [file.relative_to(path) for file in files_below(path)]
        digests = [(name.as_posix(), _copied(path / name, copy / name)) for name in names]
        yield Snapshot(copy, of_names(digests))


def _copied(file: Path, copy: Path) -> bytes:
    """The sha256 of what was copied."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    total = hashlib.sha256()
    with opened(file) as source, copy.open("xb") as target:
        while piece := source.read(PIECE):
            total.update(piece)
            target.write(piece)
    return total.digest()
