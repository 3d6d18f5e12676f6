"""WAV files: RIFF chunks with samples as integers or floats."""

import struct
from typing import NamedTuple

import numpy as np

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE  # format tags
FORMAT = struct.Struct("<HHIIHH")  # tag, channels, rate, bytes a second, bytes a frame, bits
RIFF = (b"RIFF", b"RF64", b"BW64")  # the others have the sizes of 64 bits in a chunk ds64
LARGE = struct.Struct("<QQ")  # sizes of the file and of the samples
CHUNKS = (b"fmt ", b"data", b"LIST", b"fact")
UNKNOWN = 0xFFFFFFFF  # a size
STREAMED = 0x7FFF0000  # sizes from here on stand for unknown ones: such a file would have 2 GB


class Sound(NamedTuple):
    """Samples from -1 to 1, float32 (S, C), and how many there are per second."""

    samples: np.ndarray
    rate: int


def decode_wav(content: bytes) -> Sound:
    """Decodes a WAV file with integers of 8, 16, 24 or 32 bits, or floats of 32 or 64 bits.

    Of a file that was streamed, whose header has no size, all bytes to the end are samples; a last
    frame that is not whole is left out.

    Source: Microsoft & IBM 1991, "Multimedia Programming Interface and Data Specifications 1.0";
        EBU Tech 3306 (RF64), sections 3.4 and 3.5.

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
    if content[:4] not in RIFF or content[8:12] != b"WAVE":
        raise ValueError("it is not a WAV file")
    form, large, place = None, None, 12
    while place + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, place)
        place += 8
        if name == b"data":
            size = _size_of_data(content, place, size, large)
        chunk = memoryview(content)[place : place + size]
        if len(chunk) < size:
            raise ValueError("it is cut off")
        if name == b"fmt ":
            form = bytes(chunk)
        elif name == b"ds64" and len(chunk) >= LARGE.size:
            (_, large) = LARGE.unpack_from(chunk)
        elif name == b"data":
            if form is None:
                break
            return _samples(form, chunk)
        place += size
        # Chunks begin at even places, but some programs forget the byte between.
        place += size % 2 if content[place : place + 4] not in CHUNKS else 0
    raise ValueError("its WAV header is damaged")


def _size_of_data(content: bytes, place: int, size: int, large: int | None) -> int:
    """The number of bytes of samples, from their place on; of a streamed file all that follow."""
    if size == UNKNOWN and large is not None:  # of RF64
        size = large
    (of_all,) = struct.unpack_from("<I", content, 4)
    empty = not size and of_all != len(content) - 8  # nobody went back to write either of them
    return len(content) - place if empty or STREAMED <= size <= UNKNOWN else size


def _samples(form: bytes, data: memoryview) -> Sound:
    try:
        tag, channels, rate, _, width, bits = FORMAT.unpack_from(form)
        if tag == EXTENSIBLE:
            (tag,) = struct.unpack_from("<H", form, 24)
    except struct.error:
        raise ValueError("its WAV header is damaged") from None
    kind = {(PCM, 8): "u1", (PCM, 16): "<i2", (PCM, 24): "u1", (PCM, 32): "<i4"}
    kind |= {(FLOAT, 32): "<f4", (FLOAT, 64): "<f8"}
    room = -(-bits // 8) * 8  # 12 or 20 bits are the upper ones of 16 or 24
    if (tag, room) not in kind:
        raise ValueError(f"it has an unknown encoding, number {tag} with {bits} bits")
    if not channels or not rate or width * 8 != channels * room:
        raise ValueError("its WAV header is damaged")
    values = np.frombuffer(data[: len(data) // width * width], kind[tag, room])
    if tag == PCM and room == 24:  # the high bytes of integers of 32 bits
        wide = np.zeros((len(values) // 3, 4), "u1")
        wide[:, 1:] = values.reshape(-1, 3)
        values = wide.view("<i4").ravel()
    found = values.astype("float32")
    if tag == PCM:  # those of 8 bits have no sign
        found = (found - 128) / 128 if room == 8 else found / 2.0 ** (8 * values.itemsize - 1)
    return Sound(found.reshape(-1, channels), rate)
