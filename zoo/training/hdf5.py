"""HDF5 files, which may come from someone else: plain data sets only, of sizes that they store."""

import math
from pathlib import Path
from typing import TypeVar

import h5py

from zoo.untrusted import check_regular

T = TypeVar("T", h5py.Group, h5py.Dataset)

FLOOR = 1 << 20  # bytes that a data set may have, whatever is stored of it
EXPANSION = 1000  # how much smaller compressed data may be


def open_hdf5(path: Path) -> h5py.File:
    """Opens a file to read it, unless it is a pipe or a device.

    Raises:
        OSError: If it is missing, or no HDF5 file.
        ValueError: If it is no regular file.
    """
    check_regular(path)
    return h5py.File(path, "r")


def check_plain(path: Path) -> None:
    """Checks that a file has nothing but groups and data sets of its own, of sizes that it stores.

    Raises:
        ValueError: If it is no regular file, a part of it is elsewhere, or a data set claims to be
            much larger than what is stored of it.
    """
    with open_hdf5(path) as file:
        whole = path.stat().st_size
        waiting: list[h5py.Group] = [file]
        seen = set()
        while waiting:
            group = waiting.pop()
            address = h5py.h5o.get_info(group.id).addr
            if address in seen:  # groups may be in each other
                continue
            seen.add(address)
            for name in group:
                child = member(group, name)
                if isinstance(child, h5py.Group):
                    waiting.append(child)
                else:
                    _check_size(child, whole)


def _check_size(data: h5py.Dataset, whole: int) -> None:
    size = math.prod(data.shape or ()) * data.dtype.itemsize
    stored = min(data.id.get_storage_size(), whole)
    if size > FLOOR + EXPANSION * stored:
        raise ValueError(f"{data.name} claims {size} bytes, of which {stored} are stored")


def member(group: h5py.Group, name: str, kind: type[T] | None = None) -> T:
    """A group or a data set of this file.

    Args:
        group: The group that it is in.
        name: Its name.
        kind: `h5py.Group` or `h5py.Dataset`, if it must be one of them.

    Raises:
        ValueError: If it is missing, of another kind, or its data are in another file.
    """
    path = f"{group.name.rstrip('/')}/{name}"
    link = group.get(name, getlink=True)
    if not isinstance(link, h5py.HardLink):
        raise ValueError(f"{path} is {'missing' if link is None else 'a link'}")
    child = group[name]
    if not isinstance(child, kind or (h5py.Group, h5py.Dataset)):
        raise ValueError(f"{path} must be a {(kind or h5py.Dataset).__name__.lower()}")
    if isinstance(child, h5py.Dataset) and (child.external or child.is_virtual):
        raise ValueError(f"{path} has its data in another file")
    return child
