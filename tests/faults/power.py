"""What a power failure leaves of a folder: only what was synchronized.

Source: Pillai et al. 2014, "All File Systems Are Not Created Equal": without an fsync, neither the
content of a file nor the names in a folder need to be on the disk.
"""

import os
from pathlib import Path

Names = dict[str, tuple[int, bool]]  # name -> inode, and whether it is a folder


class Durable:
    """The contents and names that are on the disk.

    Args:
        folder: The folder that is watched. Its own name counts as synchronized, and so does what is
            in it already.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._contents: dict[int, bytes] = {}  # of files, by inode
        self._names: dict[int, Names] = {}  # in folders, by inode
        self._held: dict[int, int] = {}  # open files, whose inodes no other file gets
        if folder.exists():
            for path in (folder, *folder.rglob("*")):
                self.synchronized(path)

    def synchronized(self, path: Path) -> None:
        """Keeps the content of a file, or the names in a folder, as they are now."""
        inode = self._hold(path)
        if path.is_file():
            self._contents[inode] = path.read_bytes()
            return
        for each in path.iterdir():
            self._hold(each)
        with os.scandir(path) as actual:
            self._names[inode] = {
                each.name: (each.inode(), each.is_dir(follow_symlinks=False)) for each in actual
            }

    def _hold(self, path: Path) -> int:
        inode = path.stat().st_ino
        if inode not in self._held:
            self._held[inode] = os.open(path, os.O_RDONLY)
        return inode

    def restore(self, target: Path) -> None:
        """Writes what is on the disk to another folder; other files in a folder are empty."""
        if self.folder.exists():
            self._restore(self.folder.stat().st_ino, target)

    def _restore(self, inode: int, target: Path) -> None:
        target.mkdir()
        for name, (child, is_folder) in self._names.get(inode, {}).items():
            if is_folder:
                self._restore(child, target / name)
            else:
                (target / name).write_bytes(self._contents.get(child, b""))
