"""What a failing disk makes of a file: it is cut off, or has a bit flipped."""

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from export import manifest
from export.worker import digest


def damaged(content: bytes, rng: random.Random, cuts: int, flips: int) -> Iterator[bytes]:
    """The content of a file, damaged at random places.

    Args:
        content: What the file contains.
        rng: Where the places are drawn from.
        cuts: Number of contents that are cut off; the first is empty.
        flips: Number of contents of which one bit is flipped.
    """
    for length in (0, *(rng.randrange(len(content)) for _ in range(cuts - 1))):
        yield content[:length]
    for _ in range(flips):
        place = rng.randrange(len(content))
        flipped = content[place] ^ 1 << rng.randrange(8)
        yield content[:place] + bytes([flipped]) + content[place + 1 :]


def forge(path: Path, **facts: object) -> None:
    """Makes the manifest of an artifact say what its files are now, and other things."""
    content = manifest.read(path.parent)
    entry = content["artifacts"][path.name]
    beside = {name: digest.sha256(path.parent / name) for name in entry["beside"]}
    sums = {
        "artifact": digest.sha256(path),
        "probes": digest.sha256(path.with_name(entry["probes"])),
    }
    entry |= {"sha256": {**entry["sha256"], **sums}, "beside": beside, **facts}
    manifest.write(path.parent, content)


def specials(path: Path) -> Iterator[str]:
    """Puts a file of each other kind in the place of a file, and the file back at the end."""
    aside = path.with_name(f"{path.name}.aside")
    content = path.read_bytes()
    kinds: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(path),
        "socket": lambda: os.mknod(path, stat.S_IFSOCK | 0o600),
        "link": lambda: path.symlink_to(aside),
        "link to nothing": lambda: path.symlink_to("nothing"),
        "folder": lambda: path.mkdir(),
        "device": lambda: os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5)),  # /dev/zero
    }
    for kind, make in kinds.items():
        path.unlink()
        try:
            make()
        except PermissionError:  # devices are made by root alone
            path.write_bytes(content)
            continue
        if kind == "link":
            aside.write_bytes(content)
        yield kind
        aside.unlink(missing_ok=True)
        shutil.rmtree(path) if kind == "folder" else path.unlink()
        path.write_bytes(content)
