"""WAV files: RIFF chunks with samples as integers or floats."""

import struct
from typing import NamedTuple

import numpy as np

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE  # format tags
FORMAT = struct.Struct("<HHIIHH")  # tag, channels, rate, bytes a second, bytes a frame, bits


class Sound(NamedTuple):
    """Samples from -1 to 1, float32 (S, C), and how many there are per second."""

    samples: np.ndarray
    rate: int


def decode_wav(content: bytes) -> Sound:
    """Decodes a WAV file with integers of 8, 16, 24 or 32 bits, or floats of 32 or 64 bits.

    Source: Microsoft & IBM 1991, "Multimedia Programming Interface and Data Specifications 1.0".

    Args:
        content: The bytes of the file.

    Raises:
        ValueError: If it is no such file, is cut off, or its header contradicts itself.

    Example:
        >>> header = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 38, b"WAVE", b"fmt ", 16, 1, 1, 8000,
        ...     16000, 2, 16)
        >>> sound = decode_wav(header + struct.pack("<4sIh", b"data", 2, -16384))
        >>> sound.samples.tolist(), sound.rate
        ([[-0.5]], 8000)
    """
    if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
        raise ValueError("it is not a WAV file")
    form, place = None, 12
    while place + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, place)
        chunk = memoryview(content)[place + 8 : place + 8 + size]
        if len(chunk) < size:
            raise ValueError("it is cut off")
        if name == b"fmt ":
            form = bytes(chunk)
        elif name == b"data":
            if form is None:
                break
            return _samples(form, chunk)
        place += 8 + size + size % 2  # chunks begin at even places
    raise ValueError("its WAV header is damaged")


def _samples(form: bytes, data: memoryview) -> Sound:
    try:
        tag, channels, rate, _, width, bits = FORMAT.unpack_from(form)
        if tag == EXTENSIBLE:
            (tag,) = struct.unpack_from("<H", form, 24)
    except struct.error:
        raise ValueError("its WAV header is damaged") from None
    kind = {(PCM, 8): "u1", (PCM, 16): "<i2", (PCM, 24): "u1", (PCM, 32): "<i4"}
    kind |= {(FLOAT, 32): "<f4", (FLOAT, 64): "<f8"}
    if (tag, bits) not in kind:
        raise ValueError(f"it has an unknown encoding, number {tag} with {bits} bits")
    if not channels or not rate or width * 8 != channels * bits or len(data) % width:
        raise ValueError("its WAV header is damaged")
    values = np.frombuffer(data, kind[tag, bits])
    if tag == PCM and bits == 24:  # the high bytes of integers of 32 bits
        wide = np.zeros((len(values) // 3, 4), "u1")
        wide[:, 1:] = values.reshape(-1, 3)
        values = wide.view("<i4").ravel()
    found = values.astype("float32")
    if tag == PCM:  # those of 8 bits have no sign
        found = (found - 128) / 128 if bits == 8 else found / 2.0 ** (8 * values.itemsize - 1)
    return Sound(found.reshape(-1, channels), rate)
