"""Probes: inputs with the outputs of the live model, stored in an npz file.

The file needs no pickle: text is stored as UTF-8 bytes, one after another, with their lengths. The
key of an array is `<signature>/<number of the probe>/<in or out>/<tensor>`; that of lengths has
`in_lengths` or `out_lengths`.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

Tensors = dict[str, np.ndarray]
ENCODED = "_bytes"  # ends the names of inputs that are files, such as images, and no text
SAMPLES = "samples of "  # with a signature's name, the probes that only a quantized file is run on
LENGTHS = "_lengths"  # ends the side of an array of lengths
LARGEST = 1 << 31  # bytes of a file of probes, and of all its arrays
MOST = 10_000  # probes of a signature


class Probe(NamedTuple):
    """One call of a signature: its inputs, and the outputs that are expected."""

    inputs: Tensors
    outputs: Tensors


def plain(array) -> np.ndarray:
    """The NumPy array of anything like an array, with text as objects, which are UTF-8 bytes.

    NumPy's own bytes have one size, that of the longest in an array, and no zeros at their end.

    Example:
        >>> plain(["a", b"b\\0"])
        array([b'a', b'b\\x00'], dtype=object)
    """
    array = array if isinstance(array, np.ndarray) else _array(array)
    if not is_text(array):
        return array
    encoded = np.empty(array.size, object)
    encoded[:] = [text.encode() if isinstance(text, str) else text for text in array.ravel()]
    return encoded.reshape(array.shape)


def _array(given) -> np.ndarray:
    array = np.asarray(given)
    return np.asarray(given, object) if array.dtype.kind in "SU" else array


def is_text(array: np.ndarray) -> bool:
    """Whether an array has text, or files, rather than numbers."""
    return array.dtype.kind in "OSU"


def bytes_of(array: np.ndarray) -> int:
    """The number of bytes of the numbers or the texts of an array."""
    return sum(map(len, array.ravel())) if is_text(array) else array.nbytes


def save_probes(path: str | Path, probes: Mapping[str, list[Probe]]) -> None:
    """Writes the probes of each signature to `path`."""
    arrays: Tensors = {}
    for signature, calls in probes.items():
        for number, call in enumerate(calls):
            for side, tensors in zip(("in", "out"), call, strict=True):
                for name, array in tensors.items():
                    start, stored = f"{signature}/{number}/{side}", plain(array)
                    if is_text(stored):
                        lengths = [len(each) for each in stored.ravel()]
                        arrays[f"{start}{LENGTHS}/{name}"] = np.reshape(lengths, stored.shape)
                        stored = np.array(bytearray(b"".join(stored.ravel())), np.uint8)
                    arrays[f"{start}/{name}"] = stored
    # As `np.savez_compressed`, which refuses objects from NumPy 2.2 on only.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def load_probes(source: str | Path | bytes) -> dict[str, list[Probe]]:
    """Reads what `save_probes` wrote.

    Args:
        source: The path of the file, or its content.

    Raises:
        ValueError: If it is not a file of probes, or declares more than `LARGEST` bytes or `MOST`
            probes.
    """
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    probes: dict[str, list[Probe]] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [each.filename.removesuffix(".npy") for each in archive.infolist()]
        if (size := sum(each.file_size for each in archive.infolist())) > LARGEST:
            raise ValueError(f"the probes have {size} bytes; at most {LARGEST}")
        # What an array declares in its header is checked before there is space for it.
        arrays = {name: _read(archive, f"{name}.npy") for name in names}
    for key, array in arrays.items():
        signature, call, side, name = key.split("/", 3)
        if side.endswith(LENGTHS):
            continue
        number, calls = int(call), probes.setdefault(signature, [])
        if not 0 <= number < min(MOST, len(arrays)):
            raise ValueError(f"the probes have one of the number {number}")
        while len(calls) <= number:
            calls.append(Probe({}, {}))
        lengths = arrays.get(f"{signature}/{call}/{side}{LENGTHS}/{name}")
        value = plain(array) if lengths is None else _texts(array, lengths)
        (calls[number].inputs if side == "in" else calls[number].outputs)[name] = value
    return probes


def _read(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """An array of an archive, whose size must be that of the member that has it."""
    size = archive.getinfo(name).file_size
    with archive.open(name) as stream:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise ValueError(f"{name} has the version {version} of the format")
        if dtype.hasobject:
            raise ValueError(f"{name} has objects")
        count = 1
        for each in shape:
            count *= each
        if min(shape, default=0) < 0 or not 0 <= count * dtype.itemsize <= size:
            raise ValueError(f"{name} declares more than it has")
        data = bytearray(stream.read(count * dtype.itemsize))
        if len(data) < count * dtype.itemsize:
            raise ValueError(f"{name} is cut off")
    return np.ndarray(shape, dtype, data, order="F" if fortran else "C")


def _texts(array: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Texts from their bytes, one after another, and their lengths."""
    content, sizes = array.astype(np.uint8).tobytes(), [int(each) for each in lengths.ravel()]
    if min(sizes, default=0) < 0 or sum(sizes) != len(content):
        raise ValueError("the lengths of texts in the probes are not those of their bytes")
    texts, start = np.empty(len(sizes), object), 0
    for index, size in enumerate(sizes):
        texts[index], start = content[start : start + size], start + size
    return texts.reshape(lengths.shape)
